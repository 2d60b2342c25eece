"""The script that Streamlit runs, in a folder of its own: it would take a `pages` beside it for its pages."""
