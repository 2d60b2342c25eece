-- v1_verdicts: every judgement whether a result is good enough.
-- Grain: one trial at one tier (source trial), one round of an outcome loop (outcome), one attempt at a task (task).
-- Key: verdict_id.
-- Columns:
--   verdict_id: the judging event's id, with the tier for trials
--   source: trial (graded at the end, once per tier), outcome (graded in the loop) or task (graded in a plan)
--   experiment_id: the experiment it belongs to
--   trial_id: the trial it belongs to
--   arm: the arm of that trial
--   sample_id: the sample of that trial; null elsewhere
--   task_id: the task judged; null for source trial
--   session_id: the session whose result was judged; null for the result of a task done by code
--   outcome_id: the outcome asked for; null elsewhere than for source outcome
--   iteration: round of the outcome loop, from 0; for source task the attempt, from 0; null for source trial
--   tier: strict, standard or lenient
--   result: satisfied, needs_revision, max_iterations_reached, failed or interrupted; for source task satisfied, or what followed: rerun, fallback or escalate
--   passed: whether the result was good enough
--   accuracy: share of decisions that were right (0 to 1)
--   completeness: share of what had to be found that was found (0 to 1)
--   consistency: stability over repeats (0 to 1)
--   efficiency: quality for the resources used (0 to 1)
--   format: share of the answer that follows its form (0 to 1)
--   scores: all dimension scores (JSON)
--   explanation: the grader's words; null for source trial
--   judged_at: when it was judged (UTC)
--   routing: how the arm routes its work: single, subagents or orchestrated; for source task outside experiments orchestrated; null where it was not recorded
--   brain: what answered: reader, simulated, recorded, local:<name> or a model id; for source task the agent's model
--   margin: the least score (strict) or the weighted mean, minus the tier's threshold, or the one declared for the task; negative below it
--   total_tokens: tokens of the trial, of this round of grading for source outcome, of the attempt and its grading for source task (tokens)
--   cost_usd: cost of the trial as recorded (US dollars); null elsewhere or for an unknown price
--   duration_seconds: wall time of the trial, or how long the attempt took (seconds); null for source outcome
--   is_asked: whether this tier is the one that the work was held to
--   tier_reason: where that tier comes from: asked for, declared, or inferred from the field; null where not recorded
--   tier_confidence: probability of the field it was inferred from (0 to 1); null where nothing was inferred
--   plan_id: the plan of the task; null elsewhere than for source task
--   agent: who did the task; null elsewhere, or where code did it
--   policy: how that agent was chosen; null as agent
--   next: what followed the verdict: accept, rerun, fallback or escalate; null elsewhere than for source task
CREATE OR REPLACE VIEW v1_verdicts AS
WITH declared AS (
    SELECT
        experiment_id,
        coalesce(TRY_CAST(event ->> '$.manifest.weights.accuracy' AS DOUBLE), 1) AS accuracy_weight,
        coalesce(TRY_CAST(event ->> '$.manifest.weights.completeness' AS DOUBLE), 1) AS completeness_weight,
        coalesce(TRY_CAST(event ->> '$.manifest.weights.consistency' AS DOUBLE), 1) AS consistency_weight,
        coalesce(TRY_CAST(event ->> '$.manifest.weights.efficiency' AS DOUBLE), 1) AS efficiency_weight,
        coalesce(TRY_CAST(event ->> '$.manifest.weights.format' AS DOUBLE), 1) AS format_weight,
        event ->> '$.manifest.brain' AS brain,
        event -> '$.manifest.routings' AS routings,
        event ->> '$.manifest.tier' AS asked_tier,
        nullif(event ->> '$.manifest.tier_reason', '') AS tier_reason,
        TRY_CAST(event ->> '$.manifest.tier_confidence' AS DOUBLE) AS tier_confidence
    FROM all_events
    WHERE type = 'experiment.created'
    QUALIFY row_number() OVER (PARTITION BY experiment_id ORDER BY position) = 1
),

started AS (
    SELECT
        event ->> '$.plan_id' AS plan_id,
        event ->> '$.task_id' AS task_id,
        event ->> '$.attempt' AS attempt,
        any_value(event ->> '$.policy') AS policy
    FROM all_events
    WHERE type = 'task.started'
    GROUP BY ALL
),

worked AS (
    SELECT
        session_id,
        any_value(event ->> '$.agent.model') AS model
    FROM all_events
    WHERE type = 'session.created'
    GROUP BY session_id
),

completed AS (
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
),

verdicts AS (
    SELECT
        completed.event_id || ':' || completed.tier AS verdict_id,
        'trial' AS source,
        completed.experiment_id,
        completed.trial_id,
        completed.arm,
        completed.sample_id,
        NULL::VARCHAR AS task_id,
        completed.trial_session_id AS session_id,
        NULL::VARCHAR AS outcome_id,
        NULL::BIGINT AS iteration,
        completed.tier,
        CASE WHEN completed.passed THEN 'satisfied' ELSE 'failed' END AS result,
        completed.passed,
        completed.accuracy,
        completed.completeness,
        completed.consistency,
        completed.efficiency,
        completed.format,
        completed.scores,
        NULL::VARCHAR AS explanation,
        completed.processed_at AS judged_at,
        coalesce(completed.brain, declared.brain) AS brain,
        declared.routings,
        completed.tier IS NOT DISTINCT FROM declared.asked_tier AS is_asked,
        declared.tier_reason,
        declared.tier_confidence,
        coalesce(declared.accuracy_weight, 1) AS accuracy_weight,
        coalesce(declared.completeness_weight, 1) AS completeness_weight,
        coalesce(declared.consistency_weight, 1) AS consistency_weight,
        coalesce(declared.efficiency_weight, 1) AS efficiency_weight,
        coalesce(declared.format_weight, 1) AS format_weight,
        coalesce(completed.input_tokens, 0)
        + coalesce(completed.output_tokens, 0)
        + coalesce(completed.cache_creation_input_tokens, 0)
        + coalesce(completed.cache_read_input_tokens, 0) AS total_tokens,
        completed.cost_usd,
        completed.duration_seconds
    FROM completed
    LEFT JOIN declared ON completed.experiment_id = declared.experiment_id
    WHERE completed.passed IS NOT NULL
    UNION ALL BY NAME
    -- A round of a loop weighs all dimensions alike, as the loop's grader does.
    SELECT
        judged.event_id AS verdict_id,
        'outcome' AS source,
        judged.experiment_id,
        judged.trial_id,
        judged.arm,
        judged.task_id,
        judged.session_id,
        judged.event ->> '$.outcome_id' AS outcome_id,
        TRY_CAST(judged.event ->> '$.iteration' AS BIGINT) AS iteration,
        judged.event ->> '$.tier' AS tier,
        judged.event ->> '$.result' AS result,
        judged.success AS passed,
        TRY_CAST(judged.event ->> '$.scores.accuracy' AS DOUBLE) AS accuracy,
        TRY_CAST(judged.event ->> '$.scores.completeness' AS DOUBLE) AS completeness,
        TRY_CAST(judged.event ->> '$.scores.consistency' AS DOUBLE) AS consistency,
        TRY_CAST(judged.event ->> '$.scores.efficiency' AS DOUBLE) AS efficiency,
        TRY_CAST(judged.event ->> '$.scores.format' AS DOUBLE) AS format,
        judged.event -> '$.scores' AS scores,
        judged.content AS explanation,
        judged.processed_at AS judged_at,
        declared.brain,
        declared.routings,
        true AS is_asked,
        judged.event ->> '$.tier_reason' AS tier_reason,
        TRY_CAST(judged.event ->> '$.tier_confidence' AS DOUBLE) AS tier_confidence,
        1::DOUBLE AS accuracy_weight,
        1::DOUBLE AS completeness_weight,
        1::DOUBLE AS consistency_weight,
        1::DOUBLE AS efficiency_weight,
        1::DOUBLE AS format_weight,
        coalesce(TRY_CAST(judged.event ->> '$.usage.input_tokens' AS BIGINT), 0)
        + coalesce(TRY_CAST(judged.event ->> '$.usage.output_tokens' AS BIGINT), 0)
        + coalesce(TRY_CAST(judged.event ->> '$.usage.cache_creation_input_tokens' AS BIGINT), 0)
        + coalesce(TRY_CAST(judged.event ->> '$.usage.cache_read_input_tokens' AS BIGINT), 0) AS total_tokens
    FROM all_events AS judged
    LEFT JOIN declared ON judged.experiment_id = declared.experiment_id
    WHERE judged.type = 'span.outcome_evaluation_end'
    UNION ALL BY NAME
    -- The rubric of a task may have dimensions of its own: its margin was recorded.
    SELECT
        judged.event_id AS verdict_id,
        'task' AS source,
        judged.experiment_id,
        judged.trial_id,
        judged.arm,
        judged.event ->> '$.task_id' AS task_id,
        judged.event ->> '$.task_session_id' AS session_id,
        TRY_CAST(judged.event ->> '$.attempt' AS BIGINT) - 1 AS iteration,
        judged.event ->> '$.tier' AS tier,
        CASE WHEN judged.success THEN 'satisfied' ELSE judged.event ->> '$.next' END AS result,
        judged.success AS passed,
        TRY_CAST(judged.event ->> '$.scores.accuracy' AS DOUBLE) AS accuracy,
        TRY_CAST(judged.event ->> '$.scores.completeness' AS DOUBLE) AS completeness,
        TRY_CAST(judged.event ->> '$.scores.consistency' AS DOUBLE) AS consistency,
        TRY_CAST(judged.event ->> '$.scores.efficiency' AS DOUBLE) AS efficiency,
        TRY_CAST(judged.event ->> '$.scores.format' AS DOUBLE) AS format,
        judged.event -> '$.scores' AS scores,
        list_aggregate(TRY_CAST(judged.event -> '$.feedback' AS VARCHAR[]), 'string_agg', '; ') AS explanation,
        judged.processed_at AS judged_at,
        worked.model AS brain,
        declared.routings,
        judged.event ->> '$.tier' IS NOT NULL AS is_asked,
        1::DOUBLE AS accuracy_weight,
        1::DOUBLE AS completeness_weight,
        1::DOUBLE AS consistency_weight,
        1::DOUBLE AS efficiency_weight,
        1::DOUBLE AS format_weight,
        coalesce(TRY_CAST(judged.event ->> '$.tokens' AS BIGINT), 0)
        + coalesce(TRY_CAST(judged.event ->> '$.usage.input_tokens' AS BIGINT), 0)
        + coalesce(TRY_CAST(judged.event ->> '$.usage.output_tokens' AS BIGINT), 0)
        + coalesce(TRY_CAST(judged.event ->> '$.usage.cache_creation_input_tokens' AS BIGINT), 0)
        + coalesce(TRY_CAST(judged.event ->> '$.usage.cache_read_input_tokens' AS BIGINT), 0) AS total_tokens,
        judged.duration_ms / 1000 AS duration_seconds,
        TRY_CAST(judged.event ->> '$.margin' AS DOUBLE) AS own_margin,
        judged.event ->> '$.plan_id' AS plan_id,
        judged.agent_id AS agent,
        started.policy,
        judged.event ->> '$.next' AS next
    FROM all_events AS judged
    LEFT JOIN declared ON judged.experiment_id = declared.experiment_id
    LEFT JOIN started
        ON started.plan_id = judged.event ->> '$.plan_id'
        AND started.task_id = judged.event ->> '$.task_id'
        AND started.attempt = judged.event ->> '$.attempt'
    LEFT JOIN worked ON worked.session_id = judged.event ->> '$.task_session_id'
    WHERE judged.type = 'task.graded'
),

weighed AS (
    SELECT
        *,
        least(accuracy, completeness, consistency, efficiency, format) AS lowest,
        (
            coalesce(accuracy * accuracy_weight, 0)
            + coalesce(completeness * completeness_weight, 0)
            + coalesce(consistency * consistency_weight, 0)
            + coalesce(efficiency * efficiency_weight, 0)
            + coalesce(format * format_weight, 0)
        ) / nullif(
            CASE WHEN accuracy IS NULL THEN 0 ELSE accuracy_weight END
            + CASE WHEN completeness IS NULL THEN 0 ELSE completeness_weight END
            + CASE WHEN consistency IS NULL THEN 0 ELSE consistency_weight END
            + CASE WHEN efficiency IS NULL THEN 0 ELSE efficiency_weight END
            + CASE WHEN format IS NULL THEN 0 ELSE format_weight END,
            0
        ) AS mean
    FROM verdicts
)

SELECT
    verdict_id,
    source,
    experiment_id,
    trial_id,
    arm,
    sample_id,
    task_id,
    session_id,
    outcome_id,
    iteration,
    tier,
    result,
    passed,
    accuracy,
    completeness,
    consistency,
    efficiency,
    format,
    scores,
    explanation,
    judged_at,
    CASE
        WHEN source = 'task' AND experiment_id IS NULL THEN 'orchestrated'
        ELSE json_extract_string(routings, '$."' || arm || '"')
    END AS routing,
    brain,
    CASE
        WHEN source = 'task' THEN own_margin
        WHEN tier = 'strict' THEN lowest - 0.9
        WHEN tier = 'standard' THEN mean - 0.75
        WHEN tier = 'lenient' THEN mean - 0.6
    END AS margin,
    total_tokens,
    cost_usd,
    duration_seconds,
    is_asked,
    tier_reason,
    tier_confidence,
    plan_id,
    agent,
    policy,
    next
FROM weighed;
