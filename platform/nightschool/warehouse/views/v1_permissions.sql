-- v1_permissions: every tool call that waited for a person's word, and the word that held.
-- Grain: one tool call that asked for permission and for which its session waited.
-- Key: tool_use_id.
-- Columns:
--   tool_use_id: id of the event that made the call
--   session_id: the session that called
--   asked_at: when the session began to wait (UTC)
--   agent_id: the agent that called
--   tool: the tool's name
--   input: what the tool would be given (JSON)
--   status: waiting, allow, deny, or ended when the session was closed without a word
--   given_by: who said it; null where that is not recorded
--   reason: what was said about it
--   answered_at: when it was said (UTC); null while waiting
--   parent_session_id: the session that started this one
--   experiment_id: the experiment it belongs to
--   trial_id: the trial it belongs to
--   arm: the arm of that trial
--   task_id: the task it belongs to
CREATE OR REPLACE VIEW v1_permissions AS
WITH waits AS MATERIALIZED (
    SELECT session_id, min(processed_at) AS asked_at, unnest(json_extract_string(event, '$.stop_reason.event_ids[*]')) AS id
    FROM all_events
    WHERE type = 'session.status_idle' AND stop_reason = 'requires_action'
    GROUP BY session_id, id
),

/* Waits come first, so that few events are looked into whatever the size of the log. */
calls AS MATERIALIZED (
    SELECT session_id, event_id, agent_id, name, event, parent_session_id, experiment_id, trial_id, arm, task_id
    FROM all_events
    WHERE type IN ('agent.tool_use', 'agent.mcp_tool_use') AND event_id IN (SELECT id FROM waits)
),

words AS (
    SELECT
        session_id,
        event ->> '$.tool_use_id' AS id,
        arg_min(event ->> '$.result', seq) AS result,
        arg_min({'by': event ->> '$.given_by', 'why': event ->> '$.deny_message'}, seq) AS said,
        min(processed_at) AS answered_at
    FROM all_events
    WHERE type = 'user.tool_confirmation'
    GROUP BY ALL
),

closed AS (
    SELECT DISTINCT session_id
    FROM all_events
    WHERE
        type IN ('session.status_terminated', 'session.deleted') AND session_id IN (SELECT session_id FROM waits)
)

SELECT
    calls.event_id AS tool_use_id,
    calls.session_id,
    waits.asked_at,
    calls.agent_id,
    calls.name AS tool,
    calls.event -> '$.input' AS input,
    CASE
        WHEN words.result IS NOT NULL THEN words.result WHEN closed.session_id IS NOT NULL THEN 'ended' ELSE 'waiting'
    END AS status,
    words.said.by AS given_by,
    words.said.why AS reason,
    words.answered_at,
    calls.parent_session_id,
    calls.experiment_id,
    calls.trial_id,
    calls.arm,
    calls.task_id
FROM calls
INNER JOIN waits ON calls.session_id = waits.session_id AND calls.event_id = waits.id
LEFT JOIN words ON calls.session_id = words.session_id AND calls.event_id = words.id
LEFT JOIN closed ON calls.session_id = closed.session_id
WHERE calls.event ->> '$.evaluated_permission' = 'ask';
