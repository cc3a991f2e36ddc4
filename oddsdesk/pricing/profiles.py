"""What a bookmaker keeps of a win, and which bookmakers are one voice (D46, D47, D70).

A profile stands in a line of a CSV file (``resources/bookmakers.csv``, and one of the user's own
whose lines replace those): name, group, supplier, kind, commission, tax and taker fee in percent,
currency, short name, code, other names (``|`` between them), and where the figures come from. The
user's own has two more: the limit, which is the most that the bookmaker takes from the user (D55),
and the weight of its vote in a consensus (D60).
"""

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from oddsdesk.pricing.depth import Depth, Ladder, Rung

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
    "limit",
    "weight",
    "supplier",
)
_PERCENT: Final = ("commission", "tax", "taker_fee")
_AMOUNTS: Final = ("limit", "weight")
_TEXTS: Final = ("group", "supplier", "currency", "short", "code", "source")
_GUARDED: Final = ("=", "+", "-", "@", "#", "'")
"""A written field begins with none of these: formulas to a spreadsheet, ``#`` a comment."""
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_DELAYED: Final = " (delayed)"
_FEE: Final = re.compile(r"(?P<name>.+) \((?P<percent>\d{1,2}(?:\.\d{1,4})?) % fee\)")
SIMULATED: Final = "simulated"
"""The source of profiles that are the simulator's: they have names for a window, and no more."""
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
    supplier: str = ""
    """Whose odds it shows: bookmakers with one supplier share a vote (D94), but are different
    operators, where two bets may be placed. Its own name: nobody's but its own; empty: not known.
    """
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
    limit: float | None = None
    """The most that it takes as a bet, in the user's money, as the user noted it (D55)."""
    weight: float = 1.0
    """Of its vote in a consensus (D60); 0 is none."""

    @property
    def charges(self) -> bool:
        """Whether a win pays less than the odds say."""
        return bool(self.commission or self.tax or self.taker_fee)

    def net(self, odds: float) -> float:
        """Return what a unit staked at decimal odds really pays back, stake included (D46).

        ``(1 + (o-1)(1-c))(1-t)``; with a taker fee a share costs ``p + r p (1-p)``, ``p = 1/o``.
        """
        if self.taker_fee:
            price = 1 / odds
            odds = 1 / (price + self.taker_fee * price * (1 - price))
        return (1 + (odds - 1) * (1 - self.commission)) * (1 - self.tax)

    def ladder(self, depth: Depth) -> Ladder:
        """Return what is for sale as a bettor meets it: net odds, and stakes with the taker's fee.

        Levels of nothing are left out.
        """
        return tuple(
            Rung(self.net(odds), self.stake_of(odds, size))
            for odds, size in depth.levels
            if size > 0
        )

    def stake_of(self, odds: float, size: float) -> float:
        """Return the stake that takes an amount for sale, the taker's fee included.

        A share that costs ``p`` takes ``p + r p (1-p)`` of a stake.
        """
        return size * (1 + self.taker_fee * (1 - 1 / odds))

    def gross(self, net: float) -> float:
        """Return the odds offered whose net odds are ``net``; ``inf`` where there are none."""
        odds = 1 + (net / (1 - self.tax) - 1) / (1 - self.commission)
        if not self.taker_fee or odds <= 1:
            return odds
        rate, cost = self.taker_fee, 1 / odds
        root = (1 + rate) ** 2 - 4 * rate * cost
        price = (1 + rate - math.sqrt(root)) / (2 * rate) if root >= 0 else 0.0
        return 1 / price if price > 0 else math.inf


class Profiles:
    """Profiles by any name of a bookmaker; one that is not known is a group of its own."""

    def __init__(self, profiles: Iterable[Profile] = ()) -> None:
        self._by_name: dict[str, Profile] = {}
        for profile in profiles:
            for name in (profile.name, *profile.aliases):
                self._by_name[fold_name(name)] = profile
        self._found: dict[str, Profile] = {}
        """As they were asked for: folding a name takes long."""
        self._charging: dict[str, Profile | None] = {}

    def charging(self, name: str) -> Profile | None:
        """Return the profile of a bookmaker that keeps a part of a win, None of any other."""
        if name not in self._charging:
            profile = self.of(name)
            self._charging[name] = profile if profile.charges else None
        return self._charging[name]

    def of(self, name: str) -> Profile:
        """Return the profile of a bookmaker by any of its names."""
        found = self._found.get(name)
        if found is None:
            found = self._by_name.get(fold_name(name))
            if found is None and is_delayed(name):
                found = self.of(name.removesuffix(_DELAYED))
            elif found is None and (told := _FEE.fullmatch(name)):
                found = _with_fee(self.of(told["name"]), told["percent"])
            elif found is None:
                found = Profile(name=name, group=name)
            self._found[name] = found
        return found

    def canonical(self, name: str) -> str | None:
        """Return what a known bookmaker is called here, None where no profile has the name (D70).

        Late prices are a bookmaker of their own: their name says that they are late (D66).
        """
        found = self._by_name.get(fold_name(name))
        return None if found is None else found.name

    def with_changes(self, changes: Iterable[Profile]) -> "Profiles":
        """Return these profiles with others in the place of those of the same name."""
        changed = {fold_name(profile.name): profile for profile in changes}
        kept = [known for known in self.all() if fold_name(known.name) not in changed]
        return Profiles([*kept, *changed.values()])

    def among(self, names: Iterable[str]) -> Callable[[str], bool]:
        """Return a test of whether a bookmaker is one of these, by any of its names."""
        wanted = {fold_name(self.of(name).name) for name in names}
        return lambda bookmaker: fold_name(self.of(bookmaker).name) in wanted

    def all(self) -> list[Profile]:
        """Return every profile that was given, by name."""
        known = {profile.name: profile for profile in self._by_name.values()}
        return [known[name] for name in sorted(known, key=str.casefold)]


class ProfileLine(NamedTuple):
    """A line of a profile file that says something; a header only where it is wrong."""

    text: str
    profile: Profile | None = None
    """None for a comment and a line that makes no sense."""
    problem: str = ""
    """What is wrong, with the number of the line and what was expected."""
    is_header: bool = False


def delayed_name(name: str) -> str:
    """Return what a bookmaker is called where its source says that its prices are late (D66).

    The wire has no other place for it: so it is told wherever the price is.
    """
    return name + _DELAYED


def is_delayed(name: str) -> bool:
    """Whether the prices of a bookmaker are late, by its name."""
    return name.endswith(_DELAYED)


def fee_name(name: str, taker_fee: float) -> str:
    """Return what a prediction market is called where one of its markets has a fee of its own.

    ``taker_fee`` is a share of 1. As with late prices, the wire has no other place for it.
    """
    return f"{name} ({round(taker_fee * 100, 4):g} % fee)"


def _with_fee(profile: Profile, percent: str) -> Profile:
    short = f"{profile.short or profile.name} {percent} %"
    fee = float(percent) / 100
    return msgspec.structs.replace(profile, taker_fee=fee, short=short, code="")


class ProfileLineError(Exception):
    """A line of a profile file that makes no sense; says what was expected."""


def read_profiles(text: str, shipped: Profiles | None = None) -> tuple[list[Profile], list[str]]:
    """Read the lines of a profile file; return what they say and what is wrong, line by line.

    A wrong line is left out and named with its number; lines that begin with ``#`` are comments.
    What a line of the user's own file leaves empty is as ``shipped``, whose other names stay.
    """
    lines = list(profile_lines(text, shipped))
    profiles = [line.profile for line in lines if line.profile is not None]
    return profiles, [line.problem for line in lines if line.problem]


def profile_lines(text: str, shipped: Profiles | None = None) -> Iterator[ProfileLine]:
    """Yield each line of a profile file as it was understood, as ``read_profiles`` reads them."""
    header: list[str] | None = None
    places: dict[str, int] = {}
    for number, line in enumerate(_LINE_END.split(text.removeprefix("\ufeff")), 1):
        if line.startswith("#"):
            yield ProfileLine(line)
            continue
        try:
            fields = _fields(line)
            if not any(fields):
                continue
            if header is None:
                header = fields
                if problem := _header_problem(header):
                    yield ProfileLine(line, problem=f"line {number}: {problem}", is_header=True)
                continue
            if "name" not in header:  # as the header's problem says
                yield ProfileLine(line)
                continue
            profile = _profile(_row(header, fields), shipped or Profiles())
            place = places.setdefault(fold_name(profile.name), number)
            if place != number:
                raise ProfileLineError(f"{profile.name} has line {place} already")
            yield ProfileLine(line, profile)
        except ProfileLineError as error:
            yield ProfileLine(line, problem=f"line {number}: {error}")


def write_profile(profile: Profile, shipped: Profile) -> str:
    """Return the line of the user's own file that makes ``shipped`` this profile.

    A field that is as shipped is left empty, so that what is shipped later holds.
    """
    row = {
        column: ""
        if getattr(profile, column) == getattr(shipped, column)
        else field_text(profile, column)
        for column in COLUMNS
    }
    row["name"] = profile.name
    row["aliases"] = "|".join(name for name in profile.aliases if name not in shipped.aliases)
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(_written(row[column]) for column in COLUMNS)
    return line.getvalue()


def field_text(profile: Profile, column: str) -> str:
    """Return what a profile says in a column, as it is written; a share in percent."""
    value = getattr(profile, column)
    if column in _PERCENT:
        return f"{value * 100:.12g}"
    if column in _AMOUNTS:
        return "" if value is None else f"{value:.12g}"
    if column == "aliases":
        return "|".join(value)
    return value.value if isinstance(value, Kind) else str(value)


def with_field(profile: Profile, column: str, text: str, shipped: Profile) -> Profile:
    """Return a profile with what was written in a column; nothing is what is shipped.

    Raises:
        ProfileLineError: the text makes no sense there; says what was expected.
    """
    return msgspec.structs.replace(profile, **{column: _field(column, text, shipped)})


@lru_cache(maxsize=1 << 12)
def fold_name(name: str) -> str:
    """Compare names without case, blanks and punctuation: ``Bet Victor`` is ``betvictor``."""
    plain = name.casefold()
    return _FOLDED.sub("", plain) or plain


def _written(text: str) -> str:
    """Return a field that stays in its line and is no formula."""
    text = " ".join(text.split())
    return f"'{text}" if text.startswith(_GUARDED) else text


def _fields(line: str) -> list[str]:
    """Return the fields of one line of CSV; a quoted field may not go on in the next line."""
    try:
        fields = next(csv.reader([line], strict=True), [])
    except csv.Error as error:
        raise ProfileLineError(f"{error}; expected fields with commas between them") from error
    fields = [field.strip() for field in fields]
    return [
        field[1:] if field.startswith("'") and field[1:2] in _GUARDED else field for field in fields
    ]


def _header_problem(header: Sequence[str]) -> str:
    known = ", ".join(COLUMNS)
    if "name" not in header:
        return f"no column 'name'; expected some of {known}, with commas between them"
    foreign = ", ".join(repr(each) for each in header if each and each not in COLUMNS)
    return f"{foreign} is left out; expected some of {known}" if foreign else ""


def _row(header: Sequence[str], fields: Sequence[str]) -> dict[str, str]:
    if any(fields[len(header) :]):
        raise ProfileLineError(
            f"{fields[0]}: {len(fields)} fields; expected {len(header)}, as in the first line"
        )
    return dict(zip(header, fields, strict=False))


def _profile(row: Mapping[str, str], shipped: Profiles) -> Profile:
    if not row.get("name"):
        raise ProfileLineError("no name; expected that of a bookmaker")
    known = shipped.of(row["name"])
    columns = (*_TEXTS, *_PERCENT, *_AMOUNTS, "kind")
    try:
        fields = {column: _field(column, row.get(column, ""), known) for column in columns}
    except ProfileLineError as error:
        raise ProfileLineError(f"{row['name']}: {error}") from None
    aliases = [each.strip() for each in row.get("aliases", "").split("|") if each.strip()]
    new = (each for each in aliases if each not in known.aliases)
    return msgspec.structs.replace(known, **fields, aliases=(*known.aliases, *new))


def _field(column: str, text: str, shipped: Profile) -> Kind | float | str | None:
    text = text.strip()
    return _read_field(column, text) if text else getattr(shipped, column)


def _read_field(column: str, text: str) -> Kind | float | str:
    if column == "kind":
        return _kind(text)
    if column in _PERCENT:
        return _share(column, text)
    return _amount(column, text) if column in _AMOUNTS else text


def _kind(text: str) -> Kind:
    try:
        return Kind(text)
    except ValueError:
        kinds = ", ".join(kind.value for kind in Kind)
        raise ProfileLineError(f"kind {text!r}; expected one of {kinds}") from None


def _share(column: str, text: str) -> float:
    """Read a figure in percent as a share."""
    share = _number(text) / 100
    if not 0 <= share < 1:
        title = column.replace("_", " ")
        raise ProfileLineError(f"{title} {text!r}; expected percent, from 0 to below 100")
    return share


def _amount(column: str, text: str) -> float:
    amount = _number(text)
    if not 0 <= amount < math.inf:
        raise ProfileLineError(f"{column} {text!r}; expected an amount from 0 on, or nothing")
    return amount


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
