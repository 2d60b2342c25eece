-- Sessions and their events.
--
-- `session.last_seq` and `session.head` repeat what the session's last event says. They make an append
-- one look-up, and they show when the end of a session is missing.

CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE,
    epoch INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    head BLOB NOT NULL
) STRICT;

CREATE TABLE event (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
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
