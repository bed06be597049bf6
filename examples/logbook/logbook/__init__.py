"""Reads log files and reports on them."""
