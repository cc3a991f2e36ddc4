"""Bets that come from files and go to them: our own tables, and those of other trackers.

Files are told apart by the titles of their columns (``ledger.trackers``). How odds are written is
told by the title, by the tracker or by the cells themselves; where none of them tells, the user
is asked.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, BinaryIO, Final, NamedTuple

import msgspec

from oddsdesk.contract.competitions import sport_of
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.times import format_ms
from oddsdesk.ledger.bets import BadBetError, PlacedBet, check_bet
from oddsdesk.ledger.columns import (
    COLUMNS,
    RESULT_WORDS,
    CellError,
    ColumnKind,
    close_of,
    fold,
    pointed,
    read_number,
    read_result,
    read_time,
)
from oddsdesk.ledger.trackers import (
    BET_ANALYTIX_TITLES,
    BET_ANALYTIX_WORDS,
    EACH_WAY,
    EV_SHARE,
    FREE_BET,
    ODDS_KEYS,
    TIPSTER,
    Tracker,
    keys_of,
    tracker_of,
)
from oddsdesk.pricing.formats import (
    AMERICAN,
    DECIMAL,
    FRACTIONAL,
    OddsFormatError,
    parse_odds,
)
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.results import Result, decided_share
from oddsdesk.spreadsheets import SheetError, as_written, read_sheet, safe_text

_NEEDED: Final = ("selection", "stake")
_KINDS: Final = {column.key: column.kind for column in COLUMNS}
_READ: Final = frozenset(column.key for column in COLUMNS if column.is_read) - {"odds"}
_SAID: Final = {*_KINDS, *ODDS_KEYS.values(), EV_SHARE, FREE_BET, EACH_WAY, TIPSTER}
_DEFAULTS: Final = {"market_type": "", "competition": "", "match_name": "", "bookmaker": ""}
_YES: Final = frozenset({"yes", "true", "1", "y", "oui"})
_MOST_NAMED: Final = 8
_CENT: Final = 0.01 + 1e-9
"""What rounding may make of a profit."""
NO_PROFILES: Final = Profiles()


class OddsUnclearError(SheetError):
    """Nothing tells how a file's odds are written; ``sample`` is one of them."""

    def __init__(self, sample: str) -> None:
        super().__init__(f"has odds such as {sample}, and does not tell how they are written")
        self.sample = sample


class ImportedBets(NamedTuple):
    """What a file of bets holds."""

    bets: list[PlacedBet]
    problems: list[str]
    """One line each: the number of the line, and what was expected there."""
    left_out: list[str]
    """Titles of columns that say nothing here."""
    tracker: str = ""
    """Whose list it is; empty for our own and plain ones."""
    odds: str = DECIMAL
    """How its odds are written, a style of ``pricing.formats``."""


def read_bets(
    data: bytes, now_ms: int, odds: str | None = None, profiles: Profiles = NO_PROFILES
) -> ImportedBets:
    """Return the bets of a CSV or XLSX file; a line that makes no sense is left out and named.

    ``odds`` is how the user says that they are written, a style of ``pricing.formats``. What they
    pay net is told by a column, else by the profit of a bet that was won, else by ``profiles``.

    Raises:
        OddsUnclearError: nobody told how its odds are written.
        SheetError: it is no table, or has no bets by its titles.
    """
    titles, rows = read_sheet(data)
    tracker = tracker_of(titles)
    keys = keys_of(titles, tracker)
    _check_titles(keys)
    named = [
        (row.number, {keys[title]: as_written(cell) for title, cell in row.cells.items()})
        for row in rows
    ]
    if tracker.has_legs:
        named = _with_legs(named)
    style = odds or _style(keys, tracker, [row for _, row in named])
    left_out = [title for title in titles if keys[title] not in _SAID]
    tells_net = "net_odds" in keys.values()
    found = ImportedBets([], [], left_out, tracker.name, style)
    for number, row in named:
        try:
            bet = _bet(row, now_ms, tracker, style)
            found.bets.append(bet if tells_net else _with_net(bet, row, profiles))
        except (CellError, BadBetError) as error:
            found.problems.append(f"line {number}: {error}")
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


def write_bet_analytix(bets: Iterable[PlacedBet], file: BinaryIO) -> int:
    """Write bets as Bet-Analytix takes them in, times in UTC; return how many it has no words for.

    Those are bets that were cashed out, whole or in part.
    """
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="", write_through=True)
    writer = csv.writer(text, delimiter=";", quoting=csv.QUOTE_ALL)
    writer.writerow(BET_ANALYTIX_TITLES)
    words = {result: word.upper() for word, result in BET_ANALYTIX_WORDS.items()}
    left_out = 0
    for bet in bets:
        if bet.result not in words or bet.cashed_stake:
            left_out += 1
            continue
        told = _for_bet_analytix(bet) | {"State": words[bet.result]}
        writer.writerow([safe_text(str(told.get(title, ""))) for title in BET_ANALYTIX_TITLES])
    text.detach()
    return left_out


def _for_bet_analytix(bet: PlacedBet) -> dict[str, str | float]:
    close = None if bet.close is None else bet.close.odds
    return {
        "Date": format_ms(bet.placed_at)[:16].replace("T", " "),
        "Type": "Simple",
        "Sport": bet.sport,
        "Label": " · ".join(filter(None, (bet.selection, bet.match_name))),
        "Odds": bet.odds,
        "Stake": bet.stake,
        "Bookmaker": bet.bookmaker,
        "Competition": bet.competition,
        "BetType": bet.market_type,
        "Closing": "" if close is None else close,
        "Comment": bet.note,
    }


def as_fields(bet: PlacedBet) -> dict[str, Any]:
    """Return a bet by column."""
    return {column.key: column.written(bet) for column in COLUMNS}


def _check_titles(keys: Mapping[str, str]) -> None:
    """Refuse a table that has no bets by its titles, and name those that nobody knows."""
    missing = [key for key in _NEEDED if key not in keys.values()]
    if not {"odds", *ODDS_KEYS.values()} & set(keys.values()):
        missing.append("odds")
    if not missing:
        return
    unknown = [title for title, key in keys.items() if key not in _SAID]
    said = f"is no list of bets: no column for {', '.join(missing)}"
    if unknown:
        more = len(unknown) - _MOST_NAMED
        named = ", ".join(unknown[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        said += f"; nothing is known of {named}"
    raise SheetError(said)


def _with_legs(rows: Sequence[tuple[int, dict[str, str]]]) -> list[tuple[int, dict[str, str]]]:
    """Return bets with the selections that stand below them in their notes."""
    bets: list[tuple[int, dict[str, str]]] = []
    for number, row in rows:
        if bets and not row.get("placed_at") and not row.get("stake"):
            bet = bets[-1][1]
            leg = f"{row.get('selection', '')} {row.get('odds', '')}".strip()
            bet["note"] = "; ".join(filter(None, (bet.get("note", ""), leg)))
        else:
            bets.append((number, dict(row)))
    return bets


def _style(keys: Mapping[str, str], tracker: Tracker, rows: Sequence[Mapping[str, str]]) -> str:
    """Return how odds are written: by a title, by the tracker, by the cells.

    Raises:
        OddsUnclearError: none of them tells.
    """
    told = next((style for style, key in ODDS_KEYS.items() if key in keys.values()), tracker.odds)
    return told or _style_of_cells([cell for row in rows if (cell := row.get("odds", "").strip())])


def _style_of_cells(cells: Sequence[str]) -> str:
    """Return how odds are written, by what no other way of writing them has.

    A fraction has a stroke. American odds have a sign or are 100 and more, and none lies between:
    a number below 100 is decimal. Numbers that are all 100 and more, or below 1, do not tell.
    """
    if any("/" in cell for cell in cells):
        return FRACTIONAL
    numbers = {cell: number for cell in cells if (number := _number(cell)) is not None}
    if any(cell.startswith("+") or number <= -100 for cell, number in numbers.items()):
        return AMERICAN
    odd = [cell for cell, number in numbers.items() if -100 < number < 1 and number != 0]
    if not odd and any(number < 100 for number in numbers.values()):
        return DECIMAL
    if numbers:
        raise OddsUnclearError([*odd, *numbers][0])
    return DECIMAL


def _number(cell: str) -> float | None:
    try:
        return float(pointed(cell))
    except ValueError:
        return None


def _bet(row: Mapping[str, str], now_ms: int, tracker: Tracker, style: str) -> PlacedBet:
    for kind in (FREE_BET, EACH_WAY):
        if fold(row.get(kind, "")) in _YES:
            raise CellError(f"a {kind}, whose profit is not that of its stake")
    read: dict[str, Any] = {
        key: _cell(key, text, tracker) for key, text in row.items() if key in _READ and text
    }
    odds = _odds(row, style)
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
    if row.get(TIPSTER):
        fields["note"] = "; ".join(filter(None, (f"by {row[TIPSTER]}", fields.get("note", ""))))
    fields["currency"] = fields.get("currency", "").upper()
    fields.setdefault("sport", sport_of(fields["competition"]))
    if fields["match_name"]:
        fields.setdefault("game_id", game_id(fields["competition"], fields["match_name"]))
    fields.setdefault("game_id", "")
    bet = PlacedBet(**fields | {"odds": odds, "close": close, "result": result})
    return check_bet(_ended(bet, row))


def _with_net(bet: PlacedBet, row: Mapping[str, str], profiles: Profiles) -> PlacedBet:
    """Return a bet with what its odds pay after commission, to the cent that was paid."""
    net = profiles.of(bet.bookmaker).net(bet.odds)
    if bet.result in (Result.WON, Result.HALF_WON) and (text := row.get("profit", "")):
        won = bet.stake * decided_share(bet.result)
        profit = read_number("profit", text)
        if profit > 0:
            is_gross = abs(profit - won * (bet.odds - 1)) <= _CENT
            net = bet.odds if is_gross else 1 + profit / won
    return bet if net == bet.odds else msgspec.structs.replace(bet, net_odds=net)


def _ended(bet: PlacedBet, row: Mapping[str, str]) -> PlacedBet:
    """Return a bet whose cash-out is told by its profit alone with what was paid back."""
    if bet.result is not Result.CASHED_OUT or bet.cashed_stake:
        return bet
    profit = read_number("profit", row.get("profit", ""))
    return msgspec.structs.replace(
        bet, cashed_stake=bet.stake, cashed_back=max(0.0, bet.stake + profit)
    )


def _cell(key: str, text: str, tracker: Tracker) -> Any:
    if key == "result":
        return read_result(text, {**RESULT_WORDS, **tracker.words})
    if _KINDS[key] is ColumnKind.TIME:
        return read_time(key, text)
    return read_number(key, text) if _KINDS[key] is ColumnKind.NUMBER else text


def _odds(row: Mapping[str, str], style: str) -> float:
    text = (row.get(ODDS_KEYS.get(style, "")) or row.get("odds", "")).strip()
    if style == DECIMAL:
        return read_number("odds", pointed(text))
    try:
        return parse_odds(text.replace(",", ""), style)
    except OddsFormatError as error:
        raise CellError(f"odds {text!r}: {error}") from None


def _share(row: Mapping[str, str]) -> float | None:
    """Return the EV that Pikkit states as a share of 1, in percent."""
    text = row.get(EV_SHARE, "")
    return read_number("ev", text) * 100 if text else None
