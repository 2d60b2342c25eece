-- v1_tool_calls: every tool call with its result.
-- Grain: one tool call; if it was answered more than once, the first answer counts.
-- Key: tool_use_id.
-- Columns:
--   tool_use_id: id of the event that made the call
--   session_id: the session that called
--   seq: place of the call in the session
--   called_at: when the call was made (UTC)
--   finished_at: when the result came (UTC); null while open
--   agent_id: the agent that called
--   kind: tool (built in), mcp or custom
--   tool: the tool's name
--   mcp_server: the MCP server, for kind mcp
--   input: what the tool was given (JSON)
--   result: readable text of what came back
--   status: open, finished or failed
--   permission: what the policy said: allow, ask or deny
--   duration_ms: how long the tool took (milliseconds); null where the log does not say
--   parent_session_id: the session that started this one
--   experiment_id: the experiment it belongs to
--   trial_id: the trial it belongs to
--   arm: the arm of that trial
--   task_id: the task it belongs to
CREATE OR REPLACE VIEW v1_tool_calls AS
WITH results AS (
    SELECT
        session_id,
        answers AS tool_use_id,
        min(processed_at) AS finished_at,
        arg_min(content, seq) AS result,
        arg_min(success, seq) AS success,
        arg_min(duration_ms, seq) AS duration_ms
    FROM all_events
    WHERE type IN (
        'agent.tool_result', 'agent.mcp_tool_result', 'user.tool_result', 'user.custom_tool_result'
    )
    GROUP BY ALL
)

SELECT
    calls.event_id AS tool_use_id,
    calls.session_id,
    calls.seq,
    calls.processed_at AS called_at,
    results.finished_at,
    calls.agent_id,
    CASE calls.type WHEN 'agent.mcp_tool_use' THEN 'mcp' WHEN 'agent.custom_tool_use' THEN 'custom' ELSE 'tool' END
        AS kind,
    calls.name AS tool,
    calls.event ->> '$.mcp_server_name' AS mcp_server,
    calls.event -> '$.input' AS input,
    results.result,
    CASE WHEN results.success IS NULL THEN 'open' WHEN results.success THEN 'finished' ELSE 'failed' END AS status,
    calls.event ->> '$.evaluated_permission' AS permission,
    results.duration_ms,
    calls.parent_session_id,
    calls.experiment_id,
    calls.trial_id,
    calls.arm,
    calls.task_id
FROM all_events AS calls
LEFT JOIN results ON calls.session_id = results.session_id AND calls.event_id = results.tool_use_id
WHERE calls.type IN ('agent.tool_use', 'agent.mcp_tool_use', 'agent.custom_tool_use');
