-- Sessions and their events.
--
-- Nothing but `event` changes with an append: every further page would be written and synced each time.

CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE,
    epoch INTEGER NOT NULL
) STRICT;

CREATE TABLE event (
    position INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (id),
    seq INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL, -- microseconds since 1970, UTC
    event_id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    hash BLOB NOT NULL, -- chained: see chain.py
    UNIQUE (session, seq)
) STRICT;

-- The highest position among deleted events, so that no position is given out twice.
CREATE TABLE deleted_up_to (
    position INTEGER NOT NULL
) STRICT;

INSERT INTO deleted_up_to VALUES (0);
