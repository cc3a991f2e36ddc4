"""Talking to a service: REST, the stream with reconnect, the request budget."""
