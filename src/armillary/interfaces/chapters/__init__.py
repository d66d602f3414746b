"""Chapters of `armillary papers`: each takes the options, prints a table and words, and draws."""
