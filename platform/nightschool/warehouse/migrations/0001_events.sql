-- The event log for good. No keys and no indexes: the watermark in sync_batches keeps every event single,
-- and rows lie in the order of session and sequence inside each batch.

-- Which migrations were applied; rows numbered 0 tell which text of the views was.
CREATE TABLE schema_history (
    number INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    digest VARCHAR,
    applied_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE events (
    position BIGINT NOT NULL,
    session_id VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL,
    event_id VARCHAR NOT NULL,
    type VARCHAR NOT NULL,
    processed_at TIMESTAMPTZ,
    session_thread_id VARCHAR,
    agent_id VARCHAR,
    role VARCHAR NOT NULL,
    content VARCHAR,
    input_tokens BIGINT,
    output_tokens BIGINT,
    cache_creation_input_tokens BIGINT,
    cache_read_input_tokens BIGINT,
    duration_ms DOUBLE,
    success BOOLEAN,
    parent_session_id VARCHAR,
    experiment_id VARCHAR,
    trial_id VARCHAR,
    arm VARCHAR,
    task_id VARCHAR,
    event VARIANT NOT NULL
);

-- What a session's later events inherit from its first one.
CREATE TABLE session_index (
    session_id VARCHAR NOT NULL,
    position BIGINT NOT NULL,
    agent_id VARCHAR,
    parent_session_id VARCHAR,
    experiment_id VARCHAR,
    trial_id VARCHAR,
    arm VARCHAR,
    task_id VARCHAR
);

-- One row per committed batch; the watermark is the greatest last_position.
CREATE TABLE sync_batches (
    first_position BIGINT NOT NULL,
    last_position BIGINT NOT NULL,
    events BIGINT NOT NULL,
    digest VARCHAR NOT NULL,
    synced_at TIMESTAMPTZ NOT NULL
);
