-- v1_memories: every memory of every store as it stands.
-- Grain: one path in one store, at its latest version; deleted ones are left out.
-- Key: store_id, path.
-- Columns:
--   store_id: the store; a dream makes a new one
--   store: the name the store was made for
--   path: where the memory stands
--   kind: note, template, lesson, contrast, economy, statement, quotation or strategy
--   tier: episodic or semantic
--   state: active, candidate, quarantined, archived, expired or cold; only active ones are recalled
--   task_type: the type of task it is for; null for all
--   action: what that task wants done
--   scope: for whom or when it holds; null for all
--   tenant: whose it is
--   taint: tool when a tool or page said it
--   reason: why it is in its state
--   evidence: sessions it was learnt from (count)
--   outcomes: sessions in which it was recalled and used (count)
--   content_sha256: hash of its text; the text itself is not in the log
--   content_bytes: length of its text (bytes)
--   versions: versions the path has had (count)
--   actor: who wrote the latest version: api, user, session or dream
--   dream_id: the dream that wrote it
--   written_at: when that was (UTC)
--   attributes: all that is known about it, with sessions and events (JSON)
CREATE OR REPLACE VIEW v1_memories AS
WITH named AS (
    SELECT
        session_id,
        any_value(event ->> '$.name') AS store
    FROM all_events
    WHERE type = 'memory_store.created'
    GROUP BY session_id
),

latest AS (
    SELECT
        session_id,
        event ->> '$.path' AS path,
        arg_max(type, seq) AS type,
        arg_max(event, seq) AS event,
        arg_max(processed_at, seq) AS written_at,
        count(*) AS versions
    FROM all_events
    WHERE type IN ('memory.created', 'memory.modified', 'memory.deleted')
    GROUP BY ALL
)

SELECT
    latest.session_id AS store_id,
    named.store,
    latest.path,
    coalesce(latest.event ->> '$.attributes.kind', 'note') AS kind,
    coalesce(latest.event ->> '$.attributes.tier', 'episodic') AS tier,
    coalesce(latest.event ->> '$.attributes.state', 'active') AS state,
    latest.event ->> '$.attributes.task_type' AS task_type,
    latest.event ->> '$.attributes.action' AS action,
    latest.event ->> '$.attributes.scope' AS scope,
    latest.event ->> '$.attributes.tenant' AS tenant,
    latest.event ->> '$.attributes.taint' AS taint,
    latest.event ->> '$.attributes.reason' AS reason,
    coalesce(len((latest.event -> '$.attributes.evidence')::JSON[]), 0) AS evidence,
    coalesce(len((latest.event -> '$.attributes.outcomes')::JSON[]), 0) AS outcomes,
    latest.event ->> '$.content_sha256' AS content_sha256,
    (latest.event ->> '$.content_bytes')::BIGINT AS content_bytes,
    latest.versions,
    latest.event ->> '$.actor' AS actor,
    latest.event ->> '$.dream_id' AS dream_id,
    latest.written_at,
    latest.event -> '$.attributes' AS attributes
FROM latest
LEFT JOIN named ON latest.session_id = named.session_id
WHERE latest.type <> 'memory.deleted';
