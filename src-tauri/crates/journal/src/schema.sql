-- The tables of a new store that differ from those of the first migrations; the others are in `blobs.sql`,
-- `experiments.sql`, `batches.sql`, `costs.sql`, `spending.sql` and `schedules.sql`. A file of an earlier version gets the same
-- tables through the migrations in `schema.rs`.

CREATE TABLE store (id TEXT NOT NULL);
INSERT INTO store VALUES (lower(hex(randomblob(16))));

-- One short row for each run; large values are in `run_values`.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    flow TEXT NOT NULL,
    flow_path TEXT,
    started_at INTEGER NOT NULL,
    parent TEXT,
    forked_at TEXT,
    status TEXT NOT NULL,
    exit_reason TEXT,
    duration_ms INTEGER,
    cost_microusd INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL,
    records INTEGER NOT NULL DEFAULT 0,
    seen INTEGER NOT NULL DEFAULT 0,
    sum INTEGER NOT NULL DEFAULT 0,
    name TEXT,
    name_text TEXT,
    starred INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX runs_by_time ON runs (started_at, run_id);
CREATE INDEX runs_by_status ON runs (status, started_at);
CREATE INDEX runs_by_flow ON runs (flow, started_at);
CREATE INDEX runs_named ON runs (name_text) WHERE name_text IS NOT NULL;
CREATE INDEX runs_starred ON runs (started_at, run_id) WHERE starred = 1;

CREATE TABLE run_values (
    run INTEGER PRIMARY KEY,
    document TEXT NOT NULL,
    inputs TEXT NOT NULL,
    setup TEXT NOT NULL,
    outputs TEXT,
    sum INTEGER NOT NULL DEFAULT 0
);

-- The index does not store the text. It finds parts of words.
CREATE VIRTUAL TABLE run_texts USING fts5 (
    text, content='', contentless_delete=1, tokenize='trigram'
);
