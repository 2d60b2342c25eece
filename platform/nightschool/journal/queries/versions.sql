-- name: version_get
-- A value with its version; deleted ones too.
SELECT name, version, value, changed_at FROM versioned WHERE scope = :scope AND name = :name;

-- name: version_list
-- The values of a scope that are not deleted, by name.
SELECT name, version, value, changed_at FROM versioned
WHERE scope = :scope AND value IS NOT NULL AND substr(name, 1, length(:prefix)) = :prefix
ORDER BY name;

-- name: version_put
-- Writes the next version.
INSERT INTO versioned (scope, name, version, value, changed_at)
VALUES (:scope, :name, :version, :value, :now)
ON CONFLICT (scope, name) DO UPDATE
SET version = excluded.version, value = excluded.value, changed_at = excluded.changed_at;
