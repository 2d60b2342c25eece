-- v1_sessions: every session with what it belongs to, how far it came and what it used.
-- Grain: one session that began with session.created; the logs of experiments (exp_...) are not sessions.
-- Key: session_id.
-- Columns:
--   session_id: the session
--   agent: name of the agent that works in it
--   agent_version: version of that agent's configuration
--   model: the model the agent asks
--   title: what the session is about
--   parent_session_id: the session that started it; null for a root
--   experiment_id: the experiment it belongs to
--   trial_id: the trial it belongs to
--   arm: the arm of that trial
--   sample_id: the sample of that trial
--   sample_epoch: which repeat of the sample, from 0
--   task_id: the task it works on
--   role: its part in the trial: reviewer, lead, subagent, orchestrator, task, grader
--   source: where it comes from: run, review, import:tau-bench
--   status: created, running, idle, rescheduled or terminated
--   stop_reason: why the last turn ended
--   started_at: when it was created (UTC); null where nobody knows
--   ended_at: time of its last event (UTC); null where nobody knows
--   events: events recorded (count)
--   model_calls: finished model requests (count)
--   tool_calls: tool calls made (count)
--   tool_errors: tool results that were errors (count)
--   input_tokens: uncached tokens read (tokens)
--   output_tokens: tokens written (tokens)
--   cache_creation_input_tokens: tokens read and put into the prompt cache (tokens)
--   cache_read_input_tokens: tokens read from the prompt cache (tokens)
--   total_tokens: the four classes together (tokens)
--   model_ms: time spent in model requests (milliseconds)
--   feedback: the latest judgement from outside, as recorded
--   feedback_source: where that judgement comes from: true_check, grader, user, self
--   metadata: everything session.created said the session belongs to (JSON)
CREATE OR REPLACE VIEW v1_sessions AS
WITH totals AS (
    -- What a session belongs to is the same in all its events; grouping by it too lets a question for one trial
    -- or experiment read only that one's events.
    SELECT
        session_id,
        parent_session_id,
        experiment_id,
        trial_id,
        arm,
        arg_max(type, seq) FILTER (WHERE starts_with(type, 'session.status_')) AS last_status,
        arg_max(stop_reason, seq) FILTER (WHERE type = 'session.status_idle') AS stop_reason,
        max(processed_at) AS ended_at,
        count(*) AS events,
        count(*) FILTER (WHERE type = 'span.model_request_end') AS model_calls,
        count(*) FILTER (
            WHERE type IN ('agent.tool_use', 'agent.mcp_tool_use', 'agent.custom_tool_use')
        ) AS tool_calls,
        count(*) FILTER (WHERE role = 'tool' AND NOT success) AS tool_errors,
        coalesce(sum(input_tokens), 0)::BIGINT AS input_tokens,
        coalesce(sum(output_tokens), 0)::BIGINT AS output_tokens,
        coalesce(sum(cache_creation_input_tokens), 0)::BIGINT AS cache_creation_input_tokens,
        coalesce(sum(cache_read_input_tokens), 0)::BIGINT AS cache_read_input_tokens,
        coalesce(sum(duration_ms) FILTER (WHERE type = 'span.model_request_end'), 0) AS model_ms
    FROM all_events
    WHERE NOT starts_with(session_id, 'exp_')
    GROUP BY session_id, parent_session_id, experiment_id, trial_id, arm
),

judged AS (
    SELECT
        session_id,
        arg_max(value, seq) AS feedback,
        arg_max(name, seq) AS feedback_source
    FROM all_events
    WHERE type = 'feedback.recorded'
    GROUP BY session_id
)

SELECT
    totals.session_id,
    created.agent_id AS agent,
    created.agent_version,
    created.model,
    created.title,
    totals.parent_session_id,
    totals.experiment_id,
    totals.trial_id,
    totals.arm,
    created.sample_id,
    created.sample_epoch,
    created.task_id,
    created.role,
    created.source,
    coalesce(replace(totals.last_status, 'session.status_', ''), 'created') AS status,
    totals.stop_reason,
    created.started_at,
    totals.ended_at,
    totals.events,
    totals.model_calls,
    totals.tool_calls,
    totals.tool_errors,
    totals.input_tokens,
    totals.output_tokens,
    totals.cache_creation_input_tokens,
    totals.cache_read_input_tokens,
    totals.input_tokens + totals.output_tokens + totals.cache_creation_input_tokens
    + totals.cache_read_input_tokens AS total_tokens,
    totals.model_ms,
    judged.feedback,
    judged.feedback_source,
    created.metadata
FROM totals
INNER JOIN session_index AS created ON totals.session_id = created.session_id
LEFT JOIN judged ON totals.session_id = judged.session_id;
