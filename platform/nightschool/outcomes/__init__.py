"""Is it done? Rubrics, code checks, graders and tiers. Knows nothing about plans, arms or experiments."""
