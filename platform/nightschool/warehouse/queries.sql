-- name: watermark
-- The position up to which the journal has been copied.
SELECT coalesce(max(last_position), 0) FROM {schema}.sync_batches;

-- name: stored_rows
-- How many events a database holds; answered from its metadata.
SELECT count(*) FROM {schema}.events;

-- name: has_history
-- Whether a database has a schema at all.
SELECT count(*) FROM duckdb_tables() WHERE database_name = ? AND table_name = 'schema_history';

-- name: reached_migration
-- The number of the last migration applied to a database.
SELECT coalesce(max(number), 0) FROM {schema}.schema_history;

-- name: note_migration
-- A line of the schema's history.
INSERT INTO schema_history VALUES (?, ?, ?, ?);

-- name: views_digest
-- Which text of the views is in force.
SELECT digest FROM schema_history WHERE number = 0 ORDER BY rowid DESC LIMIT 1;

-- name: add_sessions
-- What later events of a session inherit, once per session; {known} is where earlier sessions stand.
INSERT INTO {target}.session_index BY NAME
SELECT *
FROM batch_sessions
WHERE session_id NOT IN (SELECT session_id FROM {known}.session_index);

-- name: add_events
-- A batch in the order of session and sequence. Text that is no JSON for DuckDB is kept as text.
INSERT INTO {target}.events BY NAME
SELECT
    batch.position,
    batch.session_id,
    batch.seq,
    batch.epoch,
    batch.recorded_at,
    batch.event_id,
    batch.type,
    TRY_CAST(batch.processed_at AS TIMESTAMPTZ) AS processed_at,
    batch.session_thread_id,
    coalesce(batch.agent_id, CASE WHEN batch.role IN ('agent', 'tool', 'model') THEN known.agent_id END) AS agent_id,
    batch.role,
    batch.content,
    batch.input_tokens,
    batch.output_tokens,
    batch.cache_creation_input_tokens,
    batch.cache_read_input_tokens,
    batch.duration_ms,
    batch.success,
    known.parent_session_id,
    coalesce(batch.experiment_id, known.experiment_id) AS experiment_id,
    coalesce(batch.trial_id, known.trial_id) AS trial_id,
    coalesce(batch.arm, known.arm) AS arm,
    coalesce(batch.task_id, known.task_id) AS task_id,
    coalesce(
        TRY_CAST(batch.body AS JSON)::VARIANT,
        {{'type': batch.type, 'id': batch.event_id, 'unreadable': batch.body}}::VARIANT
    ) AS event
FROM batch_events AS batch
LEFT JOIN {known}.session_index AS known ON batch.session_id = known.session_id
ORDER BY batch.session_id, batch.seq;

-- name: add_batch
-- The receipt that moves the watermark, in the same transaction as the rows.
INSERT INTO sync_batches VALUES (?, ?, ?, ?, ?);

-- name: forget
-- Drop from a reader's tail what the warehouse has meanwhile.
DELETE FROM memory.tail.{table} WHERE position <= ?;

-- name: reader_relation
-- A table as readers see it: the warehouse's file and the journal's tail.
CREATE OR REPLACE VIEW memory.main.{table} AS
SELECT * FROM stored.main.{table}
UNION ALL BY NAME
SELECT * FROM memory.tail.{table};

-- name: reader_relation_without_file
-- A table as readers see it while there is nothing but the journal.
CREATE OR REPLACE VIEW memory.main.{table} AS SELECT * FROM memory.tail.{table};

-- name: trials
-- The trials of one experiment, or of all, in a settled order.
SELECT * FROM v1_trials
WHERE $experiment_id IS NULL OR experiment_id = $experiment_id
ORDER BY experiment_id, sample_id, epoch, arm;
