"""The ledger's file: opened, kept whole, and read back."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from oddsdesk.ledger.bets import BadBetError, PlacedBet, check_bet
from oddsdesk.ledger.change import Change
from oddsdesk.ledger.hidden import Hidden, HiddenKind
from oddsdesk.ledger.presets import Preset, ValueFilter
from oddsdesk.ledger.schema import LedgerError, prepare, reason, recognise
from oddsdesk.places import make_folder
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.pricing.results import Result
from oddsdesk.private_files import ForeignFileError, make_private

T = TypeVar("T")

CLOSED_AGAIN: Final = "closed again"
"""What undo calls a change of closing lines: the only change that has them as they were."""
_BUSY_TIMEOUT_S: Final = 5.0
_FIELDS: Final = tuple(name for name in PlacedBet.__struct_fields__ if name != "ident")
_INSERT_BET: Final = (
    f"INSERT INTO placed_bet ({', '.join(_FIELDS)}) VALUES (:{', :'.join(_FIELDS)})"  # noqa: S608 - constants
)
_SELECT_BETS: Final = f"SELECT {', '.join(_FIELDS)}, id FROM placed_bet ORDER BY id"  # noqa: S608
_SELECT_BET: Final = f"SELECT {', '.join(_FIELDS)}, id FROM placed_bet WHERE id = ?"  # noqa: S608
_UPDATE_BET: Final = (
    f"UPDATE placed_bet SET {', '.join(f'{name} = :{name}' for name in _FIELDS)} WHERE id = :ident"  # noqa: S608
)
_PUT_BACK: Final = (
    f"INSERT INTO placed_bet ({', '.join(_FIELDS)}, id) VALUES (:{', :'.join(_FIELDS)}, :ident)"  # noqa: S608
)
_DELETE_BET: Final = "DELETE FROM placed_bet WHERE id = ?"
_SET_CLOSE: Final = "UPDATE placed_bet SET close = ? WHERE id = ?"
_NOTE_CHANGE: Final = "INSERT INTO bet_change (what, before) VALUES (?, ?)"
_FORGET_CHANGES: Final = "DELETE FROM bet_change WHERE id <= ?"
_LAST_CHANGE: Final = "SELECT id, what, before FROM bet_change ORDER BY id DESC LIMIT 1"
_MOST_CHANGES: Final = 1_000
_SAVE_PRESET: Final = (
    "INSERT INTO preset (name, filter) VALUES (?, ?) "
    "ON CONFLICT (name) DO UPDATE SET filter = excluded.filter"
)
_SELECT_PRESETS: Final = "SELECT name, filter FROM preset ORDER BY id"
_DELETE_PRESET: Final = "DELETE FROM preset WHERE name = ?"
_HIDE: Final = "INSERT OR REPLACE INTO hidden (kind, key, title, until) VALUES (?, ?, ?, ?)"
_FORGET_HIDDEN: Final = "DELETE FROM hidden WHERE until <= ?"
_SELECT_HIDDEN: Final = "SELECT kind, key, title, until FROM hidden ORDER BY rowid"
_UNHIDE: Final = "DELETE FROM hidden WHERE kind = ? AND key = ?"


class Ledger:
    """Presets, placed bets, what is hidden; each change is on the disk when its call returns.

    One thread at a time. Every method raises ``LedgerError`` where the file refuses.
    """

    def __init__(self, path: Path, *, is_made: bool = True) -> None:
        """Open a file; where there is none it is made, or else holds nothing and stays away."""
        self._path = path
        self._connection = _open(path, is_made=is_made)
        last = self._run(lambda c: c.execute(_LAST_CHANGE).fetchone())
        self._opened_after: int = last[0] if last else 0
        """The number of the last change of earlier sessions."""

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

    def hidden(self) -> list[Hidden]:
        """Return what is hidden, oldest first, and what was hidden for a time that is over."""
        rows = self._run(lambda c: c.execute(_SELECT_HIDDEN).fetchall())
        return [Hidden(HiddenKind(kind), *fields) for kind, *fields in rows]

    def hide(self, thing: Hidden, now_ms: int) -> None:
        """Hide something, and forget what was hidden for a time that is over."""

        def write(connection: sqlite3.Connection) -> None:
            connection.execute(_FORGET_HIDDEN, (now_ms,))
            connection.execute(_HIDE, (thing.kind.value, thing.key, thing.title, thing.until))

        self._change(write)

    def unhide(self, thing: Hidden) -> None:
        """Hide something no longer; what is not hidden is no error."""
        self._run(lambda c: c.execute(_UNHIDE, (thing.kind.value, thing.key)))

    def bets(self) -> list[PlacedBet]:
        """Return the placed bets in the order in which they were recorded."""
        rows = self._run(lambda c: c.execute(_SELECT_BETS).fetchall())
        return [_bet(row) for row in rows]

    def place(self, bet: PlacedBet) -> PlacedBet:
        """Record a bet and return it with its number."""
        return self.place_all([bet], "placed")[0]

    def place_all(self, bets: Sequence[PlacedBet], what: str) -> list[PlacedBet]:
        """Record bets, all or none, and return them with their numbers.

        ``what`` was done, as undo says it: "placed", "imported".
        """

        def write(connection: sqlite3.Connection) -> list[PlacedBet]:
            placed = [_inserted(connection, bet) for bet in bets]
            _note(connection, what, {_number(bet): None for bet in placed})
            return placed

        return self._change(write)

    def change(self, bets: Sequence[PlacedBet], what: str) -> None:
        """Record bets as they are now, all or none: edited, settled, cashed out.

        What was seen of their closing lines stays. One that is gone is no error.
        """

        def write(connection: sqlite3.Connection) -> None:
            before = {_number(bet): _held(connection, _number(bet)) for bet in bets}
            present = {number: held for number, held in before.items() if held is not None}
            for bet in bets:
                held = present.get(_number(bet))
                if held is not None:
                    kept = msgspec.structs.replace(bet, close=held.close)
                    connection.execute(_UPDATE_BET, _values(kept) | {"ident": bet.ident})
            _note(connection, what, present)

        self._change(write)

    def edit(self, before: PlacedBet, after: PlacedBet) -> None:
        """Record how a bet really was; what somebody else changed of it meanwhile stays.

        One that was on another outcome, or game, has no closing line: that is to be looked for.

        Raises:
            LedgerError: the bet is gone, or makes no sense with what was changed meanwhile.
        """
        edited = {
            name: getattr(after, name)
            for name in _FIELDS
            if getattr(after, name) != getattr(before, name)
        }

        def write(connection: sqlite3.Connection) -> None:
            number = _number(before)
            held = _held(connection, number)
            if held is None:
                raise LedgerError("the bet was deleted meanwhile")
            try:
                changed = check_bet(msgspec.structs.replace(held, **edited))
            except BadBetError as error:
                raise LedgerError(f"the bet was changed meanwhile: {error}") from error
            if changed.outcome != held.outcome or changed.has_others_close:
                changed = msgspec.structs.replace(changed, close=None)
            connection.execute(_UPDATE_BET, _values(changed) | {"ident": number})
            _note(connection, "edited", {number: held})

        self._change(write)

    def delete(self, *idents: int) -> None:
        """Delete bets."""

        def write(connection: sqlite3.Connection) -> None:
            before = {ident: _held(connection, ident) for ident in idents}
            connection.executemany(_DELETE_BET, [(ident,) for ident in idents])
            _note(connection, "deleted", {k: held for k, held in before.items() if held})

        self._change(write)

    def take_back_unchanged(self, bet: PlacedBet) -> bool:
        """Forget a bet that was just placed; False where it was changed since, or is gone.

        A closing line that was seen meanwhile is no change.
        """

        def write(connection: sqlite3.Connection) -> bool:
            number = _number(bet)
            held = _held(connection, number)
            if held is None or not _is_but_for_close(held, bet):
                return False
            connection.execute(_DELETE_BET, (number,))
            _note(connection, "taken back", {number: held})
            return True

        return self._change(write)

    def last_change(self) -> Change | None:
        """Return what ``undo`` would take back."""
        return self._run(self._last)

    def undo(self, change: Change | None = None) -> tuple[str, int] | None:
        """Take the last change of bets back; return what it was and of how many, None without one.

        ``change`` is taken back only while it is the last. Taking back is no change of its own:
        again takes back the one before.
        """

        def write(connection: sqlite3.Connection) -> tuple[str, int] | None:
            last = self._last(connection)
            if last is None or (change is not None and last.number != change.number):
                return None
            for number, bet in last.before.items():
                _put_back(connection, number, bet, with_close=last.what == CLOSED_AGAIN)
            connection.execute("DELETE FROM bet_change WHERE id = ?", (last.number,))
            return last.what, len(last.before)

        return self._change(write)

    def redo(self, change: Change) -> bool:
        """Do again what was undone; False where one of its bets was changed since."""

        def write(connection: sqlite3.Connection) -> bool:
            held = {number: _held(connection, number) for number in change.before}
            if not all(map(_is_but_for_close, held.values(), change.before.values())):
                return False
            for number, bet in change.after.items():
                _put_back(connection, number, bet, with_close=change.what == CLOSED_AGAIN)
            _note(connection, change.what, held)
            return True

        return self._change(write)

    def _last(self, connection: sqlite3.Connection) -> Change | None:
        last = connection.execute(_LAST_CHANGE).fetchone()
        if last is None:
            return None
        number, what, text = last
        before = msgspec.json.decode(text, type=dict[int, PlacedBet | None])
        after = {bet: _held(connection, bet) for bet in before}
        return Change(number, what, before, after, number <= self._opened_after)

    def write_closes(self, closes: Mapping[int, ClosingLine]) -> int:
        """Record closing lines by number of bet; return how many were news.

        One that is there stays; "no close" gives way to a close. They are no changes to undo.
        """

        def write(connection: sqlite3.Connection) -> int:
            written = 0
            for ident, close in closes.items():
                bet = _held(connection, ident)
                if bet is None or (bet.close and (bet.close.is_there or bet.close == close)):
                    continue
                written += connection.execute(_SET_CLOSE, (_close_text(close), ident)).rowcount
            return written

        return self._change(write)

    def close_again(self, closes: Mapping[int, ClosingLine | None]) -> int:
        """Replace closing lines by number of bet, as one change that can be undone.

        None leaves a bet without one, to be looked for. Return how many bets were changed.
        """

        def write(connection: sqlite3.Connection) -> int:
            before = {number: _held(connection, number) for number in closes}
            held = {
                number: bet
                for number, bet in before.items()
                if bet is not None and bet.close != closes[number]
            }
            for number, bet in held.items():
                closed = msgspec.structs.replace(bet, close=closes[number])
                connection.execute(_UPDATE_BET, _values(closed) | {"ident": number})
            _note(connection, CLOSED_AGAIN, held)
            return len(held)

        return self._change(write)

    def add(self, bets: Sequence[PlacedBet], presets: Sequence[Preset]) -> None:
        """Record bets and presets together, all or none; a preset's name has to be new."""

        def write(connection: sqlite3.Connection) -> None:
            connection.executemany(_INSERT_BET, map(_values, bets))
            connection.executemany(_SAVE_PRESET, map(_preset_values, presets))

        self._change(write)

    def version(self) -> int:
        """Return a number that differs once another program has changed the file."""
        return int(self._run(lambda c: c.execute("PRAGMA data_version").fetchone()[0]))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _change(self, write: Callable[[sqlite3.Connection], T]) -> T:
        """Write whole or not at all."""

        def act(connection: sqlite3.Connection) -> T:
            connection.execute("BEGIN IMMEDIATE")
            try:
                written = write(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:  # a full disk has ended it by itself
                    connection.execute("ROLLBACK")
                raise
            return written

        return self._run(act)

    def _run(self, act: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return act(self._connection)
        except sqlite3.Error as error:
            raise LedgerError(f"{self._path}: {reason(self._path, error)}") from error


def _values(bet: PlacedBet) -> dict[str, object]:
    values = {name: getattr(bet, name) for name in _FIELDS}
    return values | {
        "cautions": " ".join(bet.cautions),
        "result": None if bet.result is None else bet.result.value,
        "close": _close_text(bet.close),
    }


def _bet(row: Sequence[Any]) -> PlacedBet:
    values = dict(zip((*_FIELDS, "ident"), row, strict=True))
    result, close = values["result"], values["close"]
    return PlacedBet(
        **values
        | {
            "cautions": tuple(values["cautions"].split()),
            "practice": bool(values["practice"]),
            "leg": bool(values["leg"]),
            "result": None if result is None else Result(result),
            "close": None if close is None else msgspec.json.decode(close, type=ClosingLine),
        }
    )


def _close_text(close: ClosingLine | None) -> str | None:
    return None if close is None else msgspec.json.encode(close).decode()


def _number(bet: PlacedBet) -> int:
    assert bet.ident is not None, "a recorded bet has a number"
    return bet.ident


def _held(connection: sqlite3.Connection, ident: int) -> PlacedBet | None:
    row = connection.execute(_SELECT_BET, (ident,)).fetchone()
    return None if row is None else _bet(row)


def _inserted(connection: sqlite3.Connection, bet: PlacedBet) -> PlacedBet:
    cursor = connection.execute(_INSERT_BET, _values(bet))
    return msgspec.structs.replace(bet, ident=cursor.lastrowid)


def _note(
    connection: sqlite3.Connection, what: str, before: Mapping[int, PlacedBet | None]
) -> None:
    """Keep what changed, for undo."""
    if before:
        text = msgspec.json.encode(before).decode()
        cursor = connection.execute(_NOTE_CHANGE, (what, text))
        connection.execute(_FORGET_CHANGES, ((cursor.lastrowid or 0) - _MOST_CHANGES,))


def _is_but_for_close(held: PlacedBet | None, bet: PlacedBet | None) -> bool:
    """Whether a bet is held as it was; a closing line that was seen since is no change."""
    if held is None or bet is None:
        return held is bet
    return msgspec.structs.replace(held, close=bet.close) == bet


def _put_back(
    connection: sqlite3.Connection, number: int, bet: PlacedBet | None, *, with_close: bool
) -> None:
    """Have a bet as it was, ``with_close`` or with the close that was seen of its outcome since."""
    held = _held(connection, number)
    if bet is None:
        connection.execute(_DELETE_BET, (number,))
    elif held is None:
        connection.execute(_PUT_BACK, _values(bet) | {"ident": number})
    else:
        if held.outcome == bet.outcome and not with_close:
            bet = msgspec.structs.replace(bet, close=held.close or bet.close)
        connection.execute(_UPDATE_BET, _values(bet) | {"ident": number})


def _preset_values(preset: Preset) -> tuple[str, str]:
    return preset.name, msgspec.json.encode(preset.filter).decode()


def _open(path: Path, *, is_made: bool) -> sqlite3.Connection:
    place: Path | str = path
    try:
        if is_made or path.exists() or path.is_symlink():
            recognise(path)
            make_folder(path.parent)
            make_private(path)
        else:
            place = ":memory:"
        connection = sqlite3.connect(
            place, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
    except ForeignFileError as error:
        raise LedgerError(f"{path}: {error.reason}; records need a file of your own") from error
    except OSError as error:
        raise LedgerError(f"{path}: cannot be made: {error.strerror or error}") from error
    except sqlite3.Error as error:
        raise LedgerError(f"{path}: {reason(path, error)}") from error
    try:
        prepare(connection, path)
    except sqlite3.Error as error:
        connection.close()
        raise LedgerError(f"{path}: {reason(path, error)}") from error
    except BaseException:
        connection.close()
        raise
    return connection
