-- name: session_head
-- What the next append to a session starts from.
SELECT id, epoch, last_seq, head FROM session WHERE session_id = ?;

-- name: create_session
-- Makes room for a session's first event.
INSERT INTO session (session_id, epoch, last_seq, head) VALUES (?, ?, 0, zeroblob(32)) RETURNING id;

-- name: move_head
-- After an append: the session's last sequence number, its hash, and the writer's epoch.
UPDATE session SET epoch = ?, last_seq = ?, head = ? WHERE id = ?;

-- name: raise_epoch
-- Ends every earlier writer of the session.
INSERT INTO session (session_id, epoch, last_seq, head) VALUES (?, 1, 0, zeroblob(32))
ON CONFLICT (session_id) DO UPDATE SET epoch = epoch + 1
RETURNING epoch;

-- name: epoch
-- The epoch a writer needs at least.
SELECT epoch FROM session WHERE session_id = ?;

-- name: sessions
-- Sessions that have events and whose id starts with a prefix, oldest first.
SELECT session_id FROM session
WHERE last_seq > 0 AND substr(session_id, 1, length(:prefix)) = :prefix
ORDER BY id;
