-- Values that several processes change, each change on top of a known version.

CREATE TABLE versioned (
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    value TEXT, -- JSON; null after a deletion, so that version numbers never start again
    changed_at INTEGER NOT NULL, -- microseconds since 1970
    PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;
