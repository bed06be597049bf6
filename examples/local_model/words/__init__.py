"""A few questions about words."""
