-- v1_trials: every trial with its scores, its verdicts and what it used.
-- Grain: one trial, however often it was attempted; its result if it has one, else its latest attempt.
-- Key: trial_id.
-- Columns:
--   experiment_id: the experiment
--   trial_id: the trial
--   arm: the arm compared
--   sample_id: the sample worked on
--   epoch: which repeat of the sample, from 0
--   brain: what answered: reader, simulated, recorded, local:<name> or a model id
--   simulated: whether the result was drawn from a declared distribution; never pool it with real ones
--   status: completed, errored or started
--   attempt: the attempt this row tells of, from 1
--   session_id: the trial's root session
--   accuracy: share of decisions that were right (0 to 1)
--   completeness: share of what had to be found that was found (0 to 1)
--   consistency: stability over repeats of the sample (0 to 1); null where it cannot be had
--   efficiency: quality for the resources used (0 to 1); null where it cannot be had
--   format: share of the answer that follows its form (0 to 1)
--   scores: all dimension scores (JSON)
--   recall: share of true findings that were reported (0 to 1)
--   precision: share of reported findings that were true (0 to 1)
--   false_flags: findings reported that are none (count)
--   metrics: all the suite counts (JSON, the suite's units)
--   strict: whether the result passes the strict tier
--   standard: whether the result passes the standard tier
--   lenient: whether the result passes the lenient tier
--   input_tokens: uncached tokens read (tokens)
--   output_tokens: tokens written (tokens)
--   cache_creation_input_tokens: tokens read and put into the prompt cache (tokens)
--   cache_read_input_tokens: tokens read from the prompt cache (tokens)
--   total_tokens: the four classes together (tokens)
--   tool_calls: tool calls made (count)
--   model_calls: model requests made (count)
--   duration_seconds: wall time (seconds)
--   cost_usd: tokens at list price plus session-hours, as recorded (US dollars); null where the model's price is not known
--   pages: length of the document (pages); null where the suite has none
--   sample: facts about the sample (JSON)
--   answer: what the arm handed in (JSON)
--   error: why it ended without a result
--   started_at: start of its first attempt (UTC)
--   ended_at: when its result or its failure was recorded (UTC)
CREATE OR REPLACE VIEW v1_trials AS
WITH starts AS (
    SELECT trial_id, min(processed_at) AS started_at
    FROM trial_events
    WHERE type = 'trial.started'
    GROUP BY trial_id
),

brains AS (
    SELECT experiment_id, any_value(event ->> '$.manifest.brain') AS brain
    FROM all_events
    WHERE type = 'experiment.created'
    GROUP BY experiment_id
),

typed AS (
    SELECT
        *,
        CASE type WHEN 'trial.completed' THEN 'completed' WHEN 'trial.failed' THEN 'errored' ELSE 'started' END AS status
    FROM trial_events
    QUALIFY row_number() OVER (PARTITION BY trial_id ORDER BY type = 'trial.completed' DESC, position DESC) = 1
)

SELECT
    typed.experiment_id,
    typed.trial_id,
    typed.arm,
    typed.sample_id,
    typed.epoch,
    coalesce(typed.brain, brains.brain) AS brain,
    coalesce(typed.brain, brains.brain) IS NOT DISTINCT FROM 'simulated' AS simulated,
    typed.status,
    typed.attempt,
    typed.trial_session_id AS session_id,
    typed.accuracy,
    typed.completeness,
    typed.consistency,
    typed.efficiency,
    typed.format,
    typed.scores,
    typed.recall,
    typed.precision,
    typed.false_flags,
    typed.metrics,
    typed.strict,
    typed.standard,
    typed.lenient,
    typed.input_tokens,
    typed.output_tokens,
    typed.cache_creation_input_tokens,
    typed.cache_read_input_tokens,
    CASE WHEN typed.status = 'completed' THEN
        coalesce(typed.input_tokens, 0) + coalesce(typed.output_tokens, 0)
        + coalesce(typed.cache_creation_input_tokens, 0) + coalesce(typed.cache_read_input_tokens, 0)
    END AS total_tokens,
    typed.tool_calls,
    typed.model_calls,
    typed.duration_seconds,
    typed.cost_usd,
    typed.pages,
    typed.sample,
    typed.answer,
    typed.error,
    starts.started_at,
    CASE WHEN typed.type <> 'trial.started' THEN typed.processed_at END AS ended_at
FROM typed
LEFT JOIN starts ON typed.trial_id = starts.trial_id
LEFT JOIN brains ON typed.experiment_id = brains.experiment_id;
