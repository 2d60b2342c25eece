-- name: session_head
-- What the next append to a session starts from.
SELECT s.id, s.epoch, coalesce(e.seq, 0), coalesce(e.hash, zeroblob(32))
FROM session AS s
LEFT JOIN event AS e ON e.session = s.id AND e.seq = (SELECT max(seq) FROM event WHERE session = s.id)
WHERE s.session_id = ?;

-- name: create_session
-- Makes room for a session's first event.
INSERT INTO session (session_id, epoch) VALUES (?, ?) RETURNING id;

-- name: move_epoch
-- A writer of a later epoch appends for the first time.
UPDATE session SET epoch = ? WHERE id = ?;

-- name: raise_epoch
-- Ends every earlier writer of the session.
INSERT INTO session (session_id, epoch) VALUES (?, 1)
ON CONFLICT (session_id) DO UPDATE SET epoch = epoch + 1
RETURNING epoch;

-- name: epoch
-- The epoch a writer needs at least.
SELECT epoch FROM session WHERE session_id = ?;

-- name: sessions
-- Sessions that have events and whose id starts with a prefix, oldest first.
SELECT s.session_id FROM session AS s
WHERE substr(s.session_id, 1, length(:prefix)) = :prefix
    AND EXISTS (SELECT 1 FROM event AS e WHERE e.session = s.id)
ORDER BY s.id;

-- name: delete_events
-- Removes all events of the given sessions (a JSON array of ids).
DELETE FROM event
WHERE session IN (SELECT id FROM session WHERE session_id IN (SELECT value FROM json_each(?)));

-- name: delete_sessions
-- Removes the sessions themselves; one of the same id that comes later starts anew.
DELETE FROM session WHERE session_id IN (SELECT value FROM json_each(?));

-- name: keep_position
-- Remembers how far positions were given out, so that none is given out twice.
UPDATE deleted_up_to SET position = max(position, ?);
