-- v1_costs: what everything cost, each token counted once.
-- Grain: one trial with a result (scope trial), or one session outside every trial (scope session).
-- Key: id.
-- Columns:
--   id: the trial's or the session's id
--   scope: trial or session
--   experiment_id: the experiment; null for sessions outside of one
--   arm: the arm of the trial
--   brain: what answered: reader, simulated, recorded, local:<name> or a model id
--   simulated: whether the numbers were drawn from a declared distribution
--   session_id: the session, or the trial's root session
--   input_tokens: uncached tokens read (tokens)
--   output_tokens: tokens written (tokens)
--   cache_creation_input_tokens: tokens read and put into the prompt cache (tokens)
--   cache_read_input_tokens: tokens read from the prompt cache (tokens)
--   total_tokens: the four classes together (tokens)
--   tool_calls: tool calls made (count)
--   model_calls: model requests made (count)
--   duration_seconds: wall time of the trial, or of the session's model requests (seconds)
--   cost_usd: tokens at list price plus session-hours, as recorded (US dollars); null for scope session
--   ended_at: when the trial was recorded, or the session's last event (UTC)
CREATE OR REPLACE VIEW v1_costs AS
SELECT
    trial_id AS id,
    'trial' AS scope,
    experiment_id,
    arm,
    brain,
    simulated,
    session_id,
    input_tokens,
    output_tokens,
    cache_creation_input_tokens,
    cache_read_input_tokens,
    total_tokens,
    tool_calls,
    model_calls,
    duration_seconds,
    cost_usd,
    ended_at
FROM v1_trials
WHERE status = 'completed'
UNION ALL
SELECT
    session_id,
    'session',
    experiment_id,
    arm,
    model,
    model IS NOT DISTINCT FROM 'simulated',
    session_id,
    input_tokens,
    output_tokens,
    cache_creation_input_tokens,
    cache_read_input_tokens,
    total_tokens,
    tool_calls,
    model_calls,
    model_ms / 1000,
    NULL,
    ended_at
FROM v1_sessions
WHERE trial_id IS NULL;
