-- name: known_events
-- Of the given event ids (a JSON array), those that are stored already.
SELECT e.position, s.session_id, e.seq, e.epoch, e.recorded_at, e.event_id, e.type, e.body
FROM event AS e JOIN session AS s ON s.id = e.session
WHERE e.event_id IN (SELECT value FROM json_each(?));

-- name: data_version
-- A number that stays the same as long as no other connection has committed anything.
PRAGMA data_version;

-- name: last_position
-- The highest position ever given out; deleting events does not lower it.
SELECT max(coalesce((SELECT max(position) FROM event), 0), (SELECT position FROM deleted_up_to));

-- name: insert_events
-- Adds events at the positions decided by the writer. The row is repeated for as many as there are.
INSERT INTO event (position, session, seq, epoch, recorded_at, event_id, type, body, hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: read_session
-- A session's events in order; a bound or filter that is null does not apply.
SELECT e.position, s.session_id, e.seq, e.epoch, e.recorded_at, e.event_id, e.type, e.body
FROM session AS s JOIN event AS e ON e.session = s.id
WHERE s.session_id = :session_id
    AND e.seq > coalesce(:after, 0)
    AND e.seq < coalesce(:before, 9223372036854775807)
    AND (:types IS NULL OR e.type IN (SELECT value FROM json_each(:types)))
ORDER BY e.seq
LIMIT coalesce(:limit, -1);

-- name: read_session_backwards
-- The same from the end: for the nearest events before a bound.
SELECT e.position, s.session_id, e.seq, e.epoch, e.recorded_at, e.event_id, e.type, e.body
FROM session AS s JOIN event AS e ON e.session = s.id
WHERE s.session_id = :session_id
    AND e.seq > coalesce(:after, 0)
    AND e.seq < coalesce(:before, 9223372036854775807)
    AND (:types IS NULL OR e.type IN (SELECT value FROM json_each(:types)))
ORDER BY e.seq DESC
LIMIT coalesce(:limit, -1);

-- name: seq_of
-- Where in its session an event stands.
SELECT e.seq FROM event AS e JOIN session AS s ON s.id = e.session
WHERE e.event_id = :event_id AND s.session_id = :session_id;

-- name: tail
-- Events of all sessions after a position, in order of position.
SELECT e.position, s.session_id, e.seq, e.epoch, e.recorded_at, e.event_id, e.type, e.body
FROM event AS e JOIN session AS s ON s.id = e.session
WHERE e.position > ?
ORDER BY e.position
LIMIT ?;

-- name: all_events
-- Everything in the order of sessions and their events, with its hash: for verification.
SELECT e.position, s.session_id, e.seq, e.epoch, e.recorded_at, e.event_id, e.type, e.body, e.hash
FROM event AS e JOIN session AS s ON s.id = e.session
ORDER BY e.session, e.seq;

-- name: orphans
-- Events whose session is missing.
SELECT position, seq, event_id FROM event WHERE session NOT IN (SELECT id FROM session) ORDER BY position;
