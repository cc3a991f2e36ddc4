"""What keeps an archive from being used."""


class ArchiveError(Exception):
    """The archive cannot be used as it is; the message is one line that says why."""
