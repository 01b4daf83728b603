-- The original tables of runs, their records and what workers share; upgrade.sql extends them. All of them
-- are in the schema `loopwright`; the queue has its own schema. Texts from people may contain the character
-- NUL, which PostgreSQL's `text` cannot store, so such columns are JSON or bytes.
CREATE TABLE loopwright.about (version bigint NOT NULL);
INSERT INTO loopwright.about VALUES (1);

CREATE TABLE loopwright.batches (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    created_at bigint NOT NULL,
    flow text NOT NULL,
    -- JSON: the options of the batch's runs, that is, how approvals are answered and what each run may spend.
    options text NOT NULL,
    -- Micro-dollars. NULL: no limit.
    limit_microusd bigint,
    -- The budget that is reserved for unfinished runs, and the amount that ended runs have spent.
    allotted_microusd bigint NOT NULL DEFAULT 0,
    spent_microusd bigint NOT NULL DEFAULT 0,
    stopped boolean NOT NULL DEFAULT false
);

CREATE TABLE loopwright.runs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id text COLLATE "C" NOT NULL UNIQUE,
    -- JSON of the header without document, inputs and setup.
    brief text NOT NULL,
    flow text COLLATE "C" NOT NULL,
    started_at bigint NOT NULL,
    status text COLLATE "C" NOT NULL,
    exit_reason text COLLATE "C",
    duration_ms bigint,
    cost_microusd bigint NOT NULL DEFAULT 0,
    seen boolean NOT NULL DEFAULT false,
    state text NOT NULL,
    -- In lower case. Searches read these columns.
    values_text text COLLATE "C" NOT NULL,
    begin_text text COLLATE "C" NOT NULL,
    end_text text COLLATE "C",
    -- The token of the run's leader. Each takeover raises it, and only records with the newest token are
    -- accepted.
    epoch bigint NOT NULL DEFAULT 1,
    holder uuid,
    -- How approvals are answered: ask, all or none.
    approve text COLLATE "C" NOT NULL DEFAULT 'ask',
    batch bigint REFERENCES loopwright.batches,
    line bigint,
    allotted_microusd bigint
);
CREATE INDEX runs_newest ON loopwright.runs (started_at DESC, run_id DESC);
CREATE INDEX runs_batch ON loopwright.runs (batch, line) WHERE batch IS NOT NULL;
CREATE INDEX runs_status ON loopwright.runs (status, started_at DESC, run_id DESC);
CREATE INDEX runs_held ON loopwright.runs (holder) WHERE holder IS NOT NULL;

CREATE TABLE loopwright.run_values (
    run bigint PRIMARY KEY REFERENCES loopwright.runs ON DELETE CASCADE,
    document bytea NOT NULL,
    inputs text NOT NULL,
    setup text NOT NULL,
    outputs text
);

CREATE TABLE loopwright.records (
    run bigint NOT NULL REFERENCES loopwright.runs ON DELETE CASCADE,
    seq bigint NOT NULL,
    at bigint NOT NULL,
    path text COLLATE "C" NOT NULL,
    node_id text COLLATE "C",
    kind text COLLATE "C" NOT NULL,
    payload text NOT NULL,
    PRIMARY KEY (run, seq)
);
CREATE INDEX records_path ON loopwright.records (run, path, seq);

-- Large texts, once each.
CREATE TABLE loopwright.blobs (hash bytea PRIMARY KEY, content bytea NOT NULL);
CREATE TABLE loopwright.blob_uses (
    run bigint NOT NULL REFERENCES loopwright.runs ON DELETE CASCADE,
    hash bytea NOT NULL,
    PRIMARY KEY (run, hash)
);
CREATE INDEX blob_uses_hash ON loopwright.blob_uses (hash);

CREATE TABLE loopwright.workers (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    compat bigint NOT NULL,
    places bigint NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The requests that people make for a run that another program leads, or that has no leader.
CREATE TABLE loopwright.controls (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run bigint NOT NULL REFERENCES loopwright.runs ON DELETE CASCADE,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    body text NOT NULL
);
CREATE INDEX controls_run ON loopwright.controls (run, id);
