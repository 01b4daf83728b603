-- The tables of the first version.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    flow TEXT NOT NULL,
    flow_path TEXT,
    started_at INTEGER NOT NULL,
    document TEXT NOT NULL,
    inputs TEXT NOT NULL,
    state TEXT NOT NULL
);
CREATE INDEX runs_by_time ON runs (started_at, run_id);
CREATE TABLE records (
    run INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    path TEXT NOT NULL,
    node_id TEXT,
    type TEXT NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (run, seq)
) WITHOUT ROWID;
CREATE INDEX records_by_path ON records (run, path, type);
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
PRAGMA application_id = 0x4c6f6f70;
PRAGMA user_version = 1;
