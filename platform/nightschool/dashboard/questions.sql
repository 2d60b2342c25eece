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

-- name: document_trials
-- The trials of one document under two arms, with their answers.
SELECT
    trial_id, arm, epoch, status, accuracy, completeness, total_tokens, tool_calls, duration_seconds, cost_usd, answer
FROM v1_trials
WHERE experiment_id = $experiment_id AND sample_id = $document AND arm IN ($arm, $other)
ORDER BY epoch, arm
LIMIT $most;

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

-- name: own_plans
-- The plans that were carried out in no trial, or the one that a session holds, newest first, with what became of them.
WITH made AS (
    SELECT
        session_id, arg_max(event ->> '$.goal', position) AS goal, min(processed_at) AS made_at, min(position) AS position,
        arg_max(json_array_length(event, '$.tasks'), position)::BIGINT AS tasks
    FROM v1_events
    WHERE type = 'plan.created' AND trial_id IS NULL AND session_id = coalesce($session_id, session_id)
    GROUP BY session_id
    ORDER BY min(position) DESC
    LIMIT $most
)

SELECT
    made.session_id, made.goal, made.tasks, made.made_at,
    count(DISTINCT steps.event ->> '$.task_id') FILTER (WHERE steps.type = 'task.completed') AS completed,
    bool_or(steps.type = 'plan.completed') IS TRUE AS done
FROM made
LEFT JOIN v1_events AS steps ON made.session_id = steps.session_id AND steps.type IN ('task.completed', 'plan.completed')
GROUP BY ALL
ORDER BY any_value(made.position) DESC;

-- name: plan_session
-- The session in which a plan is logged: this one, or the one that started it.
SELECT session_id FROM v1_events WHERE type = 'plan.created' AND session_id IN ($session_id, $parent_session_id) LIMIT 1;

-- name: plan_sessions
-- The session in which a plan is logged and those that worked on its tasks, in the order in which they began.
SELECT
    session_id, parent_session_id, agent, model, role, task_id, title, status, started_at, ended_at, model_calls, tool_calls,
    tool_errors, total_tokens
FROM v1_sessions
WHERE session_id = $session_id OR parent_session_id = $session_id
ORDER BY started_at NULLS LAST, session_id
LIMIT $most;

-- name: plan_model_calls
-- When the model's answers on a plan's tasks were complete.
SELECT session_id, ended_at
FROM v1_model_calls
WHERE parent_session_id = $session_id AND ended_at IS NOT NULL
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

-- name: experiment_spend
-- What the finished trials of an experiment consumed, under the names of its caps.
SELECT
    coalesce(sum(cost_usd), 0)::DOUBLE AS usd, coalesce(sum(total_tokens), 0)::DOUBLE AS tokens,
    coalesce(sum(duration_seconds), 0)::DOUBLE AS seconds
FROM v1_trials
WHERE experiment_id = $experiment_id AND status = 'completed';

-- name: pools
-- The pools of plans that are not done, as their size last changed.
WITH sizes AS MATERIALIZED (
    SELECT session_id, event ->> '$.plan_id' AS plan_id, event, seq, processed_at, arm, trial_id
    FROM v1_events
    WHERE type = 'pool.resized'
),

done AS MATERIALIZED (
    SELECT session_id, event ->> '$.plan_id' AS plan_id
    FROM v1_events
    WHERE type = 'plan.completed' AND session_id IN (SELECT session_id FROM sizes)
),

ended AS MATERIALIZED (
    SELECT trial_id
    FROM v1_events
    WHERE type IN ('trial.completed', 'trial.failed') AND trial_id IN (SELECT trial_id FROM sizes)
)

SELECT
    session_id, plan_id, any_value(arm) AS arm, any_value(trial_id) AS trial_id, arg_max((event ->> '$.size')::INTEGER, seq) AS size,
    max((event ->> '$.size')::INTEGER) AS largest, arg_max((event ->> '$.waiting')::INTEGER, seq) AS waiting,
    max(processed_at) AS changed_at
FROM sizes
WHERE
    (session_id, plan_id) NOT IN (SELECT (session_id, plan_id) FROM done)
    AND (trial_id IS NULL OR trial_id NOT IN (SELECT trial_id FROM ended))
GROUP BY session_id, plan_id
ORDER BY changed_at DESC NULLS LAST, plan_id
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

-- name: plan_tasks
-- The tasks of the plans of a trial, or of a session of its own, as v1_tasks has them; that view reads those of all.
WITH own AS (
    SELECT type, position, processed_at, content, duration_ms, event
    FROM (
        SELECT * FROM v1_events WHERE trial_id = $of
        UNION ALL
        SELECT * FROM v1_events WHERE session_id = $of
    )
    WHERE type IN ('plan.created', 'task.started', 'task.completed', 'task.failed')
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

-- name: plan_conflicts
-- What tasks of a trial, or of a plan of its own, wrote in one another's way, and what the orchestrator decided.
SELECT
    event ->> '$.resource' AS resource, event ->> '$.task_id' AS task_id,
    count(*) FILTER (WHERE type = 'lock.conflict') AS refused,
    count(*) FILTER (WHERE type = 'mediation.requested') AS asked,
    count(*) FILTER (WHERE type = 'mediation.decided') AS decided,
    arg_max(event ->> '$.note', seq) FILTER (WHERE type = 'mediation.decided') AS note
FROM (
    SELECT * FROM v1_events WHERE trial_id = $of
    UNION ALL
    SELECT * FROM v1_events WHERE session_id = $of
)
WHERE type IN ('lock.conflict', 'mediation.requested', 'mediation.decided')
GROUP BY ALL
ORDER BY refused DESC, resource, task_id
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

-- name: memory_stores
-- The names that memory stores have, those last dreamt for in front; those that experiments made come after.
SELECT store, max(position) AS last
FROM (
    SELECT event ->> '$.name' AS store, position FROM v1_events WHERE type = 'memory_store.created'
    UNION ALL
    SELECT event ->> '$.store' AS store, position FROM v1_events WHERE type = 'dream.created'
)
GROUP BY store
ORDER BY starts_with(store, 'exp_'), last DESC
LIMIT $most;

-- name: store_versions
-- The versions of a store, newest first, with their memories by state.
WITH made AS (
    SELECT
        session_id AS store_id, event ->> '$.dream_id' AS dream_id, event ->> '$.input_store_id' AS input_store_id,
        coalesce(processed_at, recorded_at) AS made_at, position
    FROM v1_events
    WHERE type = 'memory_store.created' AND event ->> '$.name' = $store
    ORDER BY position DESC
    LIMIT $most
)

SELECT
    made.store_id, made.dream_id, made.input_store_id, made.made_at,
    count(*) FILTER (WHERE state = 'active') AS active,
    count(*) FILTER (WHERE state = 'candidate') AS candidate,
    count(*) FILTER (WHERE state = 'quarantined') AS quarantined,
    count(*) FILTER (WHERE state = 'archived') AS archived,
    count(*) FILTER (WHERE state IN ('expired', 'cold')) AS hidden
FROM made
LEFT JOIN v1_memories ON made.store_id = v1_memories.store_id
GROUP BY ALL
ORDER BY max(made.position) DESC;

-- name: dreams
-- The dreams for a store, newest first. A dream done again counts as it first began and ended; the last word on it holds.
WITH steps AS (
    SELECT session_id, seq, position, type, coalesce(processed_at, recorded_at) AS happened_at, event::JSON AS event
    FROM v1_events
    WHERE type LIKE 'dream.%'
),

told AS (
    SELECT
        session_id AS dream_id,
        min(position) AS position,
        min(happened_at) FILTER (WHERE type = 'dream.created') AS began_at,
        arg_min(event, seq) FILTER (WHERE type = 'dream.created') AS created,
        arg_min(event, seq) FILTER (WHERE type = 'dream.completed') AS completed,
        arg_max(event, seq) FILTER (WHERE type = 'dream.failed') AS failed,
        arg_max(event, seq) FILTER (WHERE type = 'dream.tried') AS tried,
        arg_max(event, seq) FILTER (WHERE type IN ('dream.adopted', 'dream.rejected', 'dream.rolled_back')) AS verdict,
        max(happened_at) FILTER (WHERE type IN ('dream.adopted', 'dream.rejected', 'dream.rolled_back')) AS decided_at
    FROM steps
    GROUP BY session_id
)

SELECT
    dream_id, began_at, decided_at,
    created ->> '$.input_store_id' AS input_store_id,
    created ->> '$.rules' AS rules,
    created ->> '$.mode' AS mode,
    created ->> '$.tenant' AS tenant,
    json_array_length(created, '$.session_ids')::BIGINT AS sessions,
    completed ->> '$.output_store_id' AS output_store_id,
    completed -> '$.counts' AS counts,
    completed -> '$.gates' AS gates,
    completed -> '$.alarms' AS alarms,
    completed -> '$.findings' AS findings,
    failed ->> '$.error.message' AS error,
    tried::VARCHAR AS tried,
    verdict ->> '$.approved_by' AS approved_by,
    verdict ->> '$.reason' AS rejected_because,
    CASE
        WHEN verdict IS NOT NULL THEN replace(verdict ->> '$.type', 'dream.', '')
        WHEN completed IS NOT NULL THEN completed ->> '$.status'
        WHEN failed IS NOT NULL THEN 'failed'
        ELSE 'running'
    END AS status
FROM told
WHERE created ->> '$.store' = $store
ORDER BY position DESC
LIMIT $most;

-- name: store_memories
-- All memories of a store as they stand, hidden ones too.
SELECT path, content_sha256, versions, dream_id, attributes::JSON AS attributes
FROM v1_memories
WHERE store_id = $store_id
ORDER BY path;

-- name: memory_history
-- What became of one path in every version of a store, oldest first.
SELECT
    session_id AS store_id, type, event ->> '$.actor' AS actor, event ->> '$.dream_id' AS dream_id,
    event ->> '$.content_sha256' AS content_sha256, coalesce(processed_at, recorded_at) AS at,
    (event -> '$.attributes')::JSON AS attributes
FROM v1_events
WHERE
    type IN ('memory.created', 'memory.modified', 'memory.deleted')
    AND event ->> '$.path' = $path
    AND session_id IN (
        SELECT session_id FROM v1_events WHERE type = 'memory_store.created' AND event ->> '$.name' = $store
    )
ORDER BY position DESC
LIMIT $most;

-- name: memory_effects
-- The measurements of what memory is worth, newest first.
SELECT
    event_id, event ->> '$.suite' AS suite, event ->> '$.brain' AS brain, event ->> '$.rules' AS rules, processed_at AS at
FROM v1_events
WHERE session_id = $log AND type = 'memory.effect_measured'
ORDER BY seq DESC
LIMIT $most;

-- name: memory_effect
-- One measurement of what memory is worth.
SELECT event::JSON AS body FROM v1_events WHERE session_id = $log AND event_id = $event_id;
