"""How bookmakers settle what is not an ordinary game: moved games, retirements, overtime.

A rule is a line of a CSV file (``resources/settlement_rules.csv``, or the user's own, whose cells
replace those): bookmaker, sport, hours that a moved game may wait, tennis retirement, overtime,
dead heat, and the page with the date on which it was read. An empty cell is not known, and nothing
is settled by it. A line without sport fills empty cells of the bookmaker's lines for one sport.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from enum import Enum
from functools import cache
from itertools import pairwise
from typing import Final, NamedTuple, TypeVar

import msgspec

from oddsdesk.base.places import resource_path
from oddsdesk.base.texts import N_
from oddsdesk.contract.competitions import named_sport
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.assessment import settles_otherwise
from oddsdesk.pricing.game_scores import TENNIS
from oddsdesk.pricing.profiles import Profiles, fold_name

COLUMNS: Final = (
    "bookmaker",
    "sport",
    "postponed_hours",
    "retirement",
    "overtime",
    "dead_heat",
    "source_url",
    "read_on",
)
SAME_ROUND: Final = "round"
WAITS: Final = ("12", "24", "36", "48", "72", SAME_ROUND)
"""How long bets on a postponed game wait for it: hours after its kick-off, or until the round of
the competition ends."""


class Retirement(Enum):
    """When bets on the winner of a tennis match stand although a player retired."""

    FIRST_BALL = "first_ball"
    """Once the match has begun: the player who goes on to the next round wins."""
    FIRST_SET = "first_set"
    """Once a set has ended."""
    MATCH_COMPLETED = "match_completed"
    """Never: all bets on the winner are void."""
    ADVANCES = "advances"
    """Always: the player who goes on to the next round wins."""


class Overtime(Enum):
    """Whether overtime counts for bets on the whole game; football is always 90 minutes."""

    INCLUDED = "included"
    EXCLUDED = "excluded"


class DeadHeat(Enum):
    """What a winner that shares its place is paid."""

    REDUCED = "reduced"
    """The full odds on its share of the stake; the rest is lost."""
    FULL = "full"
    """The full odds on the whole stake."""


class SettlementRule(msgspec.Struct, frozen=True, kw_only=True):
    """A bookmaker's rules for a sport; None or empty if not known."""

    bookmaker: str
    sport: str = ""
    """In the contract's words; empty for all sports, where a line for one sport comes first."""
    postponed_hours: str = ""
    """One of ``WAITS``."""
    retirement: Retirement | None = None
    overtime: Overtime | None = None
    dead_heat: DeadHeat | None = None
    source_url: str = ""
    """The page where the bookmaker publishes it."""
    read_on: str = ""
    """The day on which it was read there: ``2026-11-29``."""

    @property
    def waiting_ms(self) -> int | None:
        """How long after its kick-off a postponed game may begin; None if that is not hours."""
        hours = self.postponed_hours
        return 60 * MINUTE_MS * int(hours) if hours.isdecimal() else None

    @property
    def counts_overtime(self) -> bool | None:
        """Whether overtime counts for bets on the whole game; None if not known."""
        return None if self.overtime is None else self.overtime is Overtime.INCLUDED


class SettlementRules:
    """Rules by any name of a bookmaker."""

    def __init__(
        self, rules: Iterable[SettlementRule] = (), profiles: Profiles | None = None
    ) -> None:
        """Take rules; of two for one bookmaker and sport the later one's known fields apply.

        ``profiles`` know the bookmakers' other names.
        """
        self.profiles = profiles or Profiles()
        self._rules = dict[tuple[str, str], SettlementRule]()
        self._found = dict[tuple[str, str], SettlementRule]()
        """What was asked for, by bookmaker and sport as they were given."""
        for rule in rules:
            key = self._bookmaker(rule.bookmaker), rule.sport
            known = self._rules.get(key)
            self._rules[key] = rule if known is None else _over(known, rule)

    def rule_of(self, bookmaker: str, sport: str) -> SettlementRule:
        """Return what is known of a bookmaker's rules for a sport; empty if nothing is."""
        rule = self._found.get((bookmaker, sport))
        if rule is None:
            rule = self._found[bookmaker, sport] = self._rule_of(bookmaker, sport)
        return rule

    def _rule_of(self, bookmaker: str, sport: str) -> SettlementRule:
        name = self._bookmaker(bookmaker)
        found = SettlementRule(bookmaker=bookmaker, sport=sport)
        for key in ((name, ""), (name, sport)):
            if (known := self._rules.get(key)) is not None:
                found = _over(found, known)
        return msgspec.structs.replace(found, sport=sport)

    def _bookmaker(self, name: str) -> str:
        return fold_name(self.profiles.profile_of(name).name)


class RuleNote(NamedTuple):
    """What may become of the legs of an opportunity because bookmakers' rules differ."""

    text: str
    is_unknown: bool = False
    """Whether a rule is not known, so that it may differ."""


class LegOfRule(NamedTuple):
    """A leg of an opportunity, as far as rules of settlement go."""

    bookmaker: str
    selection: str

    def __str__(self) -> str:
        return f"{self.selection} at {self.bookmaker}"


def rule_notes(
    rules: SettlementRules,
    legs: Sequence[LegOfRule],
    market: tuple[str, int, str],
    line: float | None = None,
) -> list[RuleNote]:
    """Return how the rules of the legs' bookmakers differ, and which are not known in tennis.

    Args:
        rules: The rules of all bookmakers.
        legs: Bets that together cover all results.
        market: Market type, period and sport.
        line: The line of the market.
    """
    market_type, period, sport = market
    known = [(leg, rules.rule_of(leg.bookmaker, sport)) for leg in legs]
    given = {(rule.postponed_hours, rule.overtime) for _, rule in known} - {("", None)}
    notes = list[RuleNote]()
    if len(given) > 1:  # else nothing differs, as for most of many opportunities
        notes = [*_overtime_notes(known, market, line), *_waiting_notes(known)]
    if sport != TENNIS:
        return notes
    if market_type == "moneyline" and period == 0:
        return [*_retirement_notes(known), *notes]
    named = ", ".join(dict.fromkeys(leg.bookmaker for leg in legs))
    unknown = N_(f"If a player retires, how this market settles is not known for {named}")
    return [RuleNote(unknown, is_unknown=True), *notes]


_Known = Sequence[tuple[LegOfRule, SettlementRule]]
_STANDS_FROM: Final = (
    Retirement.ADVANCES,
    Retirement.FIRST_BALL,
    Retirement.FIRST_SET,
    Retirement.MATCH_COMPLETED,
)
"""Rules by how early in a match a retirement leaves bets standing."""
_RETIRES: Final = {
    (0, 1): N_("before the first ball"),
    (0, 2): N_("before set 1 is complete"),
    (0, 3): N_("at any time"),
    (1, 2): N_("in set 1"),
    (1, 3): N_("after the first ball"),
    (2, 3): N_("after set 1"),
}
"""When bets by one rule stand and by another do not, by places in ``_STANDS_FROM``."""


def _retirement_notes(known: _Known) -> Iterator[RuleNote]:
    stands = [(leg, rule.retirement) for leg, rule in known]
    unknown = dict.fromkeys(leg.bookmaker for leg, rule in stands if rule is None)
    if unknown:
        named = ", ".join(unknown)
        what = N_(f"What happens when a player retires is not known for {named}")
        yield RuleNote(what, is_unknown=True)
    from_place = [(leg, _STANDS_FROM.index(rule)) for leg, rule in stands if rule is not None]
    for early, late, standing, void in _parted(from_place):
        player, when = " or ".join(leg.selection for leg in standing), _RETIRES[early, late]
        lost, voided = _listed(map(str, standing)), _listed(map(str, void))
        match len(standing) > 1, len(void) > 1:
            case False, False:
                text = N_(f"If {player} retires {when}: {lost} is lost, {voided} is void")
            case True, False:
                text = N_(f"If {player} retires {when}: {lost} are lost, {voided} is void")
            case False, True:
                text = N_(f"If {player} retires {when}: {lost} is lost, {voided} are void")
            case _:
                text = N_(f"If {player} retires {when}: {lost} are lost, {voided} are void")
        yield RuleNote(text)


def _waiting_notes(known: _Known) -> Iterator[RuleNote]:
    waits = [(leg, rule.postponed_hours) for leg, rule in known if rule.postponed_hours]
    hours = [(leg, int(wait)) for leg, wait in waits if wait != SAME_ROUND]
    for short, long, void, standing in _parted(hours):
        voided, valid = _listed(map(str, void)), _listed(map(str, standing))
        match len(void) > 1, len(standing) > 1:
            case False, False:
                text = N_(
                    f"If the game begins {short} to {long} hours late: "
                    f"{voided} is void, {valid} stands"
                )
            case True, False:
                text = N_(
                    f"If the game begins {short} to {long} hours late: "
                    f"{voided} are void, {valid} stands"
                )
            case False, True:
                text = N_(
                    f"If the game begins {short} to {long} hours late: "
                    f"{voided} is void, {valid} stand"
                )
            case _:
                text = N_(
                    f"If the game begins {short} to {long} hours late: "
                    f"{voided} are void, {valid} stand"
                )
        yield RuleNote(text)
    in_round = [leg for leg, wait in waits if wait == SAME_ROUND]
    if in_round and hours:
        others = ", ".join(N_(f"{leg} waits {each} hours") for leg, each in hours)
        named = _listed(map(str, in_round))
        if len(in_round) == 1:
            text = N_(
                f"If the game is postponed: {others}, {named} waits until the round ends; one may"
                " be void while another stands"
            )
        else:
            text = N_(
                f"If the game is postponed: {others}, {named} wait until the round ends; one may"
                " be void while another stands"
            )
        yield RuleNote(text)


def _overtime_notes(
    known: _Known, market: tuple[str, int, str], line: float | None
) -> Iterator[RuleNote]:
    counted, not_counted = (
        dict.fromkeys(leg.bookmaker for leg, rule in known if rule.overtime is each)
        for each in Overtime
    )
    if counted and not_counted and settles_otherwise(market, line, True, False):
        here, elsewhere = ", ".join(counted), ", ".join(not_counted)
        yield RuleNote(
            N_(
                f"Overtime counts at {here}, not at {elsewhere}: with overtime all legs may lose,"
                " or several win"
            )
        )


def _parted(
    legs: Sequence[tuple[LegOfRule, int]],
) -> Iterator[tuple[int, int, list[LegOfRule], list[LegOfRule]]]:
    """Yield each span in which some legs are void, from and to, with the lower and higher ones.

    The lower ones are those whose number is reached at its beginning.
    """
    steps = sorted({at for _, at in legs})
    for low, high in pairwise(steps):
        lower = [leg for leg, at in legs if at <= low]
        yield low, high, lower, [leg for leg, at in legs if at >= high]


def _listed(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


class ReadRules(NamedTuple):
    """The rules of a file, and what could not be read."""

    rules: list[SettlementRule]
    problems: list[str]
    """One line each: the line number, and what was expected. Other cells of that line apply."""


def read_rules(text: str) -> ReadRules:
    """Read a file of rules; lines that begin with ``#`` are comments."""
    found = ReadRules([], [])
    header: list[str] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        try:
            fields = [field.strip() for field in next(csv.reader([line]), [])]
        except csv.Error as error:
            found.problems.append(f"line {number}: {error}")
            continue
        if not any(fields) or fields[0].startswith("#"):
            continue
        if not header:
            header = fields
            if problem := _header_problem(header):
                found.problems.append(f"line {number}: {problem}")
        elif "bookmaker" in header:
            rule, problems = _rule(dict(zip(header, fields, strict=False)))
            found.problems.extend(f"line {number}: {each}" for each in problems)
            found.rules.extend([] if rule is None else [rule])
    return found


@cache
def shipped_rules() -> tuple[SettlementRule, ...]:
    """Return the rules that are shipped; the file is read once."""
    return tuple(read_rules(resource_path("settlement_rules.csv").read_text("utf-8")).rules)


def _over(known: SettlementRule, rule: SettlementRule) -> SettlementRule:
    """Return a rule with the other's known fields over its own."""
    fields = {name: getattr(rule, name) for name in rule.__struct_fields__}
    return msgspec.structs.replace(known, **{name: each for name, each in fields.items() if each})


E = TypeVar("E", bound=Enum)


def _header_problem(header: Sequence[str]) -> str:
    expected = N_(f"expected columns out of {', '.join(COLUMNS)}, separated by commas")
    if "bookmaker" not in header:
        return N_(f"no column 'bookmaker'; {expected}")
    foreign = ", ".join(repr(each) for each in header if each and each not in COLUMNS)
    return f"{foreign} ignored; {expected}" if foreign else ""


def _rule(cells: Mapping[str, str]) -> tuple[SettlementRule | None, list[str]]:
    """Return the rule of a line and what is wrong with it; None if nothing of it applies."""
    name, sport_text = cells.get("bookmaker", ""), cells.get("sport", "")
    sport = named_sport(sport_text) if sport_text else ""
    if not name:
        return None, [N_("expected the name of a bookmaker")]
    if sport is None:
        why = N_(f"sport {sport_text!r}: expected a name such as Tennis, or nothing for all sports")
        return None, [f"{name}: {why}"]
    problems = list[str]()
    waits = cells.get("postponed_hours", "").casefold()
    if waits and waits not in WAITS:
        problems.append(f"postponed_hours {waits!r}: expected one of {', '.join(WAITS)}")
        waits = ""
    read_on = cells.get("read_on", "")
    try:
        read_on = date.fromisoformat(read_on).isoformat() if read_on else ""
    except ValueError:
        problems.append(f"read_on {read_on!r}: expected a day such as 2026-11-29")
        read_on = ""
    rule = SettlementRule(
        bookmaker=name,
        sport=sport,
        postponed_hours=waits,
        retirement=_word(Retirement, "retirement", cells, problems),
        overtime=_word(Overtime, "overtime", cells, problems),
        dead_heat=_word(DeadHeat, "dead_heat", cells, problems),
        source_url=cells.get("source_url", ""),
        read_on=read_on,
    )
    return rule, [f"{name}: {each}" for each in problems]


def _word(kind: type[E], column: str, cells: Mapping[str, str], problems: list[str]) -> E | None:
    word = cells.get(column, "").casefold()
    if not word:
        return None
    try:
        return kind(word)
    except ValueError:
        expected = ", ".join(str(each.value) for each in kind)
        problems.append(f"{column} {word!r}: expected one of {expected}")
        return None
