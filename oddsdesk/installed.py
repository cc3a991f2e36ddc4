"""What this is an installation of, for hints on what else to install."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from importlib.metadata import Distribution

DESK: Final = "oddsdesk"
SERVER: Final = "oddsdesk-server"


def distribution() -> str:
    """Return what pip calls what is installed here: ``oddsdesk``, or the server alone."""
    return _named(_installed())


def how_to_install(extra: str) -> str:
    """Return the command that brings an extra to this installation: in its checkout, if any."""
    found = _installed()
    name = _named(found)
    told = (found[name].read_text("direct_url.json") if name in found else None) or ""
    if '"dir_info"' not in told:  # PEP 610: of a folder
        return f"pip install '{name}[{extra}]'"
    editable = "-e " if '"editable": true' in told else ""
    return f"pip install {editable}'.[{extra}]'"


def _named(found: "dict[str, Distribution]") -> str:
    return SERVER if SERVER in found and DESK not in found else DESK


def _installed() -> "dict[str, Distribution]":
    import importlib.metadata  # noqa: PLC0415 - 25 modules that a hint alone needs

    return {found.name: found for found in importlib.metadata.distributions()}
