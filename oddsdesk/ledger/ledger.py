"""The ledger's file: opened, kept whole, and read back."""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.presets import Preset, ValueFilter
from oddsdesk.ledger.schema import LedgerError, prepare, reason, recognise
from oddsdesk.places import make_folder
from oddsdesk.private_files import ForeignFileError, make_private

T = TypeVar("T")

_BUSY_TIMEOUT_S: Final = 5.0
_FIELDS: Final = tuple(name for name in PlacedBet.__struct_fields__ if name != "ident")
_INSERT_BET: Final = (
    f"INSERT INTO placed_bet ({', '.join(_FIELDS)}) VALUES (:{', :'.join(_FIELDS)})"  # noqa: S608 - constants
)
_SELECT_BETS: Final = f"SELECT {', '.join(_FIELDS)}, id FROM placed_bet ORDER BY id"  # noqa: S608
_DELETE_BET: Final = "DELETE FROM placed_bet WHERE id = ?"
_SAVE_PRESET: Final = (
    "INSERT INTO preset (name, filter) VALUES (?, ?) "
    "ON CONFLICT (name) DO UPDATE SET filter = excluded.filter"
)
_SELECT_PRESETS: Final = "SELECT name, filter FROM preset ORDER BY id"
_DELETE_PRESET: Final = "DELETE FROM preset WHERE name = ?"


class Ledger:
    """Presets and placed bets; each change is on the disk when its call returns.

    One thread at a time. Every method raises ``LedgerError`` where the file refuses.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = _open(path)

    def presets(self) -> tuple[list[Preset], list[str]]:
        """Return the user's presets, oldest first, and what is wrong with unreadable ones."""
        presets, bad = [], []
        for name, text in self._run(lambda c: c.execute(_SELECT_PRESETS).fetchall()):
            try:
                presets.append(Preset(name, msgspec.json.decode(text, type=ValueFilter)))
            except msgspec.DecodeError as error:
                bad.append(f"preset {name!r}: {error}")
        return presets, bad

    def save_preset(self, preset: Preset) -> None:
        """Keep a preset, in place of the one of the same name."""
        self._run(lambda c: c.execute(_SAVE_PRESET, _preset_values(preset)))

    def delete_preset(self, name: str) -> None:
        """Forget a preset; one that is not there is no error."""
        self._run(lambda c: c.execute(_DELETE_PRESET, (name,)))

    def bets(self) -> list[PlacedBet]:
        """Return the placed bets in the order in which they were recorded."""
        rows = self._run(lambda c: c.execute(_SELECT_BETS).fetchall())
        return [_bet(row) for row in rows]

    def place(self, bet: PlacedBet) -> PlacedBet:
        """Record a bet and return it with its number."""
        cursor = self._run(lambda c: c.execute(_INSERT_BET, _values(bet)))
        return msgspec.structs.replace(bet, ident=cursor.lastrowid)

    def add(self, bets: Sequence[PlacedBet], presets: Sequence[Preset]) -> None:
        """Record bets and presets together, all or none; a preset's name has to be new."""

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.executemany(_INSERT_BET, map(_values, bets))
                connection.executemany(_SAVE_PRESET, map(_preset_values, presets))
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

        self._run(write)

    def take_back(self, ident: int) -> None:
        """Forget a placed bet: it was marked by mistake."""
        self._run(lambda c: c.execute(_DELETE_BET, (ident,)))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _run(self, act: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return act(self._connection)
        except sqlite3.Error as error:
            raise LedgerError(f"{self._path}: {reason(error)}") from error


def _values(bet: PlacedBet) -> dict[str, object]:
    values = {name: getattr(bet, name) for name in _FIELDS}
    return values | {"cautions": " ".join(bet.cautions)}


def _bet(row: Sequence[Any]) -> PlacedBet:
    values = dict(zip((*_FIELDS, "ident"), row, strict=True))
    return PlacedBet(**(values | {"cautions": tuple(values["cautions"].split())}))


def _preset_values(preset: Preset) -> tuple[str, str]:
    return preset.name, msgspec.json.encode(preset.filter).decode()


def _open(path: Path) -> sqlite3.Connection:
    try:
        recognise(path)
        make_folder(path.parent)
        make_private(path)
        connection = sqlite3.connect(
            path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
    except ForeignFileError as error:
        raise LedgerError(f"{path}: {error.reason}; records need a file of your own") from error
    except OSError as error:
        raise LedgerError(f"{path}: cannot be made: {error.strerror or error}") from error
    except sqlite3.Error as error:
        raise LedgerError(f"{path}: {reason(error)}") from error
    try:
        prepare(connection, path)
    except sqlite3.Error as error:
        connection.close()
        raise LedgerError(f"{path}: {reason(error)}") from error
    except BaseException:
        connection.close()
        raise
    return connection
