"""Every price of a moment with its assessment (D45): what lists, matrix and commands judge by."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from oddsdesk.board.overtime import OvertimeForms
from oddsdesk.board.pushes import Pushes
from oddsdesk.board.quotes import BookQuote, MarketKey, by_market
from oddsdesk.pricing.assessment import (
    Assessment,
    Group,
    Setting,
    Sighting,
    assess,
    is_unread,
)
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.outcomes import DRAW, Outcome
from oddsdesk.pricing.profiles import Profiles, is_delayed
from oddsdesk.pricing.rules import MIN_EV, least_edge_factor
from oddsdesk.pricing.selections import line_groups
from oddsdesk.pricing.value import Candidate, ReferenceLine, judge, reference_line

_SLACK: Final = 1 - 1e-9
"""Prices this little below the least edge are assessed as well: it is rounded."""


class AssessedPrice(NamedTuple):
    """A price, what it is worth, and which outcome it is of."""

    quote: BookQuote
    selection: str
    line_key: str
    """The line group within the market, as ``LineGroup.key``."""
    side: str
    assessment: Assessment
    is_in_contract: bool
    """Whether the contract's rules list it at its gross odds (D29)."""

    @property
    def line(self) -> tuple[str, str, int, str]:
        """The outcomes of which at most one wins."""
        return *self.quote.market, self.line_key

    @property
    def outcome(self) -> tuple[str, str, int, str, str]:
        """What the price is of, whoever offers it."""
        return *self.line, self.side


def assess_prices(
    quotes: Sequence[BookQuote],
    reference: str,
    profiles: Profiles,
    now_ms: int,
    method: str = DEFAULT_METHOD,
    *,
    listable: bool = False,
) -> Iterator[AssessedPrice]:
    """Assess every price whose outcome the reference gives a fair price.

    Args:
        quotes: All that stands at the moment.
        reference: The bookmaker whose prices fair odds are made of.
        profiles: What each bookmaker keeps of a win.
        now_ms: The moment.
        method: How the reference's margin is taken out.
        listable: Leave out, for speed, what ``listed_at_all`` leaves out in any case: prices
            without the least edge even before commission.

    Raises:
        DevigError: unknown method.
    """
    moment = _Moment(quotes, reference, profiles, now_ms, method)
    for market in moment.markets.values():
        theirs = next((quote for quote in market if quote.bookmaker == reference), None)
        if theirs is None:
            continue
        judged = _MarketAtMoment(moment, theirs, listable=listable)
        for quote in market:
            if quote is not theirs:
                yield from judged.prices(quote)


class _Moment:
    """What is known across markets."""

    def __init__(
        self,
        quotes: Sequence[BookQuote],
        reference: str,
        profiles: Profiles,
        now_ms: int,
        method: str,
    ) -> None:
        self.markets = by_market(quotes)
        self.forms = OvertimeForms(quotes)
        self.profiles = profiles
        self.now_ms = now_ms
        self._reference = reference
        self._method = method

    def lines(self, quote: BookQuote) -> dict[str, ReferenceLine]:
        """Return a quote's line groups, devigged, by key."""
        groups = line_groups(quote.market_type, quote.match_name, quote.odds, quote.sport)
        return {
            group.key: reference_line(
                quote.market_type,
                group,
                [quote.odds[selection] for selection in group.selections],
                scraped_at=quote.scraped_at,
                is_live=quote.is_live,
                method=self._method,
            )
            for group in groups
        }

    def draw(self, quote: BookQuote) -> float | None:
        """Return the chance of a draw by the reference's moneyline before kick-off."""
        key: MarketKey = (quote.game_id, "moneyline", quote.period)
        for each in self.markets.get(key, ()):
            if each.bookmaker == self._reference and not each.is_live:
                line = self.lines(each).get("")
                price = None if line is None else line.prices.get(DRAW)
                return None if price is None or price.fair_odds is None else 1 / price.fair_odds
        return None


class _MarketAtMoment:
    """One market of a game: the reference's lines, and prices judged by them."""

    def __init__(self, moment: _Moment, reference: BookQuote, *, listable: bool) -> None:
        self._moment = moment
        self._least = least_edge_factor(reference.market_type) * _SLACK if listable else 0.0
        self._reference = reference
        self._lines = moment.lines(reference)
        has_pushes = reference.market_type in {"spread", "draw_no_bet"}
        draw = moment.draw(reference) if has_pushes else None
        self._pushes = Pushes(self._lines.values(), draw)
        self._overtime = moment.forms.of(reference)
        read = reference.read()
        self._unread = sum(outcome is None for outcome in read.values())
        self._settings: dict[tuple[str, bool], Setting] = {}

    def prices(self, quote: BookQuote) -> Iterator[AssessedPrice]:
        """Assess a bookmaker's prices."""
        read = quote.read()
        near = [
            (selection, outcome, line)
            for selection, outcome in read.items()
            if outcome is not None
            and (line := self._lines.get(outcome.key)) is not None
            and self._is_near(line, outcome.side, quote.odds[selection])
        ]
        groups = self._groups(quote, read) if near else {}
        for selection, outcome, line in near:
            yield self._assessed(quote, selection, outcome, line, groups[outcome.key])

    def _is_near(self, line: ReferenceLine, side: str, odds: float) -> bool:
        """Whether there are fair odds, and the least edge over them where that is wanted."""
        price = line.prices.get(side)
        fair = None if price is None else price.fair_odds
        return fair is not None and odds >= fair * self._least

    def _assessed(
        self,
        quote: BookQuote,
        selection: str,
        outcome: Outcome,
        line: ReferenceLine,
        group: Group,
    ) -> AssessedPrice:
        setting = self._setting(line, in_play=bool(quote.is_live or self._reference.is_live))
        odds = quote.odds[selection]
        sighting = Sighting(
            outcome.side,
            odds,
            quote.scraped_at,
            quote.is_live,
            quote.stale_after_ms,
            is_delayed=is_delayed(quote.bookmaker),
        )
        found = assess(setting, group, sighting)
        gross = found.service_ev_pct
        candidate = Candidate(outcome.side, odds, group.sides, quote.scraped_at, quote.is_live)
        return AssessedPrice(
            quote,
            selection,
            outcome.key,
            outcome.side,
            found,
            is_in_contract=gross is not None
            and gross >= MIN_EV
            and judge(line, candidate, setting.now_ms).is_value,
        )

    def _groups(self, quote: BookQuote, read: dict[str, Outcome | None]) -> dict[str, Group]:
        """Return what is known of each line group that a bookmaker prices."""
        sides: dict[str, set[str]] = {}
        for outcome in read.values():
            if outcome is not None:
                sides.setdefault(outcome.key, set()).add(outcome.side)
        unread = sum(outcome is None for outcome in read.values())
        profile = self._moment.profiles.of(quote.bookmaker)
        overtime = self._moment.forms.of(quote)
        return {
            key: Group(
                profile, frozenset(found), _is_doubtful(quote, unread, frozenset(found)), overtime
            )
            for key, found in sides.items()
        }

    def _setting(self, line: ReferenceLine, *, in_play: bool) -> Setting:
        key = (line.group.key, in_play)
        setting = self._settings.get(key)
        if setting is None:
            quote = self._reference
            setting = self._settings[key] = Setting(
                line=line,
                period=quote.period,
                sport=quote.sport,
                kick_off=quote.kick_off,
                now_ms=self._moment.now_ms,
                has_unread=_is_doubtful(quote, self._unread, frozenset(line.group.sides)),
                has_overtime=self._overtime,
                push=self._pushes.of(line, in_play=in_play),
                stale_after_ms=quote.stale_after_ms,
            )
        return setting


def _is_doubtful(quote: BookQuote, unread: int, sides: frozenset[str]) -> bool:
    """Whether outcomes beside these are unread, or a draw that was priced lately is missing."""
    is_draw_gone = quote.had_draw and quote.market_type == "moneyline" and DRAW not in sides
    return is_draw_gone or is_unread(quote.market_type, unread, sides)


def listed_at_all(prices: Iterable[AssessedPrice]) -> list[AssessedPrice]:
    """Return the prices that are value, would be but for their cautions, or that a service lists.

    The others are those that only their figures keep from being value.
    """
    return [
        price
        for price in prices
        if price.is_in_contract or price.assessment.is_value_but_for_cautions
    ]
