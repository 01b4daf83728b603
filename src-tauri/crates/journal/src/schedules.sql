-- Adds the schedule that started a run to costs, budgets and reservations; it is empty for other runs. A migration
-- runs this, so it must never be changed here.

ALTER TABLE costs RENAME TO costs_by_flow;
CREATE TABLE costs (
    run INTEGER NOT NULL,
    -- The start of the slot of 15 minutes, in milliseconds since the Unix epoch, UTC.
    slot INTEGER NOT NULL,
    flow TEXT NOT NULL,
    flow_path TEXT NOT NULL,
    schedule TEXT NOT NULL,
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
    PRIMARY KEY (run, slot, flow, flow_path, schedule, node, model)
) WITHOUT ROWID;
INSERT INTO costs SELECT run, slot, flow, flow_path, '', node, model, calls, input_tokens, output_tokens, cost_microusd,
    unpriced_calls, cached_tokens, reasoning_tokens, cut_off_calls FROM costs_by_flow;
DROP TABLE costs_by_flow;
-- The index contains everything that the total cost of a flow or a schedule needs.
CREATE INDEX costs_by_time ON costs (slot, flow_path, flow, schedule, cost_microusd);

ALTER TABLE cost_limits RENAME TO limits_by_flow;
CREATE TABLE cost_limits (
    period TEXT NOT NULL,
    flow TEXT NOT NULL,
    flow_path TEXT NOT NULL,
    schedule TEXT NOT NULL,
    microusd INTEGER NOT NULL,
    PRIMARY KEY (period, flow, flow_path, schedule)
) WITHOUT ROWID;
INSERT INTO cost_limits SELECT period, flow, flow_path, '', microusd FROM limits_by_flow;
DROP TABLE limits_by_flow;

ALTER TABLE cost_reservations ADD COLUMN schedule TEXT NOT NULL DEFAULT '';
