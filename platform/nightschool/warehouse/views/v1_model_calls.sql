-- v1_model_calls: every finished model request.
-- Grain: one request that was answered or failed.
-- Key: model_request_id.
-- Columns:
--   model_request_id: id of the span.model_request_start event
--   session_id: the session that asked
--   seq: place of the request's end in the session
--   ended_at: when the answer was complete (UTC)
--   agent_id: the agent that asked
--   model: the model asked; null where the log does not say
--   input_tokens: uncached tokens read (tokens)
--   output_tokens: tokens written (tokens)
--   cache_creation_input_tokens: tokens read and put into the prompt cache (tokens)
--   cache_read_input_tokens: tokens read from the prompt cache (tokens)
--   total_tokens: the four classes together (tokens)
--   duration_ms: from request to complete answer (milliseconds)
--   time_to_first_token_ms: from request to the first token (milliseconds)
--   stop_reason: why the model stopped: end_turn, tool_use, max_tokens, refusal ...
--   is_error: whether the request failed
--   parent_session_id: the session that started this one
--   experiment_id: the experiment it belongs to
--   trial_id: the trial it belongs to
--   arm: the arm of that trial
--   task_id: the task it belongs to
CREATE OR REPLACE VIEW v1_model_calls AS
SELECT
    answers AS model_request_id,
    session_id,
    seq,
    processed_at AS ended_at,
    agent_id,
    model,
    input_tokens,
    output_tokens,
    cache_creation_input_tokens,
    cache_read_input_tokens,
    coalesce(input_tokens, 0) + coalesce(output_tokens, 0) + coalesce(cache_creation_input_tokens, 0)
    + coalesce(cache_read_input_tokens, 0) AS total_tokens,
    duration_ms,
    time_to_first_token_ms,
    stop_reason,
    NOT success AS is_error,
    parent_session_id,
    experiment_id,
    trial_id,
    arm,
    task_id
FROM all_events
WHERE type = 'span.model_request_end';
