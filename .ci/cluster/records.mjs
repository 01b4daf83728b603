// The contents of the store, read from its tables: the runs of batches, the recorded calls, and the warnings.

const text = (value) => `'${value.replaceAll("'", "''")}'`;
const among = (names) => `b.name IN (${names.map(text).join(", ")})`;

/** The SQL condition for records that contain a node's value. */
const GAVE = "rec.kind = 'visit_completed'";

/** Returns the batches, with what they have spent. */
export function batchRows(postgres, names) {
  return postgres.rows(
    `SELECT name, limit_microusd AS limit, allotted_microusd AS allotted, spent_microusd AS spent, stopped
     FROM loopwright.batches b WHERE ${among(names)}`,
  );
}

/**
 * Returns the runs of batches, in the order of their lines, with the count and the range of their record
 * numbers.
 */
export function runRows(postgres, names) {
  return postgres.rows(
    `SELECT b.name AS batch, r.id, r.run_id, r.line, v.inputs::json ->> 'topic' AS topic, r.status, r.epoch, r.holder,
        r.cost_microusd AS cost, r.allotted_microusd AS allotted, r.state::json -> 'error' ->> 'code' AS error,
        coalesce(n.records, 0) AS records, n.first, n.last
     FROM loopwright.runs r JOIN loopwright.batches b ON b.id = r.batch JOIN loopwright.run_values v ON v.run = r.id
     LEFT JOIN (SELECT run, count(*) AS records, min(seq) AS first, max(seq) AS last FROM loopwright.records GROUP BY run) n
        ON n.run = r.id
     WHERE ${among(names)} ORDER BY b.id, r.line, r.id`,
  );
}

/** Returns each recorded answer of a model in full: `{ run, seq, at, path, value }`. */
export function recordedCalls(postgres, names) {
  return postgres.rows(
    `SELECT c.run, c.seq, c.at, c.path, coalesce(convert_from(t.content, 'UTF8'), c.value) AS value FROM (
        SELECT rec.run, rec.seq, rec.at, rec.path, rec.payload::json -> 'outcome' ->> 'value' AS value
        FROM loopwright.records rec JOIN loopwright.runs r ON r.id = rec.run JOIN loopwright.batches b ON b.id = r.batch
        WHERE ${GAVE} AND rec.node_id IN ('draft', 'part') AND ${among(names)}
     ) c LEFT JOIN loopwright.blobs t
        ON t.hash = CASE WHEN starts_with(c.value, 'blob:blake3:') THEN decode(substr(c.value, 13), 'hex') END
     ORDER BY c.run, c.seq`,
  );
}

/** Returns each reported repetition of a call: `{ run, path }`. */
export async function saidRepeated(postgres, names) {
  const rows = await postgres.rows(
    `SELECT rec.run, rec.path, rec.payload::json -> 'warning' ->> 'message' AS message
     FROM loopwright.records rec JOIN loopwright.runs r ON r.id = rec.run JOIN loopwright.batches b ON b.id = r.batch
     WHERE rec.kind IN ('host_warned', 'warned') AND rec.payload::json -> 'warning' ->> 'code' = 'call_repeated' AND ${among(names)}`,
  );
  // The message contains the path; the record only has the node.
  return rows.map(({ run, path, message }) => ({
    run,
    path: /\(([^()\s]+)\); the call/.exec(message)?.[1] ?? path,
  }));
}

/** Returns counts that must be zero once every run is over. */
export async function leftOver(postgres) {
  const [counts] = await postgres.rows(
    `SELECT (SELECT count(*) FROM loopwright.controls) AS "controls",
        (SELECT count(*) FROM loopwright.runs WHERE allotted_microusd IS NOT NULL) AS allotments,
        (SELECT count(*) FROM loopwright_queue._private_jobs WHERE attempts < max_attempts) AS jobs`,
  );
  return counts;
}

/** Returns the jobs that are still in the queue, for inspection. */
export function queuedJobs(postgres) {
  return postgres.rows(
    `SELECT j.key, j.attempts, j.run_at, j.locked_at, j.locked_by, j.last_error, r.status
     FROM loopwright_queue._private_jobs j LEFT JOIN loopwright.runs r ON r.run_id = j.payload ->> 'run'
     WHERE j.attempts < j.max_attempts`,
  );
}

/** Returns the number of jobs that were ever added to the queue, from the sequence of their ids. */
export async function jobsEver(postgres) {
  const sequence = "pg_get_serial_sequence('loopwright_queue._private_jobs', 'id')::regclass";
  const [{ last }] = await postgres.rows(`SELECT pg_sequence_last_value(${sequence}) AS last`);
  return Number(last);
}
