"""What a feed or an importer says when it can't go on."""


class FeedError(Exception):
    """A feed, file or setting that can't be used; the message is one line for people."""
