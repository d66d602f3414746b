"""Bytes without wires: how frames of each protocol are written and read."""
