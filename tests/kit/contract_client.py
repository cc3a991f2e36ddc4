"""A client of a service that is exactly the contract, without a socket: it answers from rows."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache
from typing import Any

from oddsdesk.client.answers import GameAnswer, Listing
from oddsdesk.client.client import Client
from oddsdesk.client.errors import BadRequestError, ForbiddenError, NotFoundError
from oddsdesk.contract import identity
from oddsdesk.contract.resources import (
    Bookmaker,
    BookOddsCell,
    Game,
    MarketMatrix,
    MatrixRow,
    OddsRow,
    ReferenceCell,
    Sport,
    ValueBet,
)
from tests.kit.board import REFERENCE, odds_row

game_id = cache(identity.game_id)
"""Asked of every row, of the same few games."""


class ContractClient(Client):
    """Answers as the contract has it: no cursor, ``most`` items at most.

    Attributes:
        rows: What it offers now.
        asked: The questions, as path and filters.
        before: Called with each question before it is answered; may raise, or change ``rows``.
    """

    def __init__(
        self,
        rows: list[OddsRow],
        *,
        most: int = 500,
        refuses_limits: bool = False,
        only: str | None = None,
        has_live: bool = True,
        has_games: bool = True,
        shuffles: bool = False,
    ) -> None:
        super().__init__("http://127.0.0.1:1", "key")
        self.rows = rows
        self.bets: list[ValueBet] = []
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.before: Callable[[str, dict[str, Any]], None] = lambda _path, _asked: None
        self._most = most
        self._refuses_limits = refuses_limits
        self._only = only
        self._has_live = has_live
        self._has_games = has_games
        self._dice = random.Random(1) if shuffles else None

    @property
    def requests(self) -> int:
        return len(self.asked)

    def paths(self) -> Counter[str]:
        return Counter(path for path, _ in self.asked)

    def seen(self) -> list[OddsRow]:
        """The rows that the plan shows."""
        return [
            row
            for row in self.rows
            if (self._has_live or not row.is_live) and self._only in (None, row.bookmaker)
        ]

    async def sports(self) -> Listing[Sport]:
        self._note("sports", {})
        codes: dict[str, set[str]] = defaultdict(set)
        for row in self.rows:
            codes[row.sport].add(row.competition)
        return Listing([Sport(name, sorted(each), 1) for name, each in codes.items()])

    async def bookmakers(self, *, is_live: bool | None = None) -> Listing[Bookmaker]:
        self._note("bookmakers", {})
        counts = Counter[str]()
        for row in self.rows:
            counts[row.bookmaker] += len(row.odds)
        at = self.rows[0].scraped_at if self.rows else ""
        return Listing([Bookmaker(name, count, False, at) for name, count in counts.items()])

    async def odds(self, **asked: Any) -> Listing[OddsRow]:
        self._note("odds", asked)
        return self._cut(self.seen(), asked)

    async def live_odds(self, **asked: Any) -> Listing[OddsRow]:
        self._note("live", asked)
        return self._cut([row for row in self.seen() if row.is_live], asked)

    async def games(self, **asked: Any) -> Listing[Game]:
        self._note("games", asked)
        rows = defaultdict(list)
        for row in self.seen():
            rows[row.competition, row.match_name].append(row)
        by = asked.pop("bookmaker", None)
        return self._cut(
            [
                Game(
                    game_id(*key),
                    key[1],
                    key[0],
                    of[0].sport,
                    of[0].match_date,
                    any(row.is_live for row in of),
                    len({row.bookmaker for row in of}),
                    None,
                )
                for key, of in rows.items()
                if by is None or any(row.bookmaker == by for row in of)
            ],
            asked,
        )

    async def game(self, game: str, **asked: Any) -> GameAnswer:
        self._note("game", {"game": game, **asked})
        if not self._has_games:
            raise ForbiddenError("games_not_on_plan", "no games on this plan", 403)
        rows = [
            row
            for row in self.seen()
            if game_id(row.competition, row.match_name) == game
            and asked.get("market_type") in (None, row.market_type)
            and asked.get("bookmaker") in (None, row.bookmaker)
        ]
        if not rows:
            raise NotFoundError("not_found", "no such game", 404)
        first = rows[0]
        return GameAnswer(
            game_id=game,
            match_name=first.match_name,
            competition=first.competition,
            sport=first.sport,
            match_date=first.match_date,
            is_live=any(row.is_live for row in rows),
            all_bookmakers=sorted({row.bookmaker for row in rows}),
            markets=_markets(rows),
        )

    async def value_bets(self, **asked: Any) -> Listing[ValueBet]:
        self._note("value bets", asked)
        low, high = asked.pop("min_ev", 1.0), asked.pop("max_ev", 20.0)
        return self._cut([bet for bet in self.bets if low <= bet.ev_pct <= high], asked)

    def _note(self, path: str, asked: dict[str, Any]) -> None:
        assert "cursor" not in asked
        self.asked.append((path, dict(asked)))
        self.before(path, asked)

    def _cut(self, items: list[Any], asked: dict[str, Any]) -> Listing[Any]:
        limit = asked.pop("limit", 100)
        if limit > self._most and self._refuses_limits:
            raise BadRequestError("bad_request", "limit: too large", 400)
        if asked.get("is_live") and not self._has_live:
            raise ForbiddenError("live_not_on_plan", "no in-play odds on this plan", 403)
        if self._only is not None and asked.get("bookmaker") not in (None, self._only):
            raise ForbiddenError("bookmaker_forbidden", "one bookmaker only", 403)
        fitting = list(items)
        for name, value in asked.items():
            if value is not None:
                fitting = [item for item in fitting if getattr(item, name) == value]
        if self._dice is not None:
            self._dice.shuffle(fitting)
        return Listing(fitting[: min(limit, self._most)])


def _markets(rows: list[OddsRow]) -> list[MarketMatrix]:
    of: dict[tuple[str, int], list[OddsRow]] = defaultdict(list)
    for row in rows:
        of[row.market_type, row.period].append(row)
    return [
        MarketMatrix(
            kind,
            period,
            "",
            sorted({row.bookmaker for row in each if row.bookmaker != REFERENCE}),
            None,
            [_line(name, each) for name in dict.fromkeys(s for row in each for s in row.odds)],
        )
        for (kind, period), each in of.items()
    ]


def _line(selection: str, rows: list[OddsRow]) -> MatrixRow:
    books: dict[str, BookOddsCell | None] = {}
    reference = None
    for row in rows:
        odds = row.odds.get(selection)
        if row.bookmaker == REFERENCE:
            reference = ReferenceCell(odds, row.liquidity, row.scraped_at)
        else:
            books[row.bookmaker] = BookOddsCell(odds, row.scraped_at, row.url)
    return MatrixRow(selection, reference, books)


def many_rows(
    games: dict[str, int], bookmakers: int, kinds: tuple[str, ...] = ("moneyline", "total")
) -> list[OddsRow]:
    """Return rows of so many games by competition, each of all bookmakers; every tenth in play."""
    names = [REFERENCE, *(f"Book {number:02}" for number in range(1, bookmakers))]
    sports = {"NBA": "Basketball", "MLB": "Baseball", "NHL": "Hockey"}
    return [
        odds_row(
            name,
            {"A": 1.5 + number / 100, "B": 2.5},
            match_name=f"{code} {number} - Away",
            competition=code,
            sport=sports.get(code, "Football"),
            market_type=kind,
            is_live=number % 10 == 9,
            url=f"https://b.example/{code}/{number}/{name}/{kind}",
        )
        for code, count in games.items()
        for number in range(count)
        for name in names
        for kind in kinds
    ]
