"""Folds of events, for people to read. Never reaches the engine: a page opens on a machine where nothing runs."""
