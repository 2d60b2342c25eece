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
SELECT
    batch.* EXCLUDE (started_at, metadata),
    TRY_CAST(batch.started_at AS TIMESTAMPTZ) AS started_at,
    TRY_CAST(batch.metadata AS JSON) AS metadata
FROM batch_sessions AS batch
WHERE
    batch.session_id NOT IN (SELECT session_id FROM {known}.session_index)
    AND NOT EXISTS (
        FROM {deleted}.deleted_sessions AS gone
        WHERE gone.session_id = batch.session_id AND batch.position <= gone.upto_position
    );

-- name: add_events
-- A batch in the order of session and sequence. Text that is no JSON for DuckDB is kept inside of some.
-- A session belongs to what its first event says, whatever its later events name; an experiment's log to all.
INSERT INTO {target}.events BY NAME
SELECT
    *,
    CASE WHEN type IN ('agent.tool_use', 'agent.mcp_tool_use', 'agent.custom_tool_use') THEN event -> '$.input' END AS input
FROM (
    SELECT
        batch.* EXCLUDE (is_session, body, processed_at, agent_id, experiment_id, trial_id, arm, task_id),
        TRY_CAST(batch.processed_at AS TIMESTAMPTZ) AS processed_at,
        coalesce(batch.agent_id, CASE WHEN batch.role IN ('agent', 'tool', 'model') THEN known.agent_id END) AS agent_id,
        known.parent_session_id,
        CASE WHEN is_session THEN known.experiment_id ELSE coalesce(batch.experiment_id, known.experiment_id) END AS experiment_id,
        CASE WHEN is_session THEN known.trial_id ELSE coalesce(batch.trial_id, known.trial_id) END AS trial_id,
        CASE WHEN is_session THEN known.arm ELSE coalesce(batch.arm, known.arm) END AS arm,
        coalesce(batch.task_id, known.task_id) AS task_id,
        coalesce(
            TRY_CAST(batch.body AS JSON),
            json_object('type', batch.type, 'id', batch.event_id, 'unreadable', batch.body)
        ) AS event
    FROM (SELECT *, NOT starts_with(session_id, 'exp_') AS is_session FROM batch_events) AS batch
    LEFT JOIN {known}.session_index AS known ON batch.session_id = known.session_id
    WHERE NOT EXISTS (
        FROM {deleted}.deleted_sessions AS gone
        WHERE gone.session_id = batch.session_id AND batch.position <= gone.upto_position
    )
)
ORDER BY session_id, seq;

-- name: add_trials
-- The batch's steps of trials, read out once.
INSERT INTO {target}.trial_events BY NAME
SELECT
    position,
    session_id,
    event_id,
    type,
    TRY_CAST(processed_at AS TIMESTAMPTZ) AS processed_at,
    experiment_id,
    trial_id,
    arm,
    event ->> '$.sample_id' AS sample_id,
    TRY_CAST(event ->> '$.epoch' AS BIGINT) AS epoch,
    TRY_CAST(event ->> '$.attempt' AS BIGINT) AS attempt,
    event ->> '$.session_id' AS trial_session_id,
    event ->> '$.brain' AS brain,
    TRY_CAST(event ->> '$.scores.accuracy' AS DOUBLE) AS accuracy,
    TRY_CAST(event ->> '$.scores.completeness' AS DOUBLE) AS completeness,
    TRY_CAST(event ->> '$.scores.consistency' AS DOUBLE) AS consistency,
    TRY_CAST(event ->> '$.scores.efficiency' AS DOUBLE) AS efficiency,
    TRY_CAST(event ->> '$.scores.format' AS DOUBLE) AS format,
    event -> '$.scores' AS scores,
    TRY_CAST(event ->> '$.metrics.recall' AS DOUBLE) AS recall,
    TRY_CAST(event ->> '$.metrics.precision' AS DOUBLE) AS precision,
    TRY_CAST(event ->> '$.metrics.false_flags' AS DOUBLE) AS false_flags,
    event -> '$.metrics' AS metrics,
    TRY_CAST(event ->> '$.tiers.strict' AS BOOLEAN) AS strict,
    TRY_CAST(event ->> '$.tiers.standard' AS BOOLEAN) AS standard,
    TRY_CAST(event ->> '$.tiers.lenient' AS BOOLEAN) AS lenient,
    TRY_CAST(event ->> '$.usage.input_tokens' AS BIGINT) AS input_tokens,
    TRY_CAST(event ->> '$.usage.output_tokens' AS BIGINT) AS output_tokens,
    TRY_CAST(event ->> '$.usage.cache_creation_input_tokens' AS BIGINT) AS cache_creation_input_tokens,
    TRY_CAST(event ->> '$.usage.cache_read_input_tokens' AS BIGINT) AS cache_read_input_tokens,
    TRY_CAST(event ->> '$.tool_calls' AS BIGINT) AS tool_calls,
    TRY_CAST(event ->> '$.model_calls' AS BIGINT) AS model_calls,
    TRY_CAST(event ->> '$.duration_seconds' AS DOUBLE) AS duration_seconds,
    TRY_CAST(event ->> '$.cost_usd' AS DOUBLE) AS cost_usd,
    TRY_CAST(event ->> '$.sample.pages' AS DOUBLE) AS pages,
    event -> '$.sample' AS sample,
    event -> '$.answer' AS answer,
    coalesce(event ->> '$.error.message', event ->> '$.error.type') AS error
FROM (
    SELECT *, TRY_CAST(body AS JSON) AS event
    FROM batch_events
    WHERE type IN ('trial.started', 'trial.completed', 'trial.failed')
) AS batch
WHERE NOT EXISTS (
    FROM {deleted}.deleted_sessions AS gone
    WHERE gone.session_id = batch.session_id AND batch.position <= gone.upto_position
)
ORDER BY position;

-- name: add_batch
-- The receipt that moves the watermark, in the same transaction as the rows.
INSERT INTO sync_batches VALUES (?, ?, ?, ?, ?);

-- name: forget
-- Drop from a reader's tail what the warehouse has meanwhile.
DELETE FROM memory.tail.{table} WHERE position <= ?;

-- name: all_events
-- Everything the warehouse's own file and its cold storage hold.
CREATE OR REPLACE VIEW all_events AS SELECT * FROM events;

-- name: all_events_with_cold
-- The same when there is cold storage.
CREATE OR REPLACE VIEW all_events AS
SELECT * FROM events
UNION ALL BY NAME
SELECT * FROM read_parquet({files}, union_by_name := true);

-- name: forget_deleted
-- Drop from a reader's tail what was deleted meanwhile.
DELETE FROM memory.tail.{table} AS kept
USING stored.main.deleted_sessions AS gone
WHERE kept.session_id = gone.session_id AND kept.position <= gone.upto_position;

-- name: reader_events
-- Events as readers see them: the warehouse's file and the journal's tail.
CREATE OR REPLACE VIEW memory.main.all_events AS
SELECT * FROM stored.main.events
UNION ALL BY NAME
SELECT * FROM memory.tail.events;

-- name: reader_events_with_cold
-- The same when there is cold storage.
CREATE OR REPLACE VIEW memory.main.all_events AS
SELECT * FROM stored.main.events
UNION ALL BY NAME
SELECT * FROM read_parquet({files}, union_by_name := true)
UNION ALL BY NAME
SELECT * FROM memory.tail.events;

-- name: reader_events_without_tail
-- The same when the file has everything.
CREATE OR REPLACE VIEW memory.main.all_events AS SELECT * FROM stored.main.events;

-- name: reader_events_without_tail_with_cold
-- The same when there is cold storage.
CREATE OR REPLACE VIEW memory.main.all_events AS
SELECT * FROM stored.main.events
UNION ALL BY NAME
SELECT * FROM read_parquet({files}, union_by_name := true);

-- name: reader_events_without_file
-- The same while there is nothing but the journal.
CREATE OR REPLACE VIEW memory.main.all_events AS SELECT * FROM memory.tail.events;

-- name: reader_table
-- Another table as readers see it.
CREATE OR REPLACE VIEW memory.main.{table} AS
SELECT * FROM stored.main.{table}
UNION ALL BY NAME
SELECT * FROM memory.tail.{table};

-- name: reader_table_without_tail
-- The same when the file has everything.
CREATE OR REPLACE VIEW memory.main.{table} AS SELECT * FROM stored.main.{table};

-- name: reader_table_without_file
-- The same while there is nothing but the journal.
CREATE OR REPLACE VIEW memory.main.{table} AS SELECT * FROM memory.tail.{table};

-- name: cold_files
-- Which files of the cold folder count.
SELECT name FROM {schema}.cold_files ORDER BY name;

-- name: trials
-- The trials of one experiment, or of all, in a settled order.
SELECT * FROM v1_trials
WHERE $experiment_id IS NULL OR experiment_id = $experiment_id
ORDER BY experiment_id, sample_id, epoch, arm;

-- name: sessions_before
-- Sessions, not the logs of experiments, memory stores and dreams, whose last event was recorded before a time.
SELECT session_id
FROM {events}
WHERE
    NOT starts_with(session_id, 'exp_')
    AND NOT starts_with(session_id, 'memstore_')
    AND NOT starts_with(session_id, 'drm_')
GROUP BY session_id
HAVING max(recorded_at) < ?
ORDER BY session_id;

-- name: write_cold
-- Some sessions' events as a Parquet file.
COPY (
    SELECT * FROM events WHERE session_id IN (SELECT unnest($sessions::VARCHAR[])) ORDER BY session_id, seq
) TO {file} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {rows});

-- name: rewrite_cold
-- A cold file without some sessions' events.
COPY (
    SELECT * FROM read_parquet({source})
    WHERE session_id NOT IN (SELECT unnest($sessions::VARCHAR[]))
    ORDER BY session_id, seq
) TO {file} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {rows});

-- name: count_cold
-- What a cold file holds.
SELECT count(DISTINCT session_id), count(*) FROM read_parquet({file});

-- name: stored_rows_in
-- How many events a cold file holds.
SELECT count(*) FROM read_parquet({file});

-- name: count_of_sessions
-- How many of some sessions a relation has, and how many events of theirs.
SELECT count(DISTINCT session_id), count(*) FROM {relation} WHERE session_id IN (SELECT unnest($sessions::VARCHAR[]));

-- name: add_cold
-- A file that counts from now on.
INSERT INTO cold_files VALUES (?, ?, ?, ?, ?);

-- name: drop_cold
-- A file that counts no more.
DELETE FROM cold_files WHERE name = ?;

-- name: drop_rows
-- Some sessions' rows, from a table of the warehouse's own file.
DELETE FROM {table} WHERE session_id IN (SELECT unnest($sessions::VARCHAR[]));

-- name: note_deletion
-- Deleted sessions, so that a copy that was under way meanwhile does not bring them back.
INSERT INTO deleted_sessions SELECT unnest($sessions::VARCHAR[]), $upto_position, $now;

-- name: receipts
-- What each committed batch said it holds.
SELECT first_position, last_position, events, digest FROM {schema}.sync_batches ORDER BY first_position;

-- name: copies
-- The copies of a stretch of the journal.
SELECT position, session_id, seq, epoch, recorded_at, event::VARCHAR AS body
FROM all_events
WHERE position BETWEEN $first AND $last
ORDER BY position;

-- name: write_view
-- What a view says, as a Parquet file.
COPY (SELECT * FROM {view}) TO {file} (FORMAT parquet, COMPRESSION zstd);

-- name: count_sessions
-- How many sessions there are.
SELECT count(*) FROM v1_sessions;

-- name: family
-- A session and every session that it started, at any depth; it comes first.
WITH RECURSIVE family (session_id, depth) AS (
    SELECT session_id, 0 FROM v1_sessions WHERE session_id = ?
    UNION
    SELECT child.session_id, family.depth + 1
    FROM v1_sessions AS child JOIN family ON child.parent_session_id = family.session_id
)
SELECT session_id FROM family ORDER BY depth, session_id;

-- name: waiting_permissions
-- The tool calls that wait for a person's word, those that have waited longest in front.
SELECT tool_use_id, session_id, agent_id, tool, input, asked_at, experiment_id, arm, trial_id, task_id
FROM v1_permissions
WHERE status = 'waiting'
ORDER BY asked_at NULLS LAST, tool_use_id;

-- name: answered_permissions
-- The tool calls that had a person's word, the latest in front.
SELECT tool_use_id, session_id, status, given_by
FROM v1_permissions
WHERE status IN ('allow', 'deny')
ORDER BY answered_at DESC, tool_use_id;
