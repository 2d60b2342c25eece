"""The pages people look at: one comparison, one trial, one session. The only place that draws."""
