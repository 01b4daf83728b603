-- Additions to the tables since their first version. This file runs at each upgrade, so every statement must
-- be repeatable. `level` counts the additions. Programs of a lower level continue to work with tables of a
-- higher one, because every column here has a default. A change that would break them raises `version` in the
-- same table.
ALTER TABLE loopwright.about ADD COLUMN IF NOT EXISTS level bigint NOT NULL DEFAULT 1;

-- The compatibility number of the run's records. Only workers with the same number lead the run. Before this
-- column existed, all runs had the number 2.
ALTER TABLE loopwright.runs ADD COLUMN IF NOT EXISTS compat bigint NOT NULL DEFAULT 2;

-- The amount, in micro-dollars, that the batch has already counted as spent by this run. A run that continues
-- with a larger budget is counted again.
ALTER TABLE loopwright.runs ADD COLUMN IF NOT EXISTS settled_microusd bigint NOT NULL DEFAULT 0;

-- The hash of the batch's flow. A batch with the same name and another flow is a different batch. NULL: the batch is
-- older than this column.
ALTER TABLE loopwright.batches ADD COLUMN IF NOT EXISTS document bytea;

-- The time at which a run without a leader must be resumed, because it waits for a timer. NULL: at once.
ALTER TABLE loopwright.runs ADD COLUMN IF NOT EXISTS wake_at timestamptz;

-- The run's name as a person gave it, and whether the run is starred. `name_text` is the name in lower case,
-- for searches.
ALTER TABLE loopwright.runs ADD COLUMN IF NOT EXISTS name text;
ALTER TABLE loopwright.runs ADD COLUMN IF NOT EXISTS name_text text COLLATE "C";
ALTER TABLE loopwright.runs ADD COLUMN IF NOT EXISTS starred boolean NOT NULL DEFAULT false;
CREATE INDEX IF NOT EXISTS runs_starred ON loopwright.runs (started_at DESC, run_id DESC) WHERE starred;

-- The questions of a run. Lists of open questions are read without the index, too, but then all records of the
-- unfinished runs are read.
CREATE INDEX IF NOT EXISTS records_asked ON loopwright.records (run, path, seq) WHERE kind = 'node_waiting';

UPDATE loopwright.about SET level = greatest(level, 3);
