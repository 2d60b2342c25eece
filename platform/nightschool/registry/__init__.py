"""Who can work: agents as Markdown files with front matter. Knows nothing about what they work on."""
