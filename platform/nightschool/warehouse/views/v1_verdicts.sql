-- v1_verdicts: every judgement whether a result is good enough.
-- Grain: one trial at one tier (source trial), or one round of an outcome loop (source outcome).
-- Key: verdict_id.
-- Columns:
--   verdict_id: the judging event's id, with the tier for trials
--   source: trial (graded at the end, once per tier) or outcome (graded in the loop)
--   experiment_id: the experiment it belongs to
--   trial_id: the trial it belongs to
--   arm: the arm of that trial
--   sample_id: the sample of that trial; null for source outcome
--   task_id: the task judged; null for source trial
--   session_id: the session whose result was judged
--   outcome_id: the outcome asked for; null for source trial
--   iteration: round of the outcome loop, from 0; null for source trial
--   tier: strict, standard or lenient
--   result: satisfied, needs_revision, max_iterations_reached, failed or interrupted
--   passed: whether the result was good enough
--   accuracy: share of decisions that were right (0 to 1)
--   completeness: share of what had to be found that was found (0 to 1)
--   consistency: stability over repeats (0 to 1)
--   efficiency: quality for the resources used (0 to 1)
--   format: share of the answer that follows its form (0 to 1)
--   scores: all dimension scores (JSON)
--   explanation: the grader's words; null for source trial
--   judged_at: when it was judged (UTC)
CREATE OR REPLACE VIEW v1_verdicts AS
WITH completed AS (
    SELECT
        *,
        unnest(['strict', 'standard', 'lenient']) AS tier,
        unnest([strict, standard, lenient]) AS passed
    FROM (
        SELECT *
        FROM trial_events
        WHERE type = 'trial.completed'
        QUALIFY row_number() OVER (PARTITION BY trial_id ORDER BY position DESC) = 1
    )
)

SELECT
    event_id || ':' || tier AS verdict_id,
    'trial' AS source,
    experiment_id,
    trial_id,
    arm,
    sample_id,
    NULL::VARCHAR AS task_id,
    trial_session_id AS session_id,
    NULL::VARCHAR AS outcome_id,
    NULL::BIGINT AS iteration,
    tier,
    CASE WHEN passed THEN 'satisfied' ELSE 'failed' END AS result,
    passed,
    accuracy,
    completeness,
    consistency,
    efficiency,
    format,
    scores,
    NULL::VARCHAR AS explanation,
    processed_at AS judged_at
FROM completed
WHERE passed IS NOT NULL
UNION ALL
SELECT
    event_id,
    'outcome',
    experiment_id,
    trial_id,
    arm,
    NULL,
    task_id,
    session_id,
    event ->> '$.outcome_id',
    TRY_CAST(event ->> '$.iteration' AS BIGINT),
    event ->> '$.tier',
    event ->> '$.result',
    success,
    TRY_CAST(event ->> '$.scores.accuracy' AS DOUBLE),
    TRY_CAST(event ->> '$.scores.completeness' AS DOUBLE),
    TRY_CAST(event ->> '$.scores.consistency' AS DOUBLE),
    TRY_CAST(event ->> '$.scores.efficiency' AS DOUBLE),
    TRY_CAST(event ->> '$.scores.format' AS DOUBLE),
    event -> '$.scores',
    content,
    processed_at
FROM all_events
WHERE type = 'span.outcome_evaluation_end';
