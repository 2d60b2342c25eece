-- A warehouse as large as wanted, made where it lies. Everything in it is drawn: its brain is `simulated`.
-- Sessions of 20 events, five to a trial, 900 trials to an experiment: three arms, 100 documents, three repeats.

-- name: big_events
-- The events with numbers from $first up to, without, $last; $per_session to a session.
INSERT INTO events BY NAME
WITH numbered AS (
    SELECT
        n + 1 AS position,
        n // $per_session AS session,
        n % $per_session + 1 AS seq,
        (hash(n) >> 16)::BIGINT AS chance,
        [
            'agent.message', 'user.message', 'span.model_request_start', 'span.model_request_end', 'agent.tool_use',
            'agent.tool_result', 'span.model_request_start', 'span.model_request_end', 'agent.tool_use',
            'agent.tool_result', 'span.model_request_start', 'span.model_request_end', 'agent.tool_use',
            'agent.tool_result', 'span.model_request_start', 'span.model_request_end', 'agent.message',
            'session.status_idle', 'session.status_running', 'session.status_idle'
        ] AS types,
        [
            'The Supplier shall indemnify the Customer against all claims of third parties. ',
            'Either party may terminate this Agreement by giving thirty days written notice. ',
            'Fees are due within forty-five days of the date of a correct invoice. ',
            'Confidential information shall be kept secret for five years after termination. ',
            'Liability is limited to the fees paid in the twelve months before the claim. ',
            'The Supplier shall keep the data inside the European Union at all times. ',
            'Neither party is liable for events beyond its reasonable control. '
        ] AS clauses
    FROM range($first::BIGINT, $last::BIGINT) AS r(n)
),

typed AS (
    SELECT
        *,
        CASE WHEN seq = 1 THEN 'session.created' ELSE types[1 + (position - 1) % 20] END AS type,
        session // 5 AS trial
    FROM numbered
),

worded AS (
    SELECT
        *,
        'sesn_' || lpad(session::VARCHAR, 26, '0') AS session_id,
        'sevt_' || lpad(position::VARCHAR, 26, '0') AS event_id,
        make_timestamptz(1767225600000000 + position * 1000) AS happened_at,
        CASE WHEN type = 'agent.tool_use'
            THEN json_object('number', (chance % 30)::VARCHAR || '.2') END AS input,
        CASE WHEN type IN ('agent.tool_result', 'agent.message', 'user.message') THEN
            clauses[1 + chance % 7] || clauses[1 + (chance // 7) % 7] || clauses[1 + (chance // 49) % 7]
            || clauses[1 + (chance // 343) % 7] || chance::VARCHAR
        END AS text
    FROM typed
)

SELECT
    position,
    session_id,
    seq,
    1 AS epoch,
    happened_at AS recorded_at,
    event_id,
    type,
    happened_at AS processed_at,
    'agent_' || (session % 12)::VARCHAR AS agent_id,
    CASE split_part(type, '.', 1) WHEN 'span' THEN 'model' ELSE split_part(type, '.', 1) END AS role,
    text AS content,
    CASE WHEN type = 'span.model_request_end' THEN 800 + chance % 4000 END AS input_tokens,
    CASE WHEN type = 'span.model_request_end' THEN 20 + chance % 400 END AS output_tokens,
    CASE WHEN type = 'span.model_request_end' THEN 200 + (chance % 100000) / 10 END AS duration_ms,
    CASE WHEN type = 'span.model_request_end' THEN true END AS success,
    CASE WHEN $per_session = 20 AND session % 5 <> 0 THEN 'sesn_' || lpad((session - session % 5)::VARCHAR, 26, '0') END AS parent_session_id,
    CASE WHEN $per_session = 20 THEN 'exp_' || lpad((trial // 900)::VARCHAR, 26, '0') END AS experiment_id,
    CASE WHEN $per_session = 20 THEN 'trial_' || lpad(trial::VARCHAR, 26, '0') END AS trial_id,
    CASE WHEN $per_session = 20 THEN ['single', 'subagents', 'orchestrated'][1 + trial % 3] END AS arm,
    CASE WHEN type = 'agent.tool_use' THEN 'read_section' END AS name,
    CASE WHEN type = 'span.model_request_end' THEN 'simulated' END AS model,
    CASE WHEN type = 'span.model_request_end' THEN 'tool_use' END AS stop_reason,
    input,
    json_object(
        'type', type, 'id', event_id, 'processed_at', strftime(happened_at, '%Y-%m-%dT%H:%M:%S.%fZ'),
        'agent', CASE WHEN type = 'session.created' THEN json_object('name', 'agent', 'model', 'simulated') END,
        'title', CASE WHEN type = 'session.created' THEN 'drawn session ' || session::VARCHAR END,
        'model_request_start_id', CASE WHEN type = 'span.model_request_end'
            THEN 'sevt_' || lpad((position - 1)::VARCHAR, 26, '0') END,
        'model', CASE WHEN starts_with(type, 'span.') THEN 'simulated' END,
        'tool_use_id', CASE WHEN type = 'agent.tool_result'
            THEN 'sevt_' || lpad((position - 1)::VARCHAR, 26, '0') END,
        'name', CASE WHEN type = 'agent.tool_use' THEN 'read_section' END,
        'input', input,
        'stop_reason', CASE WHEN type = 'session.status_idle' THEN json_object('type', 'end_turn') END,
        'model_usage', CASE WHEN type = 'span.model_request_end'
            THEN json_object('input_tokens', 800 + chance % 4000, 'output_tokens', 20 + chance % 400) END,
        'content', CASE WHEN text IS NOT NULL THEN json_array(json_object('type', 'text', 'text', text)) END
    ) AS event
FROM worded;

-- name: big_sessions
-- What is known of every session from its first event.
INSERT INTO session_index BY NAME
SELECT
    session_id, position, agent_id, parent_session_id, experiment_id, trial_id, arm, 1 AS agent_version,
    'simulated' AS model, 'drawn session ' || ltrim(right(session_id, 26), '0') AS title,
    CASE WHEN parent_session_id IS NULL THEN 'lead' ELSE 'subagent' END AS role, 'run' AS source,
    processed_at AS started_at
FROM events
WHERE seq = 1 AND type = 'session.created';

-- name: big_trials
-- Two events a trial: begun, completed.
INSERT INTO trial_events BY NAME
WITH drawn AS (
    SELECT
        trial,
        step,
        ['single', 'subagents', 'orchestrated'][1 + trial % 3] AS arm,
        (trial % 900 // 3) % 100 AS document,
        trial % 900 // 300 AS epoch,
        ((hash(trial) >> 16) % 1000) / 1000 AS chance
    FROM range($trials::BIGINT) AS t(trial), (VALUES (1), (2)) AS s(step)
),

scored AS (
    SELECT *, least(1.0, 0.45 + 0.06 * (trial % 3) + 0.4 * chance + 0.001 * document) AS score FROM drawn
)

SELECT
    (100 * trial + step)::BIGINT AS position,
    'exp_' || lpad((trial // 900)::VARCHAR, 26, '0') AS session_id,
    'sevt_t' || lpad((2 * trial + step)::VARCHAR, 25, '0') AS event_id,
    ['trial.started', 'trial.completed'][step] AS type,
    make_timestamptz(1767225600000000 + trial * 100000) AS processed_at,
    'exp_' || lpad((trial // 900)::VARCHAR, 26, '0') AS experiment_id,
    'trial_' || lpad(trial::VARCHAR, 26, '0') AS trial_id,
    'sesn_' || lpad((trial * 5)::VARCHAR, 26, '0') AS trial_session_id,
    arm,
    'c-' || lpad(document::VARCHAR, 3, '0') AS sample_id,
    epoch,
    1 AS attempt,
    CASE step WHEN 2 THEN 'simulated' END AS brain,
    CASE step WHEN 2 THEN score END AS accuracy,
    CASE step WHEN 2 THEN score END AS recall,
    CASE step WHEN 2 THEN json_object('accuracy', score, 'completeness', score) END AS scores,
    CASE step WHEN 2 THEN json_object('recall', score) END AS metrics,
    CASE step WHEN 2 THEN score >= 0.9 END AS strict,
    CASE step WHEN 2 THEN score >= 0.75 END AS standard,
    CASE step WHEN 2 THEN score >= 0.6 END AS lenient,
    CASE step WHEN 2 THEN 20000 + (hash(trial) >> 16) % 9000 END AS input_tokens,
    CASE step WHEN 2 THEN 900 + (hash(trial) >> 16) % 300 END AS output_tokens,
    CASE step WHEN 2 THEN 12 END AS tool_calls,
    CASE step WHEN 2 THEN 15 END AS model_calls,
    CASE step WHEN 2 THEN 2 + 10 * chance END AS duration_seconds,
    CASE step WHEN 2 THEN chance * 0.9 END AS cost_usd,
    CASE step WHEN 2 THEN 5 + document END AS pages
FROM scored
ORDER BY position;

-- name: big_experiments
-- The logs of the experiments: declared as $manifest says, and completed.
INSERT INTO events BY NAME
SELECT
    $after + 2 * e + step AS position,
    'exp_' || lpad(e::VARCHAR, 26, '0') AS session_id,
    step AS seq,
    1 AS epoch,
    make_timestamptz(1767225600000000 + e * 90000000 + step) AS recorded_at,
    'sevt_e' || lpad((2 * e + step)::VARCHAR, 25, '0') AS event_id,
    ['experiment.created', 'experiment.completed'][step] AS type,
    make_timestamptz(1767225600000000 + e * 90000000 + step) AS processed_at,
    'experiment' AS role,
    'exp_' || lpad(e::VARCHAR, 26, '0') AS experiment_id,
    json_object(
        'type', ['experiment.created', 'experiment.completed'][step],
        'id', 'sevt_e' || lpad((2 * e + step)::VARCHAR, 25, '0'),
        'experiment_id', 'exp_' || lpad(e::VARCHAR, 26, '0'),
        'manifest', CASE step WHEN 1 THEN $manifest::JSON END,
        'manifest_hash', CASE step WHEN 1 THEN $hash END,
        'result_hash', CASE step WHEN 2 THEN $hash END
    ) AS event
FROM range($experiments::BIGINT) AS x(e), (VALUES (1), (2)) AS s(step)
ORDER BY position;

-- name: big_batch
-- As if all had been copied from a journal in one batch.
INSERT INTO sync_batches VALUES (1, $last, $events, '', now());
