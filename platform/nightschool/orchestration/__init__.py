"""Many agents on one goal: plans, slots, delegation, merging.

Knows nothing about experiments or gold labels.
"""
