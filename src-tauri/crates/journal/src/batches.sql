-- Batches of records that were written together. `place` is the key of the run times 2³² plus the number of
-- the first record. The columns that readers need first come first, because long columns continue on separate
-- pages.
CREATE TABLE record_batches (
    place INTEGER PRIMARY KEY,
    records INTEGER NOT NULL,
    at INTEGER NOT NULL,
    paths_sum INTEGER NOT NULL,
    heads_sum INTEGER NOT NULL,
    paths TEXT NOT NULL,
    heads TEXT NOT NULL,
    payloads TEXT NOT NULL
);

-- A row for each record, for people who read the file with SQL. A head has: milliseconds since the first
-- record, path, node (`true` if it is the last part of the path), kind, bytes of the payload, checksum.
CREATE VIEW records AS
SELECT
    record_batches.place + head.key AS place,
    record_batches.place >> 32 AS run,
    at + (head.value ->> 0) AS at,
    head.value ->> 1 AS path,
    CASE json_type(head.value, '$[2]')
        WHEN 'true' THEN substr(head.value ->> 1, length(rtrim(head.value ->> 1, replace(head.value ->> 1, '/', ''))) + 1)
        ELSE head.value ->> 2
    END AS node_id,
    head.value ->> 3 AS type,
    head.value ->> 5 AS sum,
    CAST(substr(
        CAST(payloads AS BLOB),
        1 + sum(head.value ->> 4) OVER (PARTITION BY record_batches.place ORDER BY head.key) - (head.value ->> 4),
        head.value ->> 4
    ) AS TEXT) AS payload
FROM record_batches, json_each(heads) AS head;
