"""Bookmaker profiles: commission and fees, and which bookmakers belong together.

A profile is a line of a CSV file (``resources/bookmakers.csv``, or the user's own, whose lines
replace those): name, group, supplier, kind, commission, tax and taker fee in percent, currency,
short name, code, other names (separated by ``|``), and the source of the figures. The user's file
has two more columns: the limit, the most that the bookmaker takes from the user, and the weight of
its vote in a consensus.
"""

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache, lru_cache
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.figures import FigureError, read_number, read_typed_amount
from oddsdesk.base.places import resource_path
from oddsdesk.base.texts import N_
from oddsdesk.pricing.stakes import Depth, Ladder, Rung, net_lay_odds

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
"""A field never begins with these: a spreadsheet formula, or ``#`` for a comment."""
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_DELAYED: Final = " (delayed)"
_FEE: Final = re.compile(r"(?P<name>.+) \((?P<percent>\d{1,2}(?:\.\d{1,4})?) % fee\)")
SIMULATED: Final = "simulated"
"""Marks the simulator's profiles, which only have names for the window."""
_FOLDED: Final = re.compile(r"[\W_]+")


class Kind(Enum):
    """How a bookmaker makes its prices."""

    BOOKMAKER = "bookmaker"
    EXCHANGE = "exchange"
    PREDICTION_MARKET = "prediction_market"


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """The profile of a bookmaker; shares are fractions of 1."""

    name: str
    group: str
    """Its operator: skins of one operator and views of one exchange pool share it."""
    supplier: str = ""
    """Supplier of its odds: bookmakers with one supplier share a vote, but remain different
    operators, where two bets may be placed. Its own name: it prices itself; empty: unknown.
    """
    kind: Kind = Kind.BOOKMAKER
    commission: float = 0.0
    """Share of the winnings, without the stake."""
    tax: float = 0.0
    """Share of the stake or the payout, taken from the whole return."""
    taker_fee: float = 0.0
    """For a prediction market: ``r`` in a fee of ``r p (1-p)`` for a share at price ``p``."""
    currency: str = ""
    short: str = ""
    code: str = ""
    aliases: tuple[str, ...] = ()
    source: str = ""
    limit: float | None = None
    """The most that it takes as a bet, in the user's currency, as the user noted it."""
    weight: float = 1.0
    """Weight of its vote in a consensus; 0 is no vote."""

    @property
    def charges(self) -> bool:
        """Whether a win pays less than the odds promise."""
        return bool(self.commission or self.tax or self.taker_fee)

    def net(self, odds: float) -> float:
        """Return what a unit staked really pays back, stake included.

        ``(1 + (o-1)(1-c))(1-t)``; with a taker fee a share costs ``p + r p (1-p)``, ``p = 1/o``.
        """
        if self.taker_fee:
            price = 1 / odds
            odds = 1 / (price + self.taker_fee * price * (1 - price))
        return (1 + (odds - 1) * (1 - self.commission)) * (1 - self.tax)

    def net_lay(self, odds: float) -> float:
        """Return what a unit of liability really pays back if a lay bet at ``odds`` wins.

        On a prediction market that is a share of the other side, at price ``1 - p`` with its fee.
        """
        net = net_lay_odds(odds, self.commission)
        if self.taker_fee:
            price = 1 / odds
            net = 1 / (1 - price + self.taker_fee * price * (1 - price))
            net = 1 + (net - 1) * (1 - self.commission)
        return net * (1 - self.tax)

    def ladder_of(self, depth: Depth, *, is_lay: bool) -> Ladder | None:
        """Return what can be backed, or laid by liability; None where no amount is known."""
        if is_lay:
            is_known = depth.lay and depth.lay[0][1] > 0
            return self.lay_ladder(depth) if is_known else None
        return self.ladder(depth) if depth.levels else None

    def lay_ladder(self, depth: Depth) -> Ladder:
        """Return what can be laid: odds of the other side after commission, and liabilities."""
        return tuple(
            Rung(self.net_lay(odds), size * (odds - 1) * (1 + self.taker_fee / odds))
            for odds, size in depth.lay
            if size > 0
        )

    def ladder(self, depth: Depth) -> Ladder:
        """Return the ladder as a bettor sees it: odds after commission, stakes with taker's fee.

        Empty levels are left out.
        """
        return tuple(
            Rung(self.net(odds), self.stake_of(odds, size))
            for odds, size in depth.levels
            if size > 0
        )

    def stake_of(self, odds: float, size: float) -> float:
        """Return the stake that takes an amount for sale, including the taker's fee.

        A share that costs ``p`` takes ``p + r p (1-p)`` of a stake.
        """
        return size * (1 + self.taker_fee * (1 - 1 / odds))

    def gross(self, net: float) -> float:
        """Return the gross odds that give ``net`` after commission; ``inf`` if none do."""
        odds = 1 + (net / (1 - self.tax) - 1) / (1 - self.commission)
        if not self.taker_fee or odds <= 1:
            return odds
        rate, cost = self.taker_fee, 1 / odds
        root = (1 + rate) ** 2 - 4 * rate * cost
        price = (1 + rate - math.sqrt(root)) / (2 * rate) if root >= 0 else 0.0
        return 1 / price if price > 0 else math.inf


class Profiles:
    """Profiles by any name of a bookmaker; an unknown one forms its own group."""

    def __init__(self, profiles: Iterable[Profile] = ()) -> None:
        self._by_name: dict[str, Profile] = {}
        for profile in profiles:
            for name in (profile.name, *profile.aliases):
                self._by_name[fold_name(name)] = profile
        self._found: dict[str, Profile] = {}
        """Cached, because folding names is slow."""
        self._charging: dict[str, Profile | None] = {}

    def charging(self, name: str) -> Profile | None:
        """Return the profile of a bookmaker with commission or fees, None for others."""
        if name not in self._charging:
            profile = self.profile_of(name)
            self._charging[name] = profile if profile.charges else None
        return self._charging[name]

    def profile_of(self, name: str) -> Profile:
        """Return the profile of a bookmaker by any of its names."""
        found = self._found.get(name)
        if found is None:
            found = self._by_name.get(fold_name(name))
            if found is None and is_delayed(name):
                found = self.profile_of(name.removesuffix(_DELAYED))
            elif found is None and (told := _FEE.fullmatch(name)):
                found = _with_fee(self.profile_of(told["name"]), told["percent"])
            elif found is None:
                found = Profile(name=name, group=name)
            self._found[name] = found
        return found

    def canonical(self, name: str) -> str | None:
        """Return our name of a known bookmaker, None if no profile has the name.

        Delayed prices count as a separate bookmaker: its name says that they are delayed.
        """
        found = self._by_name.get(fold_name(name))
        return None if found is None else found.name

    def with_changes(self, changes: Iterable[Profile]) -> "Profiles":
        """Return these profiles with some replaced by others of the same name."""
        changed = {fold_name(profile.name): profile for profile in changes}
        kept = [known for known in self.all_profiles() if fold_name(known.name) not in changed]
        return Profiles([*kept, *changed.values()])

    def among(self, names: Iterable[str]) -> Callable[[str], bool]:
        """Return a test whether a bookmaker is one of these, by any of its names."""
        wanted = {fold_name(self.profile_of(name).name) for name in names}
        return lambda bookmaker: fold_name(self.profile_of(bookmaker).name) in wanted

    def all_profiles(self) -> list[Profile]:
        """Return all given profiles by name."""
        known = {profile.name: profile for profile in self._by_name.values()}
        return [known[name] for name in sorted(known, key=str.casefold)]


class ProfileLine(NamedTuple):
    """A line of a profile file; of headers only a wrong one."""

    text: str
    profile: Profile | None = None
    """None for a comment or an unreadable line."""
    problem: str = ""
    """What is wrong, with the line number and what was expected."""
    is_header: bool = False


def delayed_name(name: str) -> str:
    """Return the name of a bookmaker whose source says that its prices are delayed.

    The wire has no other place for this, and so every price carries it.
    """
    return name + _DELAYED


def is_delayed(name: str) -> bool:
    """Return whether the prices of a bookmaker are delayed, by its name."""
    return name.endswith(_DELAYED)


def fee_name(name: str, taker_fee: float) -> str:
    """Return the name of a prediction market with a special fee for one of its markets.

    ``taker_fee`` is a fraction of 1. As for delayed prices, the wire has no other place for it.
    """
    return f"{name} ({round(taker_fee * 100, 4):g} % fee)"


def _with_fee(profile: Profile, percent: str) -> Profile:
    short = f"{profile.short or profile.name} {percent} %"
    fee = float(percent) / 100
    return msgspec.structs.replace(profile, taker_fee=fee, short=short, code="")


class ProfileLineError(Exception):
    """An unreadable line of a profile file; the message says what was expected."""


def read_profiles(text: str) -> tuple[list[Profile], list[str]]:
    """Read the lines of a profile file; return the profiles and the errors, line by line.

    A wrong line is skipped and reported with its number; lines that begin with ``#`` are comments.
    """
    lines = list(profile_lines(text))
    profiles = [line.profile for line in lines if line.profile is not None]
    return profiles, [line.problem for line in lines if line.problem]


def profile_lines(text: str, shipped: Profiles | None = None) -> Iterator[ProfileLine]:
    """Yield each line of a profile file as ``read_profiles`` understands it.

    Fields that the user's file leaves empty are taken from ``shipped``, with its other names.
    """
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
                raise ProfileLineError(f"{profile.name} is already in line {place}")
            yield ProfileLine(line, profile)
        except ProfileLineError as error:
            yield ProfileLine(line, problem=f"line {number}: {error}")


def write_profile(profile: Profile, shipped: Profile) -> str:
    """Return the line of the user's own file that turns ``shipped`` into this profile.

    Fields that equal the shipped ones stay empty, so that later shipped values apply.
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
    """Return the text of a profile in a column; shares are in percent."""
    value = getattr(profile, column)
    if column in _PERCENT:
        return f"{value * 100:.12g}"
    if column in _AMOUNTS:
        return "" if value is None else f"{value:.12g}"
    if column == "aliases":
        return "|".join(value)
    return value.value if isinstance(value, Kind) else str(value)


def with_field(profile: Profile, column: str, text: str, shipped: Profile) -> Profile:
    """Return a profile with a text entered in a column; an empty text means the shipped value.

    Raises:
        ProfileLineError: the text makes no sense there; the message says what was expected.
    """
    return msgspec.structs.replace(profile, **{column: _field(column, text, shipped)})


@lru_cache(maxsize=1 << 12)
def fold_name(name: str) -> str:
    """Return a name without case, spaces and punctuation: ``Bet Victor`` is ``betvictor``."""
    plain = name.casefold()
    return _FOLDED.sub("", plain) or plain


def _written(text: str) -> str:
    """Return a field that stays in its line and is not a formula."""
    text = " ".join(text.split())
    return f"'{text}" if text.startswith(_GUARDED) else text


def _fields(line: str) -> list[str]:
    """Return the fields of one line of CSV; a quoted field cannot continue on the next line."""
    try:
        fields = next(csv.reader([line], strict=True), [])
    except csv.Error as error:
        raise ProfileLineError(f"{error}; expected fields separated by commas") from error
    fields = [field.strip() for field in fields]
    return [
        field[1:] if field.startswith("'") and field[1:2] in _GUARDED else field for field in fields
    ]


def _header_problem(header: Sequence[str]) -> str:
    known = ", ".join(COLUMNS)
    if "name" not in header:
        return N_(f"no column 'name'; expected columns out of {known}, separated by commas")
    foreign = ", ".join(repr(each) for each in header if each and each not in COLUMNS)
    return N_(f"{foreign} ignored; expected columns out of {known}") if foreign else ""


def _row(header: Sequence[str], fields: Sequence[str]) -> dict[str, str]:
    if any(fields[len(header) :]):
        raise ProfileLineError(
            f"{fields[0]}: {len(fields)} fields; expected {len(header)}, as in the first line"
        )
    return dict(zip(header, fields, strict=False))


def _profile(row: Mapping[str, str], shipped: Profiles) -> Profile:
    if not row.get("name"):
        raise ProfileLineError("no name; expected a bookmaker's name")
    known = shipped.profile_of(row["name"])
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
    """Return a percentage as a fraction."""
    try:
        share = read_number(column, text.removesuffix("%")) / 100
    except FigureError:
        share = math.nan
    if not 0 <= share < 1:
        title = column.replace("_", " ")
        raise ProfileLineError(f"{title} {text!r}; expected a percentage from 0 to below 100")
    return share


def _amount(column: str, text: str) -> float:
    read = read_typed_amount if column == "limit" else read_number
    try:
        amount = read(column, text)
    except FigureError as error:
        if "thousands" in str(error):
            raise ProfileLineError(f"{column} {error}") from None
        amount = math.nan
    if not 0 <= amount < math.inf:
        raise ProfileLineError(f"{column} {text!r}; expected an amount such as 1500, or nothing")
    return amount


@cache
def shipped_profiles() -> Profiles:
    """Return the shipped profiles; the file is read once, for the server and the window."""
    return Profiles(read_profiles(resource_path("bookmakers.csv").read_text("utf-8"))[0])
