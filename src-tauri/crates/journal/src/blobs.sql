-- Texts that are stored once, and the runs that use them. A step made these tables: never change them here.

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
