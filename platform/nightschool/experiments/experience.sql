-- What past tasks of one model taught, by kind of task and agent.
-- A row: kind of task, agent, good results, bad ones, tasks whose tokens were counted, their mean.
SELECT
    coalesce(tasks.task ->> '$.type', 'task') AS task_type,
    tasks.agent,
    count(*) FILTER (WHERE tasks.status = 'completed' AND tasks.note IS NULL) AS good,
    count(*) FILTER (WHERE tasks.status = 'failed' OR tasks.note IS NOT NULL)
        + coalesce(sum(tasks.sent_back), 0)::BIGINT AS bad,
    count(tasks.tokens) AS counted,
    avg(tasks.tokens) AS mean_tokens
FROM v1_tasks AS tasks
INNER JOIN v1_sessions AS sessions ON sessions.session_id = tasks.task_session_id
WHERE tasks.agent IS NOT NULL AND tasks.status IN ('completed', 'failed') AND sessions.model = $model
GROUP BY ALL
ORDER BY ALL
