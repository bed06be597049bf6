"""Generate, validate, and try again."""
