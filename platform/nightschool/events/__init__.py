"""The closed list of what can happen in a session, one file per family.

Names and fields are those of the Claude Managed Agents API where it has them; what it has no name for
(``session.created``, ``plan.*``, ``task.*``, ``experiment.*``, ``trial.*``, ``feedback.*``) is ours.
"""
