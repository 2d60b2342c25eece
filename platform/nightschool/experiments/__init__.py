"""Controlled comparisons of ways of working: suites, arms, trials, statistics, reports.

Knows nothing about how an arm does its work: it hands a trial to a function and grades what comes back.
"""
