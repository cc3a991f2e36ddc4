"""The ledger file: placed bets, presets and hidden things."""

import sqlite3
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from oddsdesk.base.files import ForeignFileError, make_private
from oddsdesk.base.places import make_folder
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.texts import _, pgettext, translated
from oddsdesk.contract.texts import folded, plain_letters
from oddsdesk.ledger.accounts import MoneyTables
from oddsdesk.ledger.bet_kinds import BetKind, BetLeg
from oddsdesk.ledger.bets import BadBetError, PlacedBet, check_bet, is_open_as, taken_back
from oddsdesk.ledger.legs import closed_by_legs, parts_of, with_close
from oddsdesk.ledger.presets import NO_CHOICES, Hidden, HiddenKind, ListChoices, Preset, ValueFilter
from oddsdesk.ledger.same_bets import lacking
from oddsdesk.ledger.schema import LedgerError, prepare_ledger, reason, recognise_ledger
from oddsdesk.pricing.closing import BetPart, ClosingLine
from oddsdesk.pricing.selections import Result


class Change(NamedTuple):
    """The last change to bets, with their numbers; None if a bet did not or does not exist."""

    number: int
    """Number in the log of changes."""
    what: str
    before: dict[int, PlacedBet | None]
    after: dict[int, PlacedBet | None]
    """The bets after the change."""
    is_earlier: bool
    """Whether it was made in an earlier session, before this ledger was opened."""


T = TypeVar("T")

CLOSED_AGAIN: Final = "closed again"
"""Undo's name for a change of closing lines, the only one that restores old closes."""
CHANGE_WORDS: Final = {
    "placed": pgettext("a change of bets", "placed"),
    "imported": pgettext("a change of bets", "imported"),
    "synced": pgettext("a change of bets", "synced"),
    "settled": pgettext("a change of bets", "settled"),
    "reopened": pgettext("a change of bets", "reopened"),
    "cashed out": pgettext("a change of bets", "cashed out"),
    "edited": pgettext("a change of bets", "edited"),
    "deleted": pgettext("a change of bets", "deleted"),
    "removed": pgettext("a change of bets", "removed"),
    CLOSED_AGAIN: pgettext("a change of bets", "closed again"),
}
"""The names of changes for people."""
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
_SET_CLOSE: Final = "UPDATE placed_bet SET close = ?, legs = ? WHERE id = ?"
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
_SELECT_CHOICES: Final = "SELECT choices FROM list_choice WHERE titles = ?"
_SAVE_CHOICES: Final = "INSERT OR REPLACE INTO list_choice (titles, choices) VALUES (?, ?)"
_SELECT_ALL_CHOICES: Final = "SELECT titles, choices FROM list_choice"
_ADD_CHOICES: Final = "INSERT OR IGNORE INTO list_choice (titles, choices) VALUES (?, ?)"
_UNHIDE: Final = "DELETE FROM hidden WHERE kind = ? AND key = ?"


class Ledger:
    """Presets, placed bets and hidden things; a change is on disk when its call returns.

    For one thread at a time. Every method raises ``LedgerError`` if the file cannot be used.
    """

    def __init__(self, path: Path, *, is_made: bool = True, is_read_only: bool = False) -> None:
        """Open a file; a missing one is created, or treated as empty if not ``is_made``.

        With ``is_read_only`` a copy in memory is opened: no change reaches the file, and an older
        file is brought up to date in the copy only.
        """
        self._path = path
        self._connection = _copy(path) if is_read_only else _open(path, is_made=is_made)
        last = self._run(lambda c: c.execute(_LAST_CHANGE).fetchone())
        self._opened_after: int = last[0] if last else 0
        """Number of the last change of earlier sessions."""
        self.money = MoneyTables(self._change, self._run)
        """Money moved to and from accounts, and exchange rates."""

    def presets(self) -> tuple[list[Preset], list[str]]:
        """Return the user's presets, oldest first, and errors for the unreadable ones."""
        presets, bad = [], []
        for name, text in self._run(lambda c: c.execute(_SELECT_PRESETS).fetchall()):
            try:
                presets.append(Preset(name, msgspec.json.decode(text, type=ValueFilter)))
            except msgspec.DecodeError as error:
                bad.append(_("preset {name!r}: {error}").format(name=name, error=error))
        return presets, bad

    def save_preset(self, preset: Preset) -> None:
        """Store a preset and replace one of the same name."""
        self._run(lambda c: c.execute(_SAVE_PRESET, _preset_values(preset)))

    def delete_preset(self, name: str) -> None:
        """Delete a preset; a missing one is no error."""
        self._run(lambda c: c.execute(_DELETE_PRESET, (name,)))

    def hidden(self) -> list[Hidden]:
        """Return what is hidden, oldest first, including what has expired."""
        rows = self._run(lambda c: c.execute(_SELECT_HIDDEN).fetchall())
        return [Hidden(HiddenKind(kind), *fields) for kind, *fields in rows]

    def hide(self, thing: Hidden, now_ms: int) -> None:
        """Hide something, and delete what has expired."""

        def insert_hidden(connection: sqlite3.Connection) -> None:
            connection.execute(_FORGET_HIDDEN, (now_ms,))
            connection.execute(_HIDE, (thing.kind.value, thing.key, thing.title, thing.until))

        self._change(insert_hidden)

    def unhide(self, thing: Hidden) -> None:
        """Show something again; no error if it is not hidden."""
        self._run(lambda c: c.execute(_UNHIDE, (thing.kind.value, thing.key)))

    def list_choices(self, titles: Iterable[str]) -> ListChoices:
        """Return the user's choices for lists with these titles, in any order."""
        key = (_titles_text(titles),)
        row = self._run(lambda c: c.execute(_SELECT_CHOICES, key).fetchone())
        return msgspec.json.decode(row[0], type=ListChoices) if row else NO_CHOICES

    def remember_choices(self, titles: Iterable[str], choices: ListChoices) -> None:
        """Store the user's choices for lists with these titles, for the next one."""
        values = _titles_text(titles), msgspec.json.encode(choices).decode()
        self._run(lambda c: c.execute(_SAVE_CHOICES, values))

    def read_bets(self) -> list[PlacedBet]:
        """Return the placed bets in the order they were recorded."""
        rows = self._run(lambda c: c.execute(_SELECT_BETS).fetchall())
        return [_bet(row) for row in rows]

    def record_bet(self, bet: PlacedBet) -> PlacedBet:
        """Record a bet and return it with its number."""
        return self.place_all([bet], "placed")[0]

    def place_all(self, bets: Sequence[PlacedBet], what: str) -> list[PlacedBet]:
        """Record bets, all or none, and return them with their numbers.

        ``what`` names the change for undo: "placed", "imported".
        """

        def insert_bets(connection: sqlite3.Connection) -> list[PlacedBet]:
            placed = [_inserted(connection, bet) for bet in bets]
            _note(connection, what, {_number(bet): None for bet in placed})
            return placed

        return self._change(insert_bets)

    def change_bet(self, bets: Sequence[PlacedBet], what: str) -> None:
        """Store the new state of bets, all or none: edited, settled, cashed out.

        Recorded closing lines stay. Deleted bets are ignored.
        """

        def update_bet(connection: sqlite3.Connection) -> None:
            before = {_number(bet): _held(connection, _number(bet)) for bet in bets}
            present = {number: held for number, held in before.items() if held is not None}
            for bet in bets:
                held = present.get(_number(bet))
                if held is not None:
                    kept = _with_held_closes(bet, held)
                    connection.execute(_UPDATE_BET, _values(kept) | {"ident": bet.ident})
            _note(connection, what, present)

        self._change(update_bet)

    def take_over(
        self, fresh: Sequence[PlacedBet], changed: Sequence[PlacedBet], what: str
    ) -> tuple[int, int]:
        """Record new bets and new states of others, all or none, as one change named ``what``.

        Recorded closing lines stay. Bets that were deleted meanwhile are ignored. Returns how many
        were recorded, and how many changed.
        """

        def write_bets(connection: sqlite3.Connection) -> tuple[int, int]:
            before: dict[int, PlacedBet | None] = {}
            for bet in changed:
                held = _held(connection, _number(bet))
                if held is not None:
                    before[_number(bet)] = held
                    kept = _with_held_closes(bet, held)
                    connection.execute(_UPDATE_BET, _values(kept) | {"ident": bet.ident})
            count = len(before)
            before |= {_number(_inserted(connection, bet)): None for bet in fresh}
            _note(connection, what, before)
            return len(fresh), count

        return self._change(write_bets)

    def settle_open(self, ended: Sequence[PlacedBet]) -> list[PlacedBet]:
        """Settle bets, or legs, by themselves as one change; return the bets that changed.

        A bet is left alone if it was settled, edited or deleted since it was read, or if the user
        took back this result meanwhile.
        """

        def settle_bets(connection: sqlite3.Connection) -> list[PlacedBet]:
            before, after = dict[int, PlacedBet](), list[PlacedBet]()
            for bet in ended:
                held = _held(connection, _number(bet))
                if held is None or not is_open_as(held, bet):
                    continue
                before[_number(bet)] = held
                after.append(_with_held_closes(bet, held))
                values = _values(after[-1]) | {"ident": bet.ident}
                connection.execute(_UPDATE_BET, values)
            _note(connection, "settled", before)
            return after

        return self._change(settle_bets)

    def edit(self, before: PlacedBet, after: PlacedBet) -> None:
        """Correct a bet; other changes made to it meanwhile are kept.

        If its outcome or game changes, its closing line is dropped, to be looked for again, and an
        undone settlement is forgotten.

        Raises:
            LedgerError: the bet was deleted, or the result makes no sense with the other changes.
        """
        edited = {
            name: getattr(after, name)
            for name in _FIELDS
            if getattr(after, name) != getattr(before, name)
        }

        def update_bets(connection: sqlite3.Connection) -> None:
            number = _number(before)
            held = _held(connection, number)
            if held is None:
                raise LedgerError(_("the bet was deleted meanwhile"))
            try:
                changed = check_bet(msgspec.structs.replace(held, **edited))
            except BadBetError as error:
                raise LedgerError(
                    _("the bet was changed meanwhile: {error}").format(error=error)
                ) from error
            outcomes, kick_offs = changed.side != held.side, changed.kick_off != held.kick_off
            if _outcomes_of_legs(changed) != _outcomes_of_legs(held):
                changed, outcomes = _with_other_legs(changed, held), True
            elif outcomes or changed.has_others_close:
                changed = msgspec.structs.replace(changed, close=None)
            if outcomes or kick_offs:
                changed = msgspec.structs.replace(changed, undone="")
            connection.execute(_UPDATE_BET, _values(changed) | {"ident": number})
            _note(connection, "edited", {number: held})

        self._change(update_bets)

    def delete_bets(self, *idents: int) -> None:
        """Delete bets."""

        def delete_bets(connection: sqlite3.Connection) -> None:
            before = {ident: _held(connection, ident) for ident in idents}
            connection.executemany(_DELETE_BET, [(ident,) for ident in idents])
            _note(connection, "deleted", {k: held for k, held in before.items() if held})

        self._change(delete_bets)

    def take_back_unchanged(self, *bets: PlacedBet) -> bool:
        """Delete bets that were just placed, as one change.

        Returns False, and deletes none, if one was changed or deleted. A closing line seen
        meanwhile is not a change.
        """

        def delete_unchanged(connection: sqlite3.Connection) -> bool:
            held = {_number(bet): _held(connection, _number(bet)) for bet in bets}
            if not all(map(_is_but_for_close, held.values(), bets)):
                return False
            present = {number: bet for number, bet in held.items() if bet is not None}
            connection.executemany(_DELETE_BET, [(number,) for number in present])
            _note(connection, "removed", present)
            return True

        return self._change(delete_unchanged)

    def last_change(self) -> Change | None:
        """Return what ``undo_change`` would undo."""
        return self._run(self._last)

    def last_change_number(self) -> int | None:
        """Return the number of the last change; it costs less than the change."""

        def read_number(connection: sqlite3.Connection) -> int | None:
            last = connection.execute(_LAST_CHANGE).fetchone()
            return None if last is None else int(last[0])

        return self._run(read_number)

    def undo_change(self, change: Change | None = None) -> tuple[str, int] | None:
        """Undo the last change; return its name and the number of bets, None if there is none.

        A given ``change`` is only undone while it is the last one. Undoing records no change:
        calling it again undoes the change before. A bet that had settled by itself remembers that
        (``PlacedBet.undone``).
        """

        def undo_change(connection: sqlite3.Connection) -> tuple[str, int] | None:
            last = self._last(connection)
            if last is None or (change is not None and last.number != change.number):
                return None
            for number, bet in last.before.items():
                was = last.after.get(number)
                if bet is not None and bet.result is None and was is not None:
                    bet = taken_back(bet, was)
                _put_back(connection, number, bet, with_close=last.what == CLOSED_AGAIN)
            connection.execute("DELETE FROM bet_change WHERE id = ?", (last.number,))
            return last.what, len(last.before)

        return self._change(undo_change)

    def redo(self, change: Change) -> bool:
        """Redo what was undone; return False if one of its bets was changed since."""

        def redo_change(connection: sqlite3.Connection) -> bool:
            held = {number: _held(connection, number) for number in change.before}
            if not all(map(_is_but_for_close, held.values(), change.before.values())):
                return False
            for number, bet in change.after.items():
                _put_back(connection, number, bet, with_close=change.what == CLOSED_AGAIN)
            _note(connection, change.what, held)
            return True

        return self._change(redo_change)

    def _last(self, connection: sqlite3.Connection) -> Change | None:
        last = connection.execute(_LAST_CHANGE).fetchone()
        if last is None:
            return None
        number, what, text = last
        before = msgspec.json.decode(text, type=dict[int, PlacedBet | None])
        after = {bet: _held(connection, bet) for bet in before}
        return Change(number, what, before, after, number <= self._opened_after)

    def write_closes(self, closes: Mapping[BetPart, ClosingLine]) -> int:
        """Record closing lines of bets and legs; return how many are new.

        A multiple closes once all of its legs have. An existing close stays, but replaces "no
        close". This is not a change to undo.
        """

        def update_closes(connection: sqlite3.Connection) -> int:
            written = 0
            for key, close in closes.items():
                ident, place = key if isinstance(key, tuple) else (key, 0)
                bet = _held(connection, ident)
                if bet is None or place > len(bet.legs):
                    continue
                there = bet.legs[place - 1].close if place else bet.close
                if there and (there.is_there or there == close):
                    continue
                closed = with_close(bet, place, close)
                values = _close_text(closed.close), _legs_text(closed.legs), ident
                written += connection.execute(_SET_CLOSE, values).rowcount
            return written

        return self._change(update_closes)

    def close_again(self, closes: Mapping[BetPart, ClosingLine | None]) -> int:
        """Replace closing lines of bets and legs, as one change that can be undone.

        None removes a close, to be looked for again. Returns the number of changed bets.
        """

        def replace_closes(connection: sqlite3.Connection) -> int:
            before, after = dict[int, PlacedBet](), dict[int, PlacedBet]()
            for key, close in closes.items():
                number, place = key if isinstance(key, tuple) else (key, 0)
                bet = after.get(number) or _held(connection, number)
                if bet is not None and place <= len(bet.legs):
                    before.setdefault(number, bet)
                    after[number] = with_close(bet, place, close)
            held = {number: bet for number, bet in before.items() if bet != after[number]}
            for number in held:
                values = _values(after[number]) | {"ident": number}
                connection.execute(_UPDATE_BET, values)
            _note(connection, CLOSED_AGAIN, held)
            return len(held)

        return self._change(replace_closes)

    def all_choices(self) -> list[tuple[str, str]]:
        """Return the user's choices for lists of bets, as stored: titles and choices."""
        return self._run(lambda c: c.execute(_SELECT_ALL_CHOICES).fetchall())

    def add_bets(
        self,
        bets: Sequence[PlacedBet],
        presets: Sequence[Preset],
        choices: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Record bets and presets together, all or none; preset names must be new.

        ``choices`` about lists, of ``all_choices``, are added for titles that have none.
        """

        def insert_records(connection: sqlite3.Connection) -> None:
            connection.executemany(_INSERT_BET, map(_values, bets))
            connection.executemany(_SAVE_PRESET, map(_preset_values, presets))
            connection.executemany(_ADD_CHOICES, choices)

        self._change(insert_records)

    def version(self) -> int:
        """Return a number that changes whenever another program changes the file."""
        return int(self._run(lambda c: c.execute("PRAGMA data_version").fetchone()[0]))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _change(self, write: Callable[[sqlite3.Connection], T]) -> T:
        """Write everything or nothing."""

        def act(connection: sqlite3.Connection) -> T:
            connection.execute("BEGIN IMMEDIATE")
            try:
                written = write(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:  # a full disk has already ended it
                    connection.execute("ROLLBACK")
                raise
            return written

        return self._run(act)

    def _run(self, act: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return act(self._connection)
        except sqlite3.Error as error:
            raise LedgerError(f"{self._path}: {reason(self._path, error)}") from error


def _titles_text(titles: Iterable[str]) -> str:
    return "\n".join(sorted(folded(plain_letters(title)) for title in titles))


def _values(bet: PlacedBet) -> dict[str, object]:
    values = {name: getattr(bet, name) for name in _FIELDS}
    return values | {
        "cautions": " ".join(bet.cautions),
        "result": None if bet.result is None else bet.result.value,
        "close": _close_text(bet.close),
        "kind": bet.kind.value,
        "legs": _legs_text(bet.legs),
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
            "kind": BetKind(values["kind"]),
            "legs": msgspec.json.decode(values["legs"], type=tuple[BetLeg, ...]),
        }
    )


def _legs_text(legs: tuple[BetLeg, ...]) -> str:
    return msgspec.json.encode(legs).decode()


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
    """Store the state before a change, for undo."""
    if before:
        text = msgspec.json.encode(before).decode()
        cursor = connection.execute(_NOTE_CHANGE, (what, text))
        connection.execute(_FORGET_CHANGES, ((cursor.lastrowid or 0) - _MOST_CHANGES,))


def _is_but_for_close(held: PlacedBet | None, bet: PlacedBet | None) -> bool:
    """Return whether a bet is unchanged, apart from closing lines seen since, or an undo."""
    if held is None or bet is None:
        return held is bet
    legs = held.legs
    if len(legs) == len(bet.legs):
        pairs = zip(legs, bet.legs, strict=True)
        legs = tuple(
            msgspec.structs.replace(leg, close=other.close, undone=other.undone)
            for leg, other in pairs
        )
    return msgspec.structs.replace(held, close=bet.close, undone=bet.undone, legs=legs) == bet


def _outcomes_of_legs(bet: PlacedBet) -> list[Hashable]:
    return [(part.bet.outcome, part.bet.kick_off) for part in parts_of(bet) if part.leg]


def _with_other_legs(bet: PlacedBet, held: PlacedBet) -> PlacedBet:
    """Return a bet without the closes of legs that are on other outcomes than before."""
    known = dict(zip(_outcomes_of_legs(held), held.legs, strict=True))
    there = zip(_outcomes_of_legs(bet), bet.legs, strict=True)
    legs = tuple(
        msgspec.structs.replace(leg, close=known[key].close if key in known else None)
        for key, leg in there
    )
    return closed_by_legs(msgspec.structs.replace(bet, legs=legs, close=None))


def _with_held_closes(bet: PlacedBet, held: PlacedBet) -> PlacedBet:
    """Return a bet with the closing lines in the ledger, where legs may have become void."""
    legs = bet.legs
    if len(legs) == len(held.legs):
        pairs = zip(legs, held.legs, strict=True)
        legs = tuple(msgspec.structs.replace(leg, close=was.close) for leg, was in pairs)
    return closed_by_legs(msgspec.structs.replace(bet, close=held.close, legs=legs))


def _put_back(
    connection: sqlite3.Connection, number: int, bet: PlacedBet | None, *, with_close: bool
) -> None:
    """Restore a bet, ``with_close`` or with the close of its outcome that was seen since."""
    held = _held(connection, number)
    if bet is None:
        connection.execute(_DELETE_BET, (number,))
    elif held is None:
        connection.execute(_PUT_BACK, _values(bet) | {"ident": number})
    else:
        is_on_same = _outcomes_of_legs(held) == _outcomes_of_legs(bet)
        if held.side == bet.side and is_on_same and not with_close:
            bet = _with_held_closes(bet, held if held.close or held.legs else bet)
        is_same = (held.side, held.kick_off) == (bet.side, bet.kick_off)
        if is_same and bet.result is None and not bet.undone:
            bet = msgspec.structs.replace(bet, undone=held.undone)
        connection.execute(_UPDATE_BET, _values(bet) | {"ident": number})


def _preset_values(preset: Preset) -> tuple[str, str]:
    return preset.name, msgspec.json.encode(preset.filter).decode()


def _open(path: Path, *, is_made: bool) -> sqlite3.Connection:
    place: Path | str = path
    try:
        if is_made or path.exists() or path.is_symlink():
            recognise_ledger(path)
            make_folder(path.parent)
            make_private(path)
        else:
            place = ":memory:"
        connection = sqlite3.connect(
            place, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
    except ForeignFileError as error:
        raise LedgerError(
            _("{path}: {reason}; the ledger must be your own file").format(
                path=path, reason=error.reason
            )
        ) from error
    except OSError as error:
        raise LedgerError(
            _("{path}: cannot be created: {reason}").format(
                path=path, reason=translated(error_text(error))
            )
        ) from error
    except sqlite3.Error as error:
        raise LedgerError(f"{path}: {reason(path, error)}") from error
    try:
        prepare_ledger(connection, path)
    except sqlite3.Error as error:
        connection.close()
        raise LedgerError(f"{path}: {reason(path, error)}") from error
    except BaseException:
        connection.close()
        raise
    return connection


def _copy(path: Path) -> sqlite3.Connection:
    """Return a copy of a ledger in memory, up to date; an empty one if there is no file."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        if path.exists():
            recognise_ledger(path)
            uri = f"{path.absolute().as_uri()}?mode=ro"
            with closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_TIMEOUT_S)) as file:
                file.execute("BEGIN")
                file.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()  # locks, or fails
                file.backup(connection)
        prepare_ledger(connection, path, is_copy=True)
    except sqlite3.Error as error:
        connection.close()
        raise LedgerError(f"{path}: {reason(path, error)}") from error
    except BaseException:
        connection.close()
        raise
    return connection


def merge_ledger(other: Path, path: Path) -> tuple[int, int]:
    """Add bets and presets of another ledger that are missing here; return how many of each.

    Two bets are the same if they are on the same price and were placed at the same moment, whatever
    their notes or results. A preset whose name exists here is skipped. All are added or none, with
    what was said about lists of bets; movements of money and exchange rates follow. The other file
    is brought to the current schema.

    Raises:
        LedgerError: one of the files cannot be used.
    """
    with closing(Ledger(other)) as found:
        bets, (presets, _) = found.read_bets(), found.presets()
        choices, book = found.all_choices(), found.money.read_book()
    with closing(Ledger(path)) as ledger:
        missing = lacking(bets, ledger.read_bets())
        names = {preset.name for preset in ledger.presets()[0]}
        fresh = [preset for preset in presets if preset.name not in names]
        ledger.add_bets(missing, fresh, choices)
        ledger.money.add_missing(book)
    return len(missing), len(fresh)
