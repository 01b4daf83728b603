-- Budgets for a period, and what runs reserve in them. The flow of a budget for all flows is empty. A migration
-- creates these tables, so they must never be changed here.

CREATE TABLE cost_limits (
    period TEXT NOT NULL,
    flow TEXT NOT NULL,
    flow_path TEXT NOT NULL,
    microusd INTEGER NOT NULL,
    PRIMARY KEY (period, flow, flow_path)
) WITHOUT ROWID;

-- The reservations of calls whose cost is not in the totals yet. State 0: the call may be in progress. State 1: the call has
-- ended, and `microusd` is its cost. State 2: the call was cut off, and its whole reservation counts as spent.
CREATE TABLE cost_reservations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL,
    path TEXT NOT NULL,
    at INTEGER NOT NULL,
    flow TEXT NOT NULL,
    flow_path TEXT NOT NULL,
    microusd INTEGER NOT NULL,
    state INTEGER NOT NULL
);
CREATE INDEX cost_reservations_by_run ON cost_reservations (run, path);
