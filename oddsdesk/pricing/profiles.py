"""What a bookmaker keeps of a win, and which bookmakers are one voice (D46, D47, D70).

A profile stands in a line of a CSV file (``resources/bookmakers.csv``, and one of the user's own
whose lines replace those): name, group, kind, commission, tax and taker fee in percent,
currency, short name, code, other names (``|`` between them), and where the figures come from.
"""

import csv
import math
import re
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final

import msgspec

COLUMNS: Final = (
    "name",
    "group",
    "kind",
    "commission",
    "tax",
    "taker_fee",
    "currency",
    "short",
    "code",
    "aliases",
    "source",
)
_FOLDED: Final = re.compile(r"[\W_]+")


class Kind(Enum):
    """How a bookmaker makes its prices."""

    BOOKMAKER = "bookmaker"
    EXCHANGE = "exchange"
    PREDICTION_MARKET = "prediction_market"


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a bookmaker; shares are of 1."""

    name: str
    group: str
    """Its operator: skins of one operator and views of one exchange pool share it (D47)."""
    kind: Kind = Kind.BOOKMAKER
    commission: float = 0.0
    """Of what is won, stake not included."""
    tax: float = 0.0
    """Of what a bet pays or stakes, taken from the whole return."""
    taker_fee: float = 0.0
    """Of a prediction market: ``r`` in a fee of ``r p (1-p)`` for a share that costs ``p``."""
    currency: str = ""
    short: str = ""
    code: str = ""
    aliases: tuple[str, ...] = ()
    source: str = ""

    def net(self, odds: float) -> float:
        """Return what a unit staked at decimal odds really pays back, stake included (D46).

        ``(1 + (o-1)(1-c))(1-t)``; with a taker fee a share costs ``p + r p (1-p)``, ``p = 1/o``.
        """
        if self.taker_fee:
            price = 1 / odds
            odds = 1 / (price + self.taker_fee * price * (1 - price))
        return (1 + (odds - 1) * (1 - self.commission)) * (1 - self.tax)

    def gross(self, net: float) -> float:
        """Return the odds whose net odds these are: the inverse of ``net``; inf where none are."""
        odds = 1 + (net / (1 - self.tax) - 1) / (1 - self.commission)
        if not self.taker_fee or odds <= 1:
            return odds
        rate, cost = self.taker_fee, 1 / odds
        root = (1 + rate) ** 2 - 4 * rate * cost
        price = (1 + rate - math.sqrt(root)) / (2 * rate) if root >= 0 else 0.0
        return 1 / price if price > 0 else math.inf

    def net_lay(self, lay: float) -> float:
        """Return what a unit of liability pays back where "not this" is backed by laying (D46)."""
        return 1 + (1 - self.commission) / (lay - 1)


class Profiles:
    """Profiles by any name of a bookmaker; one that is not known is a group of its own."""

    def __init__(self, profiles: Iterable[Profile] = ()) -> None:
        self._by_name: dict[str, Profile] = {}
        for profile in profiles:
            for name in (profile.name, *profile.aliases):
                self._by_name[_fold(name)] = profile
        self._unknown: dict[str, Profile] = {}

    def of(self, name: str) -> Profile:
        """Return the profile of a bookmaker, whichever of its names that is."""
        known = self._by_name.get(_fold(name)) or self._unknown.get(name)
        if known is None:
            known = self._unknown[name] = Profile(name=name, group=name)
        return known

    def with_changes(self, changes: Iterable[Profile]) -> "Profiles":
        """Return these profiles with others in the place of those of the same name."""
        changed = {_fold(profile.name): profile for profile in changes}
        kept = [known for known in self.all() if _fold(known.name) not in changed]
        return Profiles([*kept, *changed.values()])

    def all(self) -> list[Profile]:
        """Return every profile that was given, by name."""
        known = {profile.name: profile for profile in self._by_name.values()}
        return [known[name] for name in sorted(known, key=str.casefold)]


class ProfileLineError(Exception):
    """A line of a profile file that makes no sense; says what was expected."""


def read_profiles(text: str) -> tuple[list[Profile], list[str]]:
    """Read the lines of a profile file; return what they say and what is wrong, line by line.

    A wrong line is left out and named with its number; lines that begin with ``#`` are comments.
    """
    profiles: list[Profile] = []
    problems: list[str] = []
    lines = csv.reader(text.removeprefix("\ufeff").splitlines())
    header: list[str] | None = None
    for fields in lines:
        if not any(fields) or fields[0].startswith("#"):
            continue
        if header is None:
            header = [field.strip() for field in fields]
            if missing := [name for name in ("name",) if name not in header]:
                return [], [f"line {lines.line_num}: no column {missing[0]!r}"]
            continue
        try:
            row = dict(zip(header, (field.strip() for field in fields), strict=False))
            profiles.append(_profile(row))
        except ProfileLineError as error:
            problems.append(f"line {lines.line_num}: {error}")
    return profiles, problems


def _profile(row: Mapping[str, str]) -> Profile:
    name = row.get("name", "")
    if not name:
        raise ProfileLineError("no name of a bookmaker")
    kinds = {kind.value: kind for kind in Kind}
    kind = kinds.get(row.get("kind") or Kind.BOOKMAKER.value)
    if kind is None:
        raise ProfileLineError(f"{name}: kind {row['kind']!r}; expected one of {', '.join(kinds)}")
    return Profile(
        name=name,
        group=row.get("group") or name,
        kind=kind,
        commission=_share(row, "commission"),
        tax=_share(row, "tax"),
        taker_fee=_share(row, "taker_fee"),
        currency=row.get("currency", ""),
        short=row.get("short", ""),
        code=row.get("code", ""),
        aliases=tuple(each.strip() for each in row.get("aliases", "").split("|") if each.strip()),
        source=row.get("source", ""),
    )


def _share(row: Mapping[str, str], column: str) -> float:
    """Read a figure in percent as a share; none is 0."""
    text = row.get(column, "")
    try:
        share = float(text or 0) / 100
    except ValueError:
        share = math.nan
    if not 0 <= share < 1:
        told = column.replace("_", " ")
        raise ProfileLineError(
            f"{row['name']}: {told} {text!r}; expected percent, from 0 to below 100"
        )
    return share


def _fold(name: str) -> str:
    """Compare names without case, blanks and punctuation: ``Bet Victor`` is ``betvictor``."""
    return _FOLDED.sub("", name.casefold())
