"""What this is an installation of, for hints on what else to install."""

from typing import Final

SERVER: Final = "oddsdesk-server"


def distribution() -> str:
    """Return what pip calls what is installed here: ``oddsdesk``, or the server alone."""
    import importlib.metadata  # noqa: PLC0415 - 25 modules that a hint alone needs

    names = {found.name for found in importlib.metadata.distributions()}
    return SERVER if SERVER in names and "oddsdesk" not in names else "oddsdesk"


def how_to_install(extra: str) -> str:
    """Return the command that brings an extra to this installation."""
    return f"pip install '{distribution()}[{extra}]'"
