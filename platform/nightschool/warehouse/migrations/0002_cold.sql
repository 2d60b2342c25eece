-- Cold storage, and deletions that a copy under way must not undo.

-- Sessions that rest as Parquet beside the warehouse; the file's name says nothing, this table says all.
CREATE TABLE cold_files (
    name VARCHAR NOT NULL,
    sessions BIGINT NOT NULL,
    events BIGINT NOT NULL,
    digest VARCHAR NOT NULL,
    written_at TIMESTAMPTZ NOT NULL
);

-- Events of these sessions up to these positions are gone for good; later ones are a new session's.
CREATE TABLE deleted_sessions (
    session_id VARCHAR NOT NULL,
    upto_position BIGINT NOT NULL,
    deleted_at TIMESTAMPTZ NOT NULL
);
