-- The results of evaluations, with a row for each case, each cell and each note. A migration creates these
-- tables, so they must never be changed here.

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
