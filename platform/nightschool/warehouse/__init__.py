"""The log for good, in DuckDB: typed columns, versioned SQL views, a sync that can be killed anywhere."""
