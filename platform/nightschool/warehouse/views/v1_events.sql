-- v1_events: everything that happened, in the order it was recorded.
-- Grain: one event.
-- Key: event_id; also (session_id, seq) and position.
-- Columns:
--   session_id: the session (or the experiment's own log, exp_...) the event belongs to
--   seq: place in the session, from 1 without gaps
--   position: place in the whole log, growing
--   recorded_at: when it was committed (UTC)
--   processed_at: when it happened (UTC); null where nobody knows, as in imported transcripts
--   event_id: the event's own id, sevt_...
--   type: what happened, such as agent.tool_use
--   session_thread_id: the thread, when it is not the session's primary one
--   agent_id: the agent that acted; for words, calls, results and model requests the session's agent unless another is named
--   role: who speaks: user, system, agent, tool, model, grader, orchestrator, workflow, experiment, session, feedback
--   content: readable text: words said, call made, result given, error told
--   input_tokens: uncached tokens read (tokens)
--   output_tokens: tokens written (tokens)
--   cache_creation_input_tokens: tokens read and put into the prompt cache (tokens)
--   cache_read_input_tokens: tokens read from the prompt cache (tokens)
--   duration_ms: how long what ends here took (milliseconds)
--   success: whether what ends here went well; null when the event ends nothing
--   parent_session_id: the session that started this one; null for a root
--   experiment_id: the experiment it belongs to
--   trial_id: the trial it belongs to
--   arm: the arm of that trial
--   task_id: the task it belongs to
--   epoch: the writer's epoch; grows each time the session is woken elsewhere
--   event: the whole event as it was recorded (JSON); read a field with event ->> '$.name'
--   name: the tool called, or the source of feedback
--   model: the model asked
--   answers: id of the event that this one answers or ends
--   stop_reason: why a model's answer or a turn ended
--   time_to_first_token_ms: from request to the first token (milliseconds)
--   value: the value of feedback, as recorded
--   input: what a tool was given, for tool calls (JSON); a path into it is much faster than one into event
CREATE OR REPLACE VIEW v1_events AS
SELECT
    session_id,
    seq,
    position,
    recorded_at,
    processed_at,
    event_id,
    type,
    session_thread_id,
    agent_id,
    role,
    content,
    input_tokens,
    output_tokens,
    cache_creation_input_tokens,
    cache_read_input_tokens,
    duration_ms,
    success,
    parent_session_id,
    experiment_id,
    trial_id,
    arm,
    task_id,
    epoch,
    event,
    name,
    model,
    answers,
    stop_reason,
    time_to_first_token_ms,
    value,
    input
FROM all_events;
