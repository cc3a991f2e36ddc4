"""Lists of bets of other programs: which titles they have, and what their words mean.

A file is told by its titles. Known by name are those whose columns are documented or seen in
several exports:

- **Pikkit** ``transactions.csv``: ``bet_id, sportsbook, type, status, odds, closing_line, ev,
  amount, profit, time_placed_iso, time_settled_iso, bet_info, tags, sports, leagues``;
- **Bet-Analytix**: ``Date;Type;Sport;Label;Odds;Stake;State;Bookmaker;Tipster;Category;
  Competition;BetType;Closing;...;Comment``, where the selections of a combined bet stand below it;
- **OddsJam** bet tracker: ``created_at, sportsbook, event_name, bet_name, market_name, odds,
  stake, bet_profit, status, ...``, odds American.

All others are plain lists, with such titles as ``Date, Sport, Selection, Stake, Odds, Result``.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from oddsdesk.ledger.cells import fold
from oddsdesk.ledger.columns import COLUMNS
from oddsdesk.ledger.commissions import COMMISSION, COMMISSION_AMOUNT, COMMISSION_PCT
from oddsdesk.pricing.formats import (
    AMERICAN,
    DECIMAL,
    FRACTIONAL,
    HONG_KONG,
    INDONESIAN,
    MALAY,
)
from oddsdesk.pricing.results import Result

NO_WORDS: Final[Mapping[str, Result | None]] = MappingProxyType({})
TIPSTER, EV_SHARE = "tipster", "ev"
DATE: Final = "date"
"""A title that may be of the bet or of the game: the latter beside a surer one of the bet."""
_STYLE_NAMES: Final = {
    DECIMAL: ("decimal", "eu"),
    AMERICAN: ("american", "us"),
    FRACTIONAL: ("fractional", "uk"),
    HONG_KONG: ("hongkong", "hk"),
    MALAY: ("malay", "malaysian"),
    INDONESIAN: ("indonesian", "indo"),
}
ODDS_KEYS: Final = {style: f"odds_{style}" for style in _STYLE_NAMES}
"""Columns whose title tells how odds are written, the most exact first."""
_ODDS_TITLES: Final = {
    title: ODDS_KEYS[style]
    for style, (whole, short) in _STYLE_NAMES.items()
    for title in (whole, f"{whole}odds", f"odds{whole}", f"{short}odds", f"odds{short}")
}
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
    DATE: "placed_at",
    "createdat": "placed_at",
    "timesettlediso": "settled_at",
    "starttime": "kick_off",
    **dict.fromkeys(("eventstartdate", "kickoffdate", "matchdate", "gamedate"), "kick_off"),
    "eventdate": "kick_off",
    "betinfo": "selection",
    "bet": "selection",
    "betname": "selection",
    "pick": "selection",
    "teamorplayer": "selection",
    "event": "match_name",
    "eventname": "match_name",
    "match": "match_name",
    "eventmatch": "match_name",
    "sports": "sport",
    "league": "competition",
    "leagues": "competition",
    "market": "market_type",
    "marketname": "market_type",
    **_ODDS_TITLES,
    "notes": "note",
    "comment": "note",
    "tags": "note",
    "profitloss": "profit",
    "tipster": TIPSTER,
    "commission": COMMISSION,
    **dict.fromkeys(("commissionpct", "commissionpercent", "commissionrate"), COMMISSION_PCT),
    **dict.fromkeys(("commissionamount", "commissionpaid"), COMMISSION_AMOUNT),
}

_MATCH_TOO: Final = ("fixture", "game", "teams")
"""Titles of the match where no surer one stands, the first of them alone."""


class Tracker(NamedTuple):
    """A program whose lists are known."""

    name: str
    signs: frozenset[str]
    """Folded titles that all of its lists have."""
    keys: Mapping[str, str]
    """What titles mean there, and nowhere else."""
    words: Mapping[str, Result | None] = NO_WORDS
    """What words of results mean there, and nowhere else."""
    odds: str | None = None
    """How its odds are written; None where only the cells tell."""
    has_legs: bool = False
    """Whether a line without date and stake is a part of the bet above it."""


BET_ANALYTIX_TITLES: Final = (
    *("Date", "Type", "Sport", "Label", "Odds", "Stake", "State", "Bookmaker", "Tipster"),
    *("Category", "Competition", "BetType", "Closing", "EstimatedProbability", "Commission"),
    *("Bonus", "Live", "Freebet", "Cashout", "Eachway", "Comment"),
)
BET_ANALYTIX_WORDS: Final[Mapping[str, Result | None]] = {
    "p": None,
    "w": Result.WON,
    "l": Result.LOST,
    "v": Result.VOID,
    "hw": Result.HALF_WON,
    "hl": Result.HALF_LOST,
}
"""There P is a bet that waits, elsewhere a push."""
OURS: Final = Tracker(
    "", frozenset({"placedat", "netodds", "closefairodds", "agems"}), {}, odds=DECIMAL
)
TRACKERS: Final = (
    OURS,
    Tracker(
        "Pikkit",
        frozenset({"sportsbook", "betinfo", "amount", "status"}),
        {"ev": EV_SHARE},
    ),
    Tracker(
        "Bet-Analytix",
        frozenset({"date", "label", "odds", "stake", "state", "bookmaker"}),
        {"label": "selection", "bettype": "market_type"},
        BET_ANALYTIX_WORDS,
        has_legs=True,
    ),
    Tracker(
        "OddsJam",
        frozenset({"sportsbook", "eventname", "betname", "marketname", "betprofit"}),
        {"betprofit": "profit", "gameid": "?game_id"},
        odds=AMERICAN,
    ),
)
"""Our own lists first."""
PLAIN: Final = Tracker("", frozenset(), {})


def tracker_of(titles: Sequence[str]) -> Tracker:
    """Return whose list has these titles; ``PLAIN`` for nobody's."""
    folded = set(map(fold, titles))
    return next((each for each in TRACKERS if each.signs <= folded), PLAIN)


def keys_of(titles: Sequence[str], tracker: Tracker) -> dict[str, str]:
    """Return what each title is called here; one that is not known begins with ``?``.

    ``Bet`` is our number beside a selection, and the selection itself in other lists.
    """
    has_selection = any(fold(title) == "selection" for title in titles)
    keys = {}
    for title in titles:
        folded = fold(title)
        known = {**_OTHERS, **_OWN, **tracker.keys}
        if folded == "bet" and not has_selection:
            known = _OTHERS
        keys[title] = known.get(folded, f"?{title}")
    of_bets = [title for title in titles if keys[title] == "placed_at"]
    if len(of_bets) > 1:
        of_games = "?{}" if "kick_off" in keys.values() else "kick_off"
        keys |= {title: of_games.format(title) for title in of_bets if fold(title) == DATE}
    if "match_name" not in keys.values():
        too = [title for title in titles if fold(title) in _MATCH_TOO]
        keys |= dict.fromkeys(too[:1], "match_name")
    return keys
