-- The tables of a new store; those of the records are in `batches.sql`. A file of an earlier version comes to the same by the steps in `schema.rs`.

CREATE TABLE store (id TEXT NOT NULL);
INSERT INTO store VALUES (lower(hex(randomblob(16))));

-- One short row a run; what is large is in `run_values`.
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

-- It keeps no texts, and finds parts of words.
CREATE VIRTUAL TABLE run_texts USING fts5 (
    text, content='', contentless_delete=1, tokenize='trigram'
);

CREATE TABLE blobs (
    hash BLOB NOT NULL UNIQUE,
    content TEXT NOT NULL
);
CREATE TABLE blob_uses (
    run INTEGER NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (run, hash)
) WITHOUT ROWID;
CREATE INDEX blob_uses_by_hash ON blob_uses (hash);

CREATE TABLE experiments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    experiment_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    path TEXT,
    started_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    content TEXT NOT NULL,
    sum INTEGER NOT NULL
);
CREATE INDEX experiments_by_path ON experiments (path, started_at);
CREATE TABLE experiment_cases (
    experiment INTEGER NOT NULL,
    number INTEGER NOT NULL,
    content TEXT NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (experiment, number)
) WITHOUT ROWID;
CREATE TABLE experiment_cells (
    experiment INTEGER NOT NULL,
    number INTEGER NOT NULL,
    summary TEXT NOT NULL,
    detail TEXT NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (experiment, number)
) WITHOUT ROWID;
CREATE TABLE experiment_notes (
    experiment INTEGER NOT NULL,
    name TEXT NOT NULL,
    content TEXT NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (experiment, name)
) WITHOUT ROWID;
