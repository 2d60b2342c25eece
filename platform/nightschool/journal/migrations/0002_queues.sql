-- Queues of work between processes.

CREATE TABLE queue_item (
    id INTEGER PRIMARY KEY,
    queue TEXT NOT NULL,
    key TEXT NOT NULL,
    payload TEXT NOT NULL, -- a JSON object
    priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 9), -- 9 goes first
    state TEXT NOT NULL CHECK (state IN ('ready', 'leased', 'done', 'dead')),
    due_at INTEGER NOT NULL, -- microseconds since 1970: ready from then on, or leased until then
    attempts INTEGER NOT NULL DEFAULT 0, -- leases given since it was put in or revived
    token INTEGER NOT NULL DEFAULT 0, -- grows with every lease, never falls
    worker TEXT, -- who has or last had the lease
    reason TEXT, -- why the last attempt failed
    put_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    UNIQUE (queue, key)
) STRICT;

CREATE INDEX queue_order ON queue_item (queue, state, priority DESC, id);
