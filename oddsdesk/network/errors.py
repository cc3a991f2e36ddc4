"""What can go wrong on the way to another machine; every message is fit to be shown."""


def silence_text(host: str) -> str:
    """Return what is said of who answers no more, whichever way that is noticed."""
    return f"nothing was heard from {host}"


class NetworkError(Exception):
    """Nothing usable came back; the message is one line without keys and addresses' queries."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UnreachableError(NetworkError):
    """Nobody answered in full: no network, wrong address, TLS failure, or it took too long."""


class NotConnectedError(UnreachableError):
    """There was no connection, so that nothing was asked."""


class UnusableAnswerError(NetworkError):
    """Something answered more than any answer holds, or packed as nobody asked for."""


class NoWebSocketError(NetworkError):
    """Something answered with ``status`` instead of opening a WebSocket."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class ClosedError(Exception):
    """A WebSocket was closed; ``code`` is None where it just broke off."""

    def __init__(self, code: int | None) -> None:
        super().__init__(f"closed with {code}")
        self.code = code
