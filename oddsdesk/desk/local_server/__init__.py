"""The embedded server as its owner sees it."""
