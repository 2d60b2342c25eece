-- v1_tasks: every task of every plan and what became of it.
-- Grain: one task of one plan.
-- Key: (plan_id, task_id).
-- Columns:
--   plan_id: the plan
--   task_id: the task
--   session_id: the orchestrator's session, where the plan is logged
--   task_session_id: the latest session that worked on it
--   title: what is to be done; null when the plan itself is not in the log
--   depends_on: ids of the tasks it waits for (JSON list)
--   task: the task as planned (JSON)
--   status: planned, running, completed or failed
--   attempts: times it was started (count)
--   started_at: first start (UTC)
--   ended_at: when it was completed or failed (UTC)
--   duration_ms: duration of the attempt that ended it (milliseconds)
--   result: what it gave (JSON)
--   error: why it failed
--   experiment_id: the experiment it belongs to
--   trial_id: the trial it belongs to
--   arm: the arm of that trial
--   agent: who worked on it last; null where nobody was chosen
--   agent_version: that agent's version in the registry
--   policy: how that agent was chosen: capability, round_robin, least_loaded, cascade or learned
--   probability: how probable that choice was (0 to 1)
--   tokens: tokens read and written over all attempts (tokens)
--   sent_back: results that a verdict sent back (count)
--   received: everything that the last attempt was given, byte for byte
--   note: what is to be said against the result, when it was accepted all the same
CREATE OR REPLACE VIEW v1_tasks AS
WITH planned AS (
    SELECT
        plan_id,
        session_id,
        position,
        experiment_id,
        trial_id,
        arm,
        task ->> '$.id' AS task_id,
        task ->> '$.title' AS title,
        task -> '$.depends_on' AS depends_on,
        task
    FROM (
        SELECT
            session_id,
            position,
            experiment_id,
            trial_id,
            arm,
            event ->> '$.plan_id' AS plan_id,
            unnest(json_extract(event, '$.tasks[*]')) AS task
        FROM all_events
        WHERE type = 'plan.created'
    )
    QUALIFY row_number() OVER (PARTITION BY plan_id, task_id ORDER BY position DESC) = 1
),

steps AS (
    SELECT
        event ->> '$.plan_id' AS plan_id,
        event ->> '$.task_id' AS task_id,
        arg_max(session_id, position) AS session_id,
        arg_max(event ->> '$.task_session_id', position) AS task_session_id,
        arg_max(type, position) AS last_type,
        count(*) FILTER (WHERE type = 'task.started') AS attempts,
        min(processed_at) FILTER (WHERE type = 'task.started') AS started_at,
        max(processed_at) FILTER (WHERE type <> 'task.started') AS ended_at,
        arg_max(duration_ms, position) FILTER (WHERE type <> 'task.started') AS duration_ms,
        arg_max(event -> '$.result', position) FILTER (WHERE type = 'task.completed') AS result,
        arg_max(content, position) FILTER (WHERE type = 'task.failed') AS error,
        any_value(experiment_id) AS experiment_id,
        any_value(trial_id) AS trial_id,
        any_value(arm) AS arm,
        arg_max(agent_id, position) FILTER (WHERE type = 'task.started') AS agent,
        arg_max((event ->> '$.agent_version')::INTEGER, position)
            FILTER (WHERE type = 'task.started') AS agent_version,
        arg_max(event ->> '$.policy', position) FILTER (WHERE type = 'task.started') AS policy,
        arg_max(event -> '$.probabilities', position) FILTER (WHERE type = 'task.started') AS probabilities,
        sum((event ->> '$.tokens')::BIGINT)::BIGINT AS tokens,
        arg_max(event ->> '$.received', position) FILTER (WHERE type = 'task.started') AS received,
        arg_max(event ->> '$.note', position) FILTER (WHERE type = 'task.completed') AS note
    FROM all_events
    WHERE type IN ('task.started', 'task.completed', 'task.failed')
    GROUP BY 1, 2
),

verdicts AS (
    SELECT
        event ->> '$.plan_id' AS plan_id,
        event ->> '$.task_id' AS task_id,
        count(*) AS sent_back,
        sum((event ->> '$.tokens')::BIGINT)::BIGINT AS tokens
    FROM all_events
    WHERE type = 'task.graded' AND event ->> '$.next' <> 'accept'
    GROUP BY 1, 2
)

SELECT
    coalesce(planned.plan_id, steps.plan_id) AS plan_id,
    coalesce(planned.task_id, steps.task_id) AS task_id,
    coalesce(planned.session_id, steps.session_id) AS session_id,
    steps.task_session_id,
    planned.title,
    planned.depends_on,
    planned.task,
    CASE steps.last_type
        WHEN 'task.started' THEN 'running' WHEN 'task.completed' THEN 'completed' WHEN 'task.failed' THEN 'failed'
        ELSE 'planned'
    END AS status,
    coalesce(steps.attempts, 0) AS attempts,
    steps.started_at,
    CASE WHEN steps.last_type <> 'task.started' THEN steps.ended_at END AS ended_at,
    CASE WHEN steps.last_type <> 'task.started' THEN steps.duration_ms END AS duration_ms,
    CASE WHEN steps.last_type = 'task.completed' THEN steps.result END AS result,
    CASE WHEN steps.last_type = 'task.failed' THEN steps.error END AS error,
    coalesce(planned.experiment_id, steps.experiment_id) AS experiment_id,
    coalesce(planned.trial_id, steps.trial_id) AS trial_id,
    coalesce(planned.arm, steps.arm) AS arm,
    steps.agent,
    steps.agent_version,
    steps.policy,
    (steps.probabilities ->> ('$."' || steps.agent || '"'))::DOUBLE AS probability,
    steps.tokens + coalesce(verdicts.tokens, 0) AS tokens,
    coalesce(verdicts.sent_back, 0) AS sent_back,
    steps.received,
    steps.note
FROM planned
FULL OUTER JOIN steps ON planned.plan_id = steps.plan_id AND planned.task_id = steps.task_id
LEFT JOIN verdicts
    ON verdicts.plan_id = coalesce(planned.plan_id, steps.plan_id)
    AND verdicts.task_id = coalesce(planned.task_id, steps.task_id);
