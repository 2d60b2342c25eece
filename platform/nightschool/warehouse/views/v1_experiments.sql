-- v1_experiments: every experiment with its manifest and how much of it is recorded.
-- Grain: one experiment.
-- Key: experiment_id.
-- Columns:
--   experiment_id: the experiment
--   suite: name of the suite
--   arms: names of the arms compared (JSON list)
--   repeats: times each sample is drawn per arm (count)
--   seed: the seed everything random was drawn from
--   brain: what answered: reader, simulated, recorded, local:<name> or a model id
--   simulated: whether the answers were drawn from a declared distribution instead of given by a reader
--   manifest_hash: hash of the manifest, taken before the first trial
--   created_at: when it was created (UTC)
--   completed_at: when its last trial was recorded (UTC); null while unfinished
--   result_hash: hash over all results; null while unfinished
--   expected: trials the manifest asks for (count); null where the manifest does not say
--   recorded: trials with a result (count)
--   errored: trials that ended without one (count)
--   manifest: the whole manifest (JSON)
CREATE OR REPLACE VIEW v1_experiments AS
WITH created AS (
    SELECT
        experiment_id,
        event ->> '$.manifest.suite' AS suite,
        event -> '$.manifest.arms' AS arms,
        TRY_CAST(event ->> '$.manifest.repeats' AS BIGINT) AS repeats,
        TRY_CAST(event ->> '$.manifest.seed' AS BIGINT) AS seed,
        event ->> '$.manifest.brain' AS brain,
        event ->> '$.manifest_hash' AS manifest_hash,
        TRY_CAST(event ->> '$.manifest.expected' AS BIGINT) AS expected,
        event -> '$.manifest' AS manifest,
        processed_at AS created_at
    FROM all_events
    WHERE type = 'experiment.created'
    QUALIFY row_number() OVER (PARTITION BY experiment_id ORDER BY position) = 1
),

completed AS (
    SELECT
        experiment_id,
        max(processed_at) AS completed_at,
        arg_max(event ->> '$.result_hash', position) AS result_hash
    FROM all_events
    WHERE type = 'experiment.completed'
    GROUP BY 1
),

outcomes AS (
    SELECT
        experiment_id,
        count(*) FILTER (WHERE has_result) AS recorded,
        count(*) FILTER (WHERE NOT has_result AND last_type = 'trial.failed') AS errored
    FROM (
        SELECT
            experiment_id,
            trial_id,
            bool_or(type = 'trial.completed') AS has_result,
            arg_max(type, position) AS last_type
        FROM trial_events
        GROUP BY experiment_id, trial_id
    )
    GROUP BY experiment_id
)

SELECT
    created.experiment_id,
    created.suite,
    created.arms,
    created.repeats,
    created.seed,
    created.brain,
    created.brain IS NOT DISTINCT FROM 'simulated' AS simulated,
    created.manifest_hash,
    created.created_at,
    completed.completed_at,
    completed.result_hash,
    created.expected,
    coalesce(outcomes.recorded, 0) AS recorded,
    coalesce(outcomes.errored, 0) AS errored,
    created.manifest
FROM created
LEFT JOIN completed ON created.experiment_id = completed.experiment_id
LEFT JOIN outcomes ON created.experiment_id = outcomes.experiment_id;
