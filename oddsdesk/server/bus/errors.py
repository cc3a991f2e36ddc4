"""Why there is no bus."""


class BusError(Exception):
    """The bus cannot be used at all; one line that says why."""
