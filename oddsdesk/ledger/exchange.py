"""Bets that come from files and go to them: our own tables, and those of other trackers.

Files are told apart by the titles of their columns. Besides our own, Pikkit's ``transactions.csv``
(``bet_id, sportsbook, type, status, odds, ev, amount, time_placed_iso, bet_info, sports, ...``)
and plain lists with titles such as ``Date, Sport, Selection, Stake, Odds, Result`` are read.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, BinaryIO, Final, NamedTuple

import msgspec

from oddsdesk.contract.competitions import sport_of
from oddsdesk.contract.identity import game_id
from oddsdesk.ledger.bets import BadBetError, PlacedBet, check_bet
from oddsdesk.ledger.columns import (
    COLUMNS,
    CellError,
    ColumnKind,
    close_of,
    fold,
    read_number,
    read_result,
    read_time,
)
from oddsdesk.pricing.results import Result
from oddsdesk.spreadsheets import SheetError, SheetRow, as_written, read_sheet, safe_text

_OWN: Final = {fold(column.key): column.key for column in COLUMNS}
_OTHERS: Final = {
    "sportsbook": "bookmaker",
    "book": "bookmaker",
    "bookie": "bookmaker",
    "status": "result",
    "outcome": "result",
    "state": "result",
    "amount": "stake",
    "wager": "stake",
    "risk": "stake",
    "timeplacediso": "placed_at",
    "dateplaced": "placed_at",
    "date": "placed_at",
    "timesettlediso": "settled_at",
    "starttime": "kick_off",
    "betinfo": "selection",
    "bet": "selection",
    "pick": "selection",
    "teamorplayer": "selection",
    "event": "match_name",
    "match": "match_name",
    "eventmatch": "match_name",
    "sports": "sport",
    "league": "competition",
    "leagues": "competition",
    "market": "market_type",
    "oddsamerican": "american",
    "notes": "note",
    "comment": "note",
    "tags": "note",
    "profitloss": "profit",
}
_NEEDED: Final = ("selection", "stake")
_KINDS: Final = {column.key: column.kind for column in COLUMNS}
_READ: Final = frozenset(column.key for column in COLUMNS if column.is_read)
_DEFAULTS: Final = {"market_type": "", "competition": "", "match_name": "", "bookmaker": ""}


class ImportedBets(NamedTuple):
    """What a file of bets holds."""

    bets: list[PlacedBet]
    problems: list[str]
    """One line each: the number of the line, and what was expected there."""
    left_out: list[str]
    """Titles of columns that say nothing here."""


def read_bets(data: bytes, now_ms: int) -> ImportedBets:
    """Return the bets of a CSV or XLSX file; a line that makes no sense is left out and named.

    Raises:
        SheetError: it is no table, or has no bets by its titles.
    """
    titles, rows = read_sheet(data)
    keys = _keys(titles)
    missing = [key for key in _NEEDED if key not in keys.values()]
    if not {"odds", "american"} & set(keys.values()):
        missing.append("odds")
    if missing:
        raise SheetError(f"is no list of bets: no column for {', '.join(missing)}")
    known = set(_KINDS) | {"ev", "american"}
    left_out = [title for title in titles if keys[title] not in known]
    is_american = _is_american(rows, keys)
    found = ImportedBets([], [], left_out)
    for row in rows:
        named = {keys[title]: as_written(cell) for title, cell in row.cells.items()}
        try:
            found.bets.append(_bet(named, now_ms, is_american=is_american))
        except (CellError, BadBetError) as error:
            found.problems.append(f"line {row.number}: {error}")
    return found


def write_csv(bets: Iterable[PlacedBet], file: BinaryIO) -> None:
    """Write bets as CSV in UTF-8, safe in a spreadsheet."""
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow([column.key for column in COLUMNS])
    for bet in bets:
        values = (column.written(bet) for column in COLUMNS)
        writer.writerow([safe_text(each) if isinstance(each, str) else each for each in values])
    text.detach()


def write_json(bets: Iterable[PlacedBet], file: BinaryIO) -> None:
    """Write bets as a JSON array of objects by column."""
    file.write(json.dumps([as_fields(bet) for bet in bets], indent=2).encode() + b"\n")


def as_fields(bet: PlacedBet) -> dict[str, Any]:
    """Return a bet by column."""
    return {column.key: column.written(bet) for column in COLUMNS}


def _keys(titles: Sequence[str]) -> dict[str, str]:
    """Return which of our columns each title is; a column that is not known keeps its title.

    ``Bet`` is our number beside a selection, and the selection itself in other lists.
    """
    keys = {}
    has_selection = any(fold(title) == "selection" for title in titles)
    for title in titles:
        folded = fold(title)
        known = {**_OTHERS, **_OWN}
        if folded == "bet" and not has_selection:
            known = _OTHERS
        keys[title] = known.get(folded, "ev" if folded == "ev" else f"?{title}")
    return keys


def _is_american(rows: Sequence[SheetRow], keys: Mapping[str, str]) -> bool:
    """Whether odds are American: no file has decimal odds that are all 100 or more, or signed."""
    if "american" in keys.values():
        return True
    cells = [row.cells.get(title, "") for row in rows for title in keys if keys[title] == "odds"]
    told = [as_written(cell) for cell in cells if cell]
    try:
        return bool(told) and all(abs(float(each)) >= 100 for each in told)
    except ValueError:
        return False


def _bet(row: Mapping[str, str], now_ms: int, *, is_american: bool) -> PlacedBet:
    read: dict[str, Any] = {
        key: _cell(key, text) for key, text in row.items() if key in _READ and text
    }
    odds = _odds(row, is_american=is_american)
    for key in _NEEDED:
        if key not in read:
            raise CellError(f"{key}: expected one, got nothing")
    close = close_of(
        read.pop("close_odds", None),
        read.pop("close_fair_odds", None),
        read.pop("close_method", ""),
        read.pop("close_at", None),
        read.pop("no_close", ""),
        read.pop("moved_to", ""),
        read.pop("moved_fair_odds", None),
    )
    result = read.pop("result", None)
    fields: dict[str, Any] = _DEFAULTS | {"placed_at": now_ms, "method": ""} | read
    fields["period"] = int(fields.get("period", 0))
    if "age_ms" in fields:
        fields["age_ms"] = int(fields["age_ms"])
    fields["cautions"] = tuple(fields.pop("cautions", "").split())
    fields["true_ev"] = fields.pop("ev_pct", _share(row))
    fields["currency"] = fields.get("currency", "").upper()
    fields.setdefault("sport", sport_of(fields["competition"]))
    if fields["match_name"]:
        fields.setdefault("game_id", game_id(fields["competition"], fields["match_name"]))
    fields.setdefault("game_id", "")
    bet = PlacedBet(**fields | {"odds": odds, "close": close, "result": result})
    return check_bet(_ended(bet, row))


def _ended(bet: PlacedBet, row: Mapping[str, str]) -> PlacedBet:
    """Return a bet whose cash-out is told by its profit alone with what was paid back."""
    if bet.result is not Result.CASHED_OUT or bet.cashed_stake:
        return bet
    profit = read_number("profit", row.get("profit", ""))
    return msgspec.structs.replace(
        bet, cashed_stake=bet.stake, cashed_back=max(0.0, bet.stake + profit)
    )


def _cell(key: str, text: str) -> Any:
    if key == "result":
        return read_result(text)
    if _KINDS[key] is ColumnKind.TIME:
        return read_time(key, text)
    return read_number(key, text) if _KINDS[key] is ColumnKind.NUMBER else text


def _odds(row: Mapping[str, str], *, is_american: bool) -> float:
    text = row.get("american") or row.get("odds", "")
    odds = read_number("odds", text)
    if not is_american:
        return odds
    if abs(odds) < 100:
        raise CellError(f"odds {text!r}: expected American odds such as -110 or +150")
    return 1 + (odds / 100 if odds > 0 else 100 / -odds)


def _share(row: Mapping[str, str]) -> float | None:
    """Return the EV that Pikkit states as a share of 1, in percent."""
    text = row.get("ev", "")
    return read_number("ev", text) * 100 if text else None
