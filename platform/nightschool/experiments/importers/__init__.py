"""Transcripts of other systems, brought into the log. One file per format."""
