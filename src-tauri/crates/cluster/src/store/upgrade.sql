-- What was added to the tables after they were first made. It is run again at each upgrade, so that each line must allow that.
-- `level` counts additions. Programs of a lower level continue to work with tables of a higher one: every column here has a default.
-- `version` in the same table is raised when they could not.
ALTER TABLE loopwright.about ADD COLUMN IF NOT EXISTS level bigint NOT NULL DEFAULT 1;

-- The number of the records' meaning: only workers of this number lead the run. All runs were of number 2 before it was kept.
ALTER TABLE loopwright.runs ADD COLUMN IF NOT EXISTS compat bigint NOT NULL DEFAULT 2;

-- Micro-dollars of the run that its batch has counted as spent. A run that continues with a larger budget is counted again.
ALTER TABLE loopwright.runs ADD COLUMN IF NOT EXISTS settled_microusd bigint NOT NULL DEFAULT 0;

-- The text of the flow by content: a batch of that name with another flow is another batch. NULL: made before it was kept.
ALTER TABLE loopwright.batches ADD COLUMN IF NOT EXISTS document bytea;

-- When a run that nobody leads must be resumed, where that is not now: it waits for a timer.
ALTER TABLE loopwright.runs ADD COLUMN IF NOT EXISTS wake_at timestamptz;

-- What a person calls the run, and whether it is starred. `name_text` is what a search looks through: lower case.
ALTER TABLE loopwright.runs ADD COLUMN IF NOT EXISTS name text;
ALTER TABLE loopwright.runs ADD COLUMN IF NOT EXISTS name_text text COLLATE "C";
ALTER TABLE loopwright.runs ADD COLUMN IF NOT EXISTS starred boolean NOT NULL DEFAULT false;
CREATE INDEX IF NOT EXISTS runs_starred ON loopwright.runs (started_at DESC, run_id DESC) WHERE starred;

UPDATE loopwright.about SET level = greatest(level, 3);
