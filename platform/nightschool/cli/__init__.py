"""The command line: arguments in, tables and exit codes out.

Decides nothing that another entry point needs.
"""
