-- What the pages ask, each under a name. Short questions: the warehouse's file is held while one is answered.

-- name: experiments
-- Every experiment, newest first.
SELECT experiment_id, simulated, manifest_hash, created_at, completed_at, recorded, errored, manifest
FROM v1_experiments
ORDER BY created_at DESC NULLS LAST, experiment_id DESC;

-- name: trials
-- The trials of an experiment that were begun, without their answers.
SELECT
    trial_id, arm, sample_id, epoch, status, attempt, session_id, pages, accuracy, completeness, recall, false_flags,
    strict, standard, lenient, total_tokens, tool_calls, model_calls, duration_seconds, cost_usd, error, started_at, ended_at
FROM v1_trials
WHERE experiment_id = $experiment_id
ORDER BY started_at NULLS LAST, trial_id
LIMIT $most;

-- name: results
-- What a report is made of: every trial of an experiment with its scores, without its answer.
SELECT
    arm, sample_id, epoch, status, error, scores, metrics, total_tokens, tool_calls, model_calls, duration_seconds, cost_usd,
    attempt, strict, standard, lenient, pages
FROM v1_trials
WHERE experiment_id = $experiment_id;

-- name: coordinated
-- The experiments whose trials say what working together cost.
SELECT DISTINCT experiment_id
FROM v1_trials
WHERE status = 'completed' AND (metrics ->> '$.overhead' IS NOT NULL OR metrics ->> '$.speedup_1' IS NOT NULL);

-- name: last_change
-- When something last happened in an experiment's own log.
SELECT max(processed_at) AS at FROM v1_events WHERE session_id = $experiment_id;

-- name: trial
-- One trial with its answer.
SELECT * FROM v1_trials WHERE trial_id = $trial_id;

-- name: trial_sessions
-- The sessions of a trial, in the order in which they began.
SELECT
    session_id, parent_session_id, agent, model, role, task_id, title, status, started_at, ended_at, model_calls, tool_calls,
    tool_errors, total_tokens
FROM v1_sessions
WHERE trial_id = $trial_id
ORDER BY started_at NULLS LAST, session_id
LIMIT $most;

-- name: trial_model_calls
-- When the model's answers of a trial were complete.
SELECT session_id, ended_at
FROM v1_model_calls
WHERE trial_id = $trial_id AND ended_at IS NOT NULL
ORDER BY session_id, seq
LIMIT $most;

-- name: recent_sessions
-- The sessions begun last; those of unknown time come after them. Read from their first events: v1_sessions adds up all.
SELECT
    session_id, event ->> '$.title' AS title, event ->> '$.metadata.role' AS role, event ->> '$.agent.name' AS agent,
    event ->> '$.metadata.source' AS source
FROM v1_events
WHERE type = 'session.created' AND NOT starts_with(session_id, 'exp_')
ORDER BY processed_at DESC NULLS LAST, session_id
LIMIT $most;

-- name: session
-- One session.
SELECT * FROM v1_sessions WHERE session_id = $session_id;

-- name: session_children
-- The sessions that one started.
SELECT
    session_id, parent_session_id, agent, model, role, task_id, title, status, started_at, ended_at, model_calls, tool_calls,
    tool_errors, total_tokens
FROM v1_sessions
WHERE parent_session_id = $session_id
ORDER BY started_at NULLS LAST, session_id
LIMIT $most;

-- name: session_events
-- A stretch of a session's events, as they were written.
SELECT seq, event_id, type, event::JSON AS body
FROM v1_events
WHERE session_id = $session_id AND seq > $after AND seq <= $upto
ORDER BY seq;

-- name: judged
-- Every graded trial of an experiment with the session that a label of it belongs to.
SELECT trial_id, session_id, arm, sample_id, epoch, scores
FROM v1_trials
WHERE experiment_id = $experiment_id AND status = 'completed' AND session_id IS NOT NULL
ORDER BY trial_id;

-- name: labels
-- What people said of an experiment's results, oldest first.
SELECT session_id, decision, score, comment, given_by, given_at
FROM v1_feedback
WHERE experiment_id = $experiment_id AND decision IS NOT NULL
ORDER BY given_at, feedback_id;

-- name: calibrations
-- The calibrations of graders, newest first, without their grades.
SELECT event_id, event ->> '$.grader' AS grader, event ->> '$.simulated' = 'true' AS simulated, processed_at AS at
FROM v1_events
WHERE session_id = $log AND type = 'grader.calibrated'
ORDER BY seq DESC
LIMIT $most;

-- name: calibration
-- One calibration with its grades.
SELECT event::JSON AS body FROM v1_events WHERE session_id = $log AND event_id = $event_id;

-- name: running_sessions
-- The sessions that are at work by their last status, those that began last in front.
WITH latest AS (
    SELECT session_id, arg_max(type, seq) AS type, max(processed_at) AS changed_at
    FROM v1_events
    WHERE type LIKE 'session.status_%'
    GROUP BY session_id
)

SELECT
    latest.session_id, created.event ->> '$.title' AS title, created.event ->> '$.metadata.role' AS role,
    created.event ->> '$.agent.name' AS agent, created.experiment_id, created.arm, created.processed_at AS started_at,
    latest.changed_at, count(*) OVER () AS altogether
FROM latest
INNER JOIN v1_events AS created ON latest.session_id = created.session_id AND created.type = 'session.created'
WHERE latest.type = 'session.status_running'
ORDER BY created.processed_at DESC NULLS LAST, latest.session_id
LIMIT $most;

-- name: spend_by_day
-- What was consumed a day, trials and sessions outside of one, simulated numbers apart.
SELECT
    date_trunc('day', ended_at)::DATE AS day, simulated, coalesce(brain, 'unknown') AS brain, count(*) AS items,
    sum(total_tokens) AS tokens, sum(cost_usd)::DOUBLE AS cost_usd, sum(duration_seconds) AS seconds
FROM v1_costs
WHERE ended_at IS NOT NULL
GROUP BY ALL
ORDER BY day, brain;

-- name: spend_by_arm
-- What each arm of each experiment consumed, and what a result that passes its Standard tier cost.
SELECT
    experiment_id, arm, simulated, brain, count(*) AS trials, sum(total_tokens) AS tokens, sum(cost_usd)::DOUBLE AS cost_usd,
    sum(duration_seconds) AS seconds, count(*) FILTER (WHERE standard) AS passed
FROM v1_trials
WHERE status = 'completed'
GROUP BY ALL
ORDER BY min(started_at) DESC NULLS LAST, arm
LIMIT $most;

-- name: spend_by_token_class
-- Where the tokens of trials went.
SELECT
    arm, sum(input_tokens) AS uncached, sum(cache_creation_input_tokens) AS cache_written,
    sum(cache_read_input_tokens) AS cache_read, sum(output_tokens) AS written
FROM v1_trials
WHERE status = 'completed' AND experiment_id = $experiment_id
GROUP BY arm
ORDER BY arm;

-- name: totals
-- How much there is.
SELECT
    (SELECT count(*) FROM v1_experiments) AS experiments,
    (SELECT count(*) FROM v1_trials WHERE status <> 'started') AS trials,
    (SELECT count(*) FROM v1_events WHERE type = 'session.created') AS sessions,
    (SELECT count(*) FROM v1_events) AS events;

-- name: trial_tasks
-- The tasks of a trial's plans, as v1_tasks has them; asked of one trial's events, for v1_tasks reads those of all.
WITH own AS (
    SELECT type, position, processed_at, content, duration_ms, event
    FROM v1_events
    WHERE trial_id = $trial_id AND type IN ('plan.created', 'task.started', 'task.completed', 'task.failed')
),

planned AS (
    SELECT plan_id, task ->> '$.id' AS task_id, task ->> '$.title' AS title, task -> '$.depends_on' AS depends_on
    FROM (
        SELECT position, event ->> '$.plan_id' AS plan_id, unnest(json_extract(event, '$.tasks[*]')) AS task
        FROM own
        WHERE type = 'plan.created'
    )
    QUALIFY row_number() OVER (PARTITION BY plan_id, task_id ORDER BY position DESC) = 1
),

steps AS (
    SELECT
        event ->> '$.plan_id' AS plan_id,
        event ->> '$.task_id' AS task_id,
        arg_max(event ->> '$.task_session_id', position) AS task_session_id,
        arg_max(type, position) AS last_type,
        count(*) FILTER (WHERE type = 'task.started') AS attempts,
        min(processed_at) FILTER (WHERE type = 'task.started') AS started_at,
        max(processed_at) FILTER (WHERE type <> 'task.started') AS ended_at,
        arg_max(duration_ms, position) FILTER (WHERE type <> 'task.started') AS duration_ms,
        arg_max(content, position) FILTER (WHERE type = 'task.failed') AS error
    FROM own
    WHERE type <> 'plan.created'
    GROUP BY 1, 2
)

SELECT
    coalesce(planned.plan_id, steps.plan_id) AS plan_id,
    coalesce(planned.task_id, steps.task_id) AS task_id,
    steps.task_session_id,
    planned.title,
    planned.depends_on,
    CASE steps.last_type
        WHEN 'task.started' THEN 'running' WHEN 'task.completed' THEN 'completed' WHEN 'task.failed' THEN 'failed'
        ELSE 'planned'
    END AS status,
    coalesce(steps.attempts, 0) AS attempts,
    steps.started_at,
    steps.ended_at,
    CASE WHEN steps.last_type <> 'task.started' THEN steps.duration_ms END AS duration_ms,
    CASE WHEN steps.last_type = 'task.failed' THEN steps.error END AS error
FROM planned
FULL OUTER JOIN steps ON planned.plan_id = steps.plan_id AND planned.task_id = steps.task_id
ORDER BY plan_id, started_at NULLS LAST, task_id
LIMIT $most;

-- name: session_search
-- Where a session's readable text or a tool's name holds some words, whatever their case.
SELECT seq, event_id, type, role, name, content
FROM v1_events
WHERE session_id = $session_id AND (contains(lower(content), lower($words)) OR contains(lower(name), lower($words)))
ORDER BY seq
LIMIT $most;

-- name: session_place
-- The place of an event in its session.
SELECT session_id, seq FROM v1_events WHERE event_id = $event_id;
