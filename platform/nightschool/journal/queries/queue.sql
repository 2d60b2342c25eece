-- name: queue_put
-- Adds an item unless the queue has one with that key.
INSERT INTO queue_item (queue, key, payload, priority, state, due_at, put_at, changed_at)
VALUES (:queue, :key, :payload, :priority, 'ready', :due_at, :now, :now)
ON CONFLICT (queue, key) DO NOTHING;

-- name: queue_bury_expired
-- Leases that ran out for the last time: their items are dead.
UPDATE queue_item
SET state = 'dead', changed_at = :now,
    reason = printf('the lease of %s ran out, attempt %d of %d', worker, attempts, :max_attempts)
WHERE queue = :queue AND state = 'leased' AND due_at <= :now AND attempts >= :max_attempts;

-- name: queue_free_expired
-- Leases that ran out: their items are ready again.
UPDATE queue_item
SET state = 'ready', changed_at = :now,
    reason = printf('the lease of %s ran out, attempt %d of %d', worker, attempts, :max_attempts)
WHERE queue = :queue AND state = 'leased' AND due_at <= :now;

-- name: queue_take
-- Leases the first item that is due: highest priority, then oldest.
UPDATE queue_item
SET state = 'leased', due_at = :until, attempts = attempts + 1, token = token + 1,
    worker = :worker, changed_at = :now
WHERE id = (
    SELECT id FROM queue_item
    WHERE queue = :queue AND state = 'ready' AND due_at <= :now
    ORDER BY priority DESC, id
    LIMIT 1
)
RETURNING key, payload, priority, attempts, token, due_at;

-- name: queue_renew
-- Moves a lease's end.
UPDATE queue_item SET state = 'leased', due_at = :until, changed_at = :now
WHERE queue = :queue AND key = :key AND token = :token AND state IN ('leased', 'ready')
RETURNING due_at;

-- name: queue_complete
-- Marks an item done; doing so again with the same token changes nothing.
UPDATE queue_item SET state = 'done', changed_at = :now
WHERE queue = :queue AND key = :key AND token = :token AND state IN ('leased', 'ready', 'done')
RETURNING state;

-- name: queue_fail
-- Gives an item back after a failure, or buries it. The token moves, so that the lease is over.
UPDATE queue_item
SET state = iif(:final OR attempts >= :max_attempts, 'dead', 'ready'),
    due_at = :due_at, token = token + 1, reason = :reason, changed_at = :now
WHERE queue = :queue AND key = :key AND token = :token AND state IN ('leased', 'ready')
RETURNING state;

-- name: queue_release
-- Gives an item back untried.
UPDATE queue_item
SET state = 'ready', due_at = :now, attempts = attempts - 1, token = token + 1, changed_at = :now
WHERE queue = :queue AND key = :key AND token = :token AND state IN ('leased', 'ready')
RETURNING state;

-- name: queue_item
-- One item as it stands.
SELECT key, payload, priority, state, attempts, token, worker, reason, due_at, put_at, changed_at
FROM queue_item WHERE queue = :queue AND key = :key;

-- name: queue_items
-- The items in a state, in the order in which they are taken.
SELECT key, payload, priority, state, attempts, token, worker, reason, due_at, put_at, changed_at
FROM queue_item WHERE queue = :queue AND state = :state
ORDER BY priority DESC, id
LIMIT :limit;

-- name: queue_revive
-- Makes a dead item ready, with all its attempts before it.
UPDATE queue_item SET state = 'ready', attempts = 0, due_at = :now, changed_at = :now
WHERE queue = :queue AND key = :key AND state = 'dead'
RETURNING state;

-- name: queue_counts
-- How many items are in each state.
SELECT state, count(*) FROM queue_item WHERE queue = :queue GROUP BY state;

-- name: queues_counts
-- How many items of every queue are in each state.
SELECT queue, state, count(*) FROM queue_item GROUP BY queue, state ORDER BY queue, state;

-- name: queue_forget
-- Removes items that were done before a moment; their keys may come again.
DELETE FROM queue_item WHERE queue = :queue AND state = 'done' AND changed_at < :before;
