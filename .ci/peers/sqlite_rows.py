"""Measures what the disk allows: SQLite alone writes the rows of records that a run of this program stored.

The first argument is JSON: `source`, the store of a run that has ended, and `store`, the new file. The rows are read before the clock
starts. It stops when the new store is closed, after its log was copied into the file. Each row is written in its own transaction, as in
this program, where only an append of more than 256 records writes two rows at once. Table, page size and settings are those of this
program's journal.

Prints JSON: `rows` and `bytes`, the number of rows and their size; `loopMs` and `loopCpuMs`, the wall and processor time; `pythonMs`, the
wall time of the same calls with statements that write nothing, which is the share of Python itself.
"""

import json
import sqlite3
import sys
import time

TABLE = "record_batches"


def read(source):
    """Returns the statement that creates the table, its rows in order, and the settings that the file stores."""
    store = sqlite3.connect(f"file:{source}?immutable=1", uri=True)
    (make,) = store.execute("SELECT sql FROM sqlite_schema WHERE name = ?", [TABLE]).fetchone()
    rows = store.execute(f"SELECT * FROM {TABLE} ORDER BY place").fetchall()
    kept = {name: store.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "auto_vacuum")}
    store.close()
    return make, rows, kept


def open_new(path, make, kept):
    """Creates the file like `configure` and `settle` in the journal: without waiting for the disk, except once at the end."""
    store = sqlite3.connect(path, isolation_level=None)
    store.execute("PRAGMA synchronous = OFF")
    for name, value in kept.items():
        store.execute(f"PRAGMA {name} = {value}")
    store.execute("PRAGMA journal_mode = WAL")
    store.execute("PRAGMA cache_size = -500")
    store.execute(make)
    store.execute("PRAGMA synchronous = NORMAL")
    store.execute("PRAGMA wal_checkpoint(PASSIVE)")
    return store


def write(store, rows, begin, insert, commit):
    """Writes each row in its own transaction."""
    execute = store.execute
    for row in rows:
        execute(begin)
        execute(insert, row)
        execute(commit)


def main(given):
    make, rows, kept = read(given["source"])
    values = ", ".join("?" * len(rows[0]))
    begun = time.perf_counter(), time.process_time()
    store = open_new(given["store"], make, kept)
    write(store, rows, "BEGIN IMMEDIATE", f"INSERT INTO {TABLE} VALUES ({values})", "COMMIT")
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    ended = time.perf_counter(), time.process_time()

    if read(given["store"])[1] != rows:
        sys.exit("error: the new store has other rows")

    store = sqlite3.connect(":memory:", isolation_level=None)
    store.execute(make)
    idle = time.perf_counter()
    write(store, rows, "SELECT 1 WHERE 0", f"INSERT INTO {TABLE} SELECT {values} WHERE 0", "SELECT 2 WHERE 0")
    idle_ended = time.perf_counter()

    size = sum(len(cell.encode()) if isinstance(cell, str) else 8 for row in rows for cell in row)
    answer = {"rows": len(rows), "bytes": size}
    answer["loopMs"] = (ended[0] - begun[0]) * 1000
    answer["loopCpuMs"] = (ended[1] - begun[1]) * 1000
    answer["pythonMs"] = (idle_ended - idle) * 1000
    print(json.dumps(answer))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
