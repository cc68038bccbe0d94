"""Rows of the settings table, a file per topic."""
