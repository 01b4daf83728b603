-- Strings that are stored once, and the runs that use them. A migration creates these tables, so they must
-- never be changed here.

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
