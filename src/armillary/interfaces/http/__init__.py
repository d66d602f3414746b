"""The teach pendant's server: requests, the WebSocket, users, and the page."""

__all__: list[str] = []
