"""The real things' behaviour, each in a process of its own: they share only protocols with the drivers."""
