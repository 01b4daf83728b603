-- The state of each examined file, as JSON: the manifest of the last refresh.
CREATE TABLE file (
    path TEXT PRIMARY KEY,
    seen TEXT NOT NULL
) WITHOUT ROWID;

-- The indexed documents. Every search reads all rows, so the texts are in a separate table.
CREATE TABLE document (
    path TEXT PRIMARY KEY,
    id INTEGER NOT NULL UNIQUE,
    title TEXT NOT NULL,
    title_stems INTEGER NOT NULL,
    body_stems INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE body (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL
);

-- Stems separated by spaces. Numbers contain points and commas, and stems may contain letters outside of
-- ASCII; all of these are kept.
CREATE VIRTUAL TABLE stem USING fts5 (
    title, body, content='', contentless_delete=1, tokenize="ascii tokenchars '.,'"
);

-- Every occurrence of every stem.
CREATE VIRTUAL TABLE occurrence USING fts5vocab (stem, instance);
