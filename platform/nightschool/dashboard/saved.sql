-- Questions to begin with, each under a name. Short ones, over the documented views only.

-- name: Which routing gave which quality at which cost
SELECT
    experiment_id, arm, brain, count(*) AS trials, avg(recall) AS recall, avg(accuracy) AS accuracy,
    avg(total_tokens) AS tokens, avg(cost_usd) AS cost_usd, avg(duration_seconds) AS seconds
FROM v1_trials
WHERE status = 'completed'
GROUP BY ALL
ORDER BY experiment_id DESC, arm;

-- name: How far results lie from each tier's threshold
SELECT routing, tier, avg(passed::INT) AS pass_rate, avg(margin) AS margin, count(*) AS verdicts
FROM v1_verdicts
WHERE source = 'trial'
GROUP BY ALL
ORDER BY routing, tier;

-- name: Which choice of agents gave which quality in plans
SELECT
    routing, policy, agent, brain, tier, count(*) AS verdicts, avg(passed::INT) AS pass_rate, avg(margin) AS margin,
    sum(total_tokens) AS tokens
FROM v1_verdicts
WHERE source = 'task'
GROUP BY ALL
ORDER BY routing, policy, agent;

-- name: The slowest model calls
SELECT ended_at, model, duration_ms, time_to_first_token_ms, total_tokens, session_id
FROM v1_model_calls
ORDER BY duration_ms DESC NULLS LAST
LIMIT 100;

-- name: Which tools fail
SELECT tool, count(*) AS calls, count(*) FILTER (WHERE status = 'failed') AS failed, avg(duration_ms) AS milliseconds
FROM v1_tool_calls
GROUP BY tool
ORDER BY failed DESC, calls DESC;

-- name: Why trials ended without a result
SELECT experiment_id, arm, error, count(*) AS trials
FROM v1_trials
WHERE status = 'errored'
GROUP BY ALL
ORDER BY trials DESC;

-- name: The documents on which the arms differ most
SELECT sample_id, max(score) - min(score) AS apart, arg_max(arm, score) AS best, arg_min(arm, score) AS worst
FROM (
    SELECT sample_id, arm, avg(accuracy) AS score
    FROM v1_trials
    WHERE status = 'completed'
    GROUP BY ALL
)
GROUP BY sample_id
ORDER BY apart DESC
LIMIT 50;

-- name: Tasks that had to be tried again
SELECT arm, title, attempts, status, duration_ms, error, session_id
FROM v1_tasks
WHERE attempts > 1
ORDER BY attempts DESC
LIMIT 100;
