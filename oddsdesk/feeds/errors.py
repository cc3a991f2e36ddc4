"""The error of feeds and importers."""


class FeedError(Exception):
    """A feed, file or setting cannot be used; the message is one line for people."""
