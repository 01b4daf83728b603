-- What runs cost, with a row for each run, slot of time, node and model. The rows of deleted runs, and of calls
-- that belong to no run, have run 0. A migration creates these tables, so they must never be changed here.

CREATE TABLE costs (
    run INTEGER NOT NULL,
    -- The start of the slot of 15 minutes, in milliseconds since the Unix epoch, UTC.
    slot INTEGER NOT NULL,
    flow TEXT NOT NULL,
    flow_path TEXT NOT NULL,
    node TEXT NOT NULL,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost_microusd INTEGER NOT NULL,
    unpriced_calls INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    cut_off_calls INTEGER NOT NULL,
    PRIMARY KEY (run, slot, flow, flow_path, node, model)
) WITHOUT ROWID;
-- The index contains everything that the total cost of a flow needs.
CREATE INDEX costs_by_time ON costs (slot, flow_path, flow, cost_microusd);

-- The usage of executions that have not ended, as JSON.
CREATE TABLE open_costs (
    run INTEGER NOT NULL,
    path TEXT NOT NULL,
    used TEXT NOT NULL,
    PRIMARY KEY (run, path)
) WITHOUT ROWID;

-- The runs that older programs wrote and whose costs are not in the totals yet.
CREATE TABLE uncounted_runs (run INTEGER PRIMARY KEY);
