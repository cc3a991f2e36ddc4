"""A reference of which no price is here: nothing is judged, and a typing error looks like that."""

from collections.abc import Iterable

from oddsdesk.near_names import near_names
from oddsdesk.store.bookmaker_names import canonical, known_names
from oddsdesk.store.reader import Reader


def unpriced_line(name: str, recorded: Iterable[str]) -> str:
    """Say that no price of a reference is here, and whom of those recorded it may mean."""
    meant = " or ".join(near_names(name, {*recorded, *known_names()} - {name}))
    said = f"no price of {name!r}, the reference, is here: nothing can be judged"
    return f"{said}; {meant} may be meant" if meant else said


def misnamed_line(reader: Reader) -> str | None:
    """Return the same where no bookmaker is known by that name either; else None."""
    name = reader.unpriced_reference()
    if name is None or canonical(name) is not None:
        return None
    return unpriced_line(name, reader.recorded_bookmakers())


def mistyped_line(reader: Reader, name: str) -> str | None:
    """Return the same of a name that is nearly a known one, before any price could tell."""
    recorded = reader.recorded_bookmakers()
    if name in recorded or canonical(name) is not None:
        return None
    is_near = near_names(name, {*recorded, *known_names()})
    return unpriced_line(name, recorded) if is_near else None
