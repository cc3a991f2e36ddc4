"""Named layouts: which panels stand where, saved, restored, and passed on as a file."""

import base64
import binascii
import json
import logging
from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec
from PySide6.QtCore import QObject, Signal

from oddsdesk.desk.settings.saved_state import LAYOUT_VERSION, Layout, Saved

_KEY = "layouts/named"
_CURRENT = "layouts/current"
_FILE_KIND = "oddsdesk layout"
MOST_BYTES = 1_000_000
"""A longer file is none of ours."""
_LONGEST_NAME = 40

_log = logging.getLogger(__name__)


class LayoutError(ValueError):
    """What a layout cannot be read or saved for, in one line."""


class NamedLayout(msgspec.Struct, frozen=True):
    """Where docks stand, as Qt writes it down."""

    name: str
    docks: bytes

    def to_text(self) -> str:
        """Return it as the text of a file."""
        return json.dumps(_record(self) | {"kind": _FILE_KIND}, indent=2) + "\n"

    @staticmethod
    def from_text(text: str) -> "NamedLayout":
        """Read the text of a file.

        Raises:
            LayoutError: it holds no layout of this version of the program.
        """
        try:
            record = json.loads(text)
        except ValueError as error:
            raise LayoutError(f"expected a layout as JSON: {error}") from error
        if not isinstance(record, dict) or record.get("kind") != _FILE_KIND:
            raise LayoutError('expected a layout file, with "kind": "oddsdesk layout"')
        return _from_record(record)


class Layouts(QObject):
    """The user's layouts by name, kept between starts."""

    changed = Signal()

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self._layout = layout
        self._saved = Saved(layout, _KEY, list[dict[str, object]], [])
        self._named = {named.name: named for named in _readable(self._saved.get())}

    @property
    def names(self) -> list[str]:
        """The names, in order."""
        return sorted(self._named, key=str.casefold)

    @property
    def current(self) -> str:
        """The layout that was taken or saved last; empty for none."""
        name = self._layout.get(_CURRENT, "")
        return name if name in self._named else ""

    def __getitem__(self, name: str) -> NamedLayout:
        return self._named[name]

    def save(self, named: NamedLayout) -> None:
        """Keep a layout, in place of one of the same name, as the current one.

        Raises:
            LayoutError: the name is empty or too long.
        """
        check_name(named.name)
        self._named[named.name] = named
        self.choose(named.name)

    def choose(self, name: str) -> None:
        """Have a layout as the current one; empty for none."""
        self._layout.put(_CURRENT, name)
        self._keep()

    def delete(self, name: str) -> None:
        """Forget a layout."""
        self._named.pop(name, None)
        self._keep()

    def _keep(self) -> None:
        records = [_record(self._named[name]) for name in self.names]
        self._saved.put(records)
        self.changed.emit()


def check_name(name: str) -> None:
    """Raise ``LayoutError`` where a layout cannot have this name."""
    if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
        raise LayoutError(f"expected a name of 1 to {_LONGEST_NAME} letters, got {name[:60]!r}")


def _record(named: NamedLayout) -> dict[str, object]:
    docks = base64.b64encode(named.docks).decode("ascii")
    return {"name": named.name, "version": LAYOUT_VERSION, "docks": docks}


def _from_record(record: dict[str, object]) -> NamedLayout:
    name, docks = record.get("name"), record.get("docks")
    if record.get("version") != LAYOUT_VERSION:
        version = record.get("version")
        raise LayoutError(f"expected a layout of version {LAYOUT_VERSION}, got {version!r}")
    if not isinstance(name, str) or not isinstance(docks, str):
        raise LayoutError("expected a layout with a name and docks, both texts")
    check_name(name)
    try:
        return NamedLayout(name, base64.b64decode(docks, validate=True))
    except binascii.Error as error:
        raise LayoutError(f"expected docks in Base64: {error}") from error


def _readable(records: Iterable[dict[str, object]]) -> Iterator[NamedLayout]:
    for record in records:
        try:
            yield _from_record(record)
        except LayoutError as error:
            _log.warning("a kept layout is left out: %s", error)


_SESSION_KEY = "session/games"
_MOST = 8
"""So many are opened again; each costs a read of its prices."""


class Session:
    """The open games as they were kept; the one in front comes first."""

    def __init__(self, layout: Layout) -> None:
        self._saved = Saved(layout, _SESSION_KEY, list[str], [])

    def keep(self, game_ids: Sequence[str], current: str | None) -> None:
        """Keep which games are open, and which is in front."""
        others = [game_id for game_id in game_ids if game_id != current]
        first = [] if current is None else [current]
        self._saved.put([*first, *others][:_MOST])

    def games(self, present: Collection[str]) -> list[str]:
        """Return the games that were open and are among the present ones."""
        return [game_id for game_id in self._saved.get()[:_MOST] if game_id in present]
