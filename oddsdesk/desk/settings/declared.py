"""Every setting of the desk. The dialog, the defaults and docs/settings.md are made from this.

To add a setting, define a constant here and add it to a section. Read it from ``Preferences`` and
listen to ``Preferences.changed``. Keys and tokens are never settings.
"""

import re
from typing import Any, Final, Generic, Protocol, TypeVar, cast
from urllib.parse import quote, unquote

import msgspec

from oddsdesk.base import numbers
from oddsdesk.base.texts import SYSTEM, _, languages, mid_sentence, translated
from oddsdesk.board.model.basis import CONSENSUS, LEARNED, SERVICES_OWN
from oddsdesk.pricing import formats
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.consensus import CONSENSUS_TITLE
from oddsdesk.pricing.devig import DEFAULT_METHOD, METHODS
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.opportunities import Split
from oddsdesk.pricing.value import DerivedChoice, ListRules, own_rules

T = TypeVar("T")

_DECIMAL: Final = re.compile(r"-?[0-9]{1,6}(\.[0-9]{1,2})?")
_KEPT: Final = " !#$&'()*+-./:<>?[]^_`{}~"
"""Characters of a name that need no escape in the settings file."""


class Kind(Protocol[T]):
    """Reads and writes one kind of value."""

    def parse_word(self, word: str) -> T:
        """Return the value of a saved word; ``ValueError`` says what was expected."""

    def word_of(self, value: T) -> str:
        """Return the word to save for a value."""

    def expected(self) -> str:
        """Return the possible values, for messages and the documentation."""


class Toggle(msgspec.Struct, frozen=True):
    """On or off."""

    def parse_word(self, word: str) -> bool:
        """Return whether the word means on."""
        match word.casefold():
            case "true" | "on" | "1":
                return True
            case "false" | "off" | "0":
                return False
        raise ValueError(f"expected {self.expected()}, got {word!r}")

    def word_of(self, value: bool) -> str:
        """Return ``true`` or ``false``."""
        return "true" if value else "false"

    def expected(self) -> str:
        """Return the two words."""
        return _("true or false")


class Choice(msgspec.Struct, frozen=True):
    """One of several words; ``options`` are (word, label)."""

    options: tuple[tuple[str, str], ...]

    def parse_word(self, word: str) -> str:
        """Return the word if it is one of the options."""
        if word not in (option for option, _ in self.options):
            raise ValueError(f"expected {self.expected()}, got {word!r}")
        return word

    def word_of(self, value: str) -> str:
        """Return the word itself, if it is one of the options."""
        return self.parse_word(value)

    def expected(self) -> str:
        return _("one of ") + ", ".join(option for option, _ in self.options)


class Whole(msgspec.Struct, frozen=True):
    """A whole number from ``least`` to ``most``."""

    least: int
    most: int
    step: int = 1
    unit: str = ""

    def parse_word(self, word: str) -> int:
        """Return the number if it lies in the range."""
        sign, digits = (word[:1], word[1:]) if word.startswith("-") else ("", word)
        if not (digits.isascii() and digits.isdecimal() and len(digits) < 10):
            raise ValueError(f"expected {self.expected()}, got {word!r}")
        value = int(sign + digits)
        if not self.least <= value <= self.most:
            raise ValueError(f"expected {self.expected()}, got {word!r}")
        return value

    def word_of(self, value: int) -> str:
        """Return the digits of a number in the range."""
        self.parse_word(str(value))
        return str(value)

    def expected(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return _("a whole number from {least:,} to {most:,}{unit}").format(
            least=numbers.num(self.least), most=numbers.num(self.most), unit=unit
        )


class Decimal(msgspec.Struct, frozen=True):
    """A number with up to two decimals from ``least`` to ``most``."""

    least: float
    most: float
    step: float = 0.5
    unit: str = ""

    def parse_word(self, word: str) -> float:
        """Return the number if it is in the range."""
        if _DECIMAL.fullmatch(word) and self.least <= (value := float(word)) <= self.most:
            return value
        raise ValueError(f"expected {self.expected()}, got {word!r}")

    def word_of(self, value: float) -> str:
        """Return a number of the range with its decimals."""
        word = f"{value:g}"
        self.parse_word(word)
        return word

    def expected(self) -> str:
        """Return the range with its unit."""
        unit = f" {self.unit}" if self.unit else ""
        return _("a number from {least:g} to {most:g}{unit}").format(
            least=numbers.num(self.least), most=numbers.num(self.most), unit=unit
        )


class Names(msgspec.Struct, frozen=True):
    """Names of bookmakers; empty for all."""

    def parse_word(self, word: str) -> tuple[str, ...]:
        """Return the names, in the order of the word."""
        names = (unquote(part).strip() for part in word.split("|"))
        return tuple(dict.fromkeys(name for name in names if name))

    def word_of(self, value: tuple[str, ...]) -> str:
        """Return the names separated by ``|``, with special characters percent-encoded."""
        return "|".join(quote(name, safe=_KEPT) for name in value)

    def expected(self) -> str:
        """Return how names are written."""
        return _("bookmakers, separated by `|`; empty for all")


class Judge(msgspec.Struct, frozen=True):
    """A bookmaker whose prices are compared with, or a special word."""

    words: tuple[tuple[str, str], ...]
    """(word, label)."""

    def parse_word(self, word: str) -> str:
        """Return the name, or a special word in lower case."""
        name = unquote(word).strip()
        known = [kept for kept, _ in self.words if kept == name.casefold()]
        return known[0] if known else name

    def word_of(self, value: str) -> str:
        """Return the name with special characters percent-encoded."""
        return quote(value, safe=_KEPT)

    def expected(self) -> str:
        words = "".join(f"`{word}`, " for word, _ in self.words if word)
        return _("a bookmaker, {words}or empty for the service's default").format(words=words)


class Setting(msgspec.Struct, Generic[T], frozen=True):
    """A setting; ``key`` is its name in the settings file."""

    key: str
    label: str
    help: str
    default: T
    kind: Kind[T]


def _method_title(method: str) -> str:
    """Return a devig method's name as a title."""
    title = translated(method.replace("_", " "))
    return title[:1].upper() + title[1:]


_AS_TRUE_EV: Final = "true_ev"
SCHEME: Final = Setting(
    "look/scheme",
    _("Colours"),
    _("Light, dark, or the same as the system."),
    "system",
    Choice((("system", _("System")), ("light", _("Light")), ("dark", _("Dark")))),
)
_LANGUAGE_NAMES: Final = {"en": "English", "de": "Deutsch", "es": "Español"}
LANGUAGE: Final = Setting(
    "look/language",
    _("Language"),
    _(
        "Of the window and its messages, from the next start. Files and logs stay "
        "English. ODDSDESK_LANGUAGE in the environment comes first."
    ),
    SYSTEM,
    Choice(
        (
            (SYSTEM, _("Same as the system")),
            *((code, _LANGUAGE_NAMES.get(code, code)) for code in languages()),
        )
    ),
)
COLOUR_BLIND: Final = Setting(
    "look/colour_blind",
    _("Blue and orange instead of green and red"),
    _("For red-green colour blindness. Arrows and words carry the same information."),
    False,
    Toggle(),
)
FLASH: Final = Setting(
    "look/flash",
    _("Flash prices that move"),
    _("Turn off for less motion. The arrow next to a moved price stays."),
    True,
    Toggle(),
)
SPARKLINES: Final = Setting(
    "look/sparklines",
    _("Sparklines in the matrix"),
    _("A column with the sharp book's price over the last six hours."),
    True,
    Toggle(),
)
METHOD: Final = Setting(
    "prices/devig",
    _("Devig method"),
    _(
        "How the margin is removed from the sharp book's prices. Fair odds, EV and value "
        "bets follow at once. The service's EV does not change."
    ),
    DEFAULT_METHOD,
    Choice(tuple((method, _method_title(method)) for method in METHODS)),
)
REFERENCE: Final = Setting(
    "prices/reference",
    _("Sharp book"),
    _(
        "Fair odds come from this bookmaker or exchange, margin removed, or from an "
        'exchange\'s middle of back and lay ("Smarkets, mid"). Consensus compares each '
        "price with all other bookmakers, weighted as set in My bookmakers, or as "
        "learned from results. The service's own value bets and EV keep the service's "
        "sharp book."
    ),
    SERVICES_OWN,
    Judge(
        (
            (SERVICES_OWN, _("Default of the service")),
            (CONSENSUS, _("Consensus")),
            (LEARNED, _("Consensus (learned)")),
        )
    ),
)
DERIVED_KINDS: Final = (
    ("all", _("Implied and modelled")),
    ("implied", _("Implied only")),
    ("none", _("None")),
)
DERIVED: Final = Setting(
    "prices/derived",
    _("Derived fair odds"),
    _(
        "Fair odds for lines that the sharp book does not price, from those that it "
        "does. Implied odds follow by arithmetic. Modelled odds have an error band, and "
        "must reach the minimum EV at its low end."
    ),
    "all",
    Choice(DERIVED_KINDS),
)
ODDS_FORMAT: Final = Setting(
    "prices/odds_format",
    _("Odds format"),
    _("How odds are shown. Exported files hold decimal odds."),
    formats.DECIMAL,
    Choice(
        (
            (formats.DECIMAL, _("Decimal")),
            (formats.AMERICAN, _("American")),
            (formats.FRACTIONAL, _("Fractional")),
            (formats.HONG_KONG, _("Hong Kong")),
            (formats.MALAY, _("Malay")),
            (formats.INDONESIAN, _("Indonesian")),
            (formats.IMPLIED, _("Implied %")),
        )
    ),
)
AS_SYSTEM: Final = "system"
HOURS_24: Final = "24"
_DAY_NAMES: Final = {
    "monday": _("Monday"),
    "tuesday": _("Tuesday"),
    "wednesday": _("Wednesday"),
    "thursday": _("Thursday"),
    "friday": _("Friday"),
    "saturday": _("Saturday"),
    "sunday": _("Sunday"),
}
FIRST_DAYS: Final = tuple(_DAY_NAMES)
"""Words of the first day of the week, in the order of the week."""
_SYSTEM: Final = (AS_SYSTEM, _("As the system"))
DECIMAL_MARK: Final = Setting(
    "numbers/decimal",
    _("Decimal mark"),
    _(
        "Of all numbers, decimal odds included, and of tables that you copy. Fields take either "
        "mark. Exported files have a point."
    ),
    AS_SYSTEM,
    Choice((_SYSTEM, (numbers.POINT, _("Point: 1,234.50")), (numbers.COMMA, _("Comma: 1.234,50")))),
)
HOURS: Final = Setting(
    "numbers/hours",
    _("Hours"),
    _("How the time of day is written."),
    AS_SYSTEM,
    Choice((_SYSTEM, (HOURS_24, _("24 hours: 20:45")), ("12", _("12 hours: 8:45 PM")))),
)
DATES: Final = Setting(
    "numbers/dates",
    _("Dates"),
    _("Also decides which number is the day in dates such as 08/09/2026 that you type."),
    AS_SYSTEM,
    Choice(
        (
            _SYSTEM,
            (numbers.DAY_FIRST, _("Day first: 25 Apr 2026")),
            (numbers.MONTH_FIRST, _("Month first: Apr 25, 2026")),
            (numbers.YEAR_FIRST, _("ISO: 2026-04-25")),
        )
    ),
)
FIRST_DAY: Final = Setting(
    "numbers/first_day",
    _("First day of the week"),
    _("In calendars."),
    AS_SYSTEM,
    Choice((_SYSTEM, *_DAY_NAMES.items())),
)
TEXT_SIZE: Final = Setting(
    "look/text_size",
    _("Text size"),
    _("Ctrl + and Ctrl − change it, Ctrl 0 resets it."),
    100,
    Whole(80, 160, step=10, unit="%"),
)
BANKROLL: Final = Setting(
    "stakes/bankroll",
    _("Betting bank"),
    _("Your bankroll. Stakes and limits are percentages of it."),
    1_000,
    Whole(1, 1_000_000_000, step=100),
)
KELLY_SHARE: Final = Setting(
    "stakes/kelly_share",
    _("Kelly fraction"),
    _(
        "Full Kelly stakes (p × odds − 1) / (odds − 1) of the bank. Lower is safer if "
        "the fair odds are wrong. The chance that the bank ever halves is 50 % at 100 %, "
        "12.5 % at 50 %, and 0.8 % at 25 %."
    ),
    25,
    Whole(1, 100, step=5, unit="%"),
)
OUTCOME_CAP: Final = Setting(
    "stakes/cap",
    _("Max on one outcome"),
    _(
        "All stakes on an outcome at all bookmakers, recorded bets included. Bets on "
        "other outcomes do not reduce it."
    ),
    2,
    Whole(1, 100, unit="%"),
)
GAME_CAP: Final = Setting(
    "stakes/game_cap",
    _("Max on one game"),
    _("The most that all bets on one game can lose."),
    3,
    Whole(1, 100, unit="%"),
)
TOTAL_CAP: Final = Setting(
    "stakes/total_cap",
    _("Max open bets"),
    _(
        "The most that all open bets can lose: the worst results of their games, added "
        "up. A bet counts until six hours after kick-off."
    ),
    25,
    Whole(1, 100, unit="%"),
)
STAKE_STEP: Final = Setting(
    "stakes/step",
    _("Round stakes down to"),
    _("Round stakes attract less attention."),
    "1",
    Choice(tuple((word, word) for word in ("0.01", "0.05", "0.1", "0.5", "1", "5", "10"))),
)
SPLIT_TOTAL: Final = Setting(
    "stakes/split_total",
    _("Total stake per arb"),
    _("The most that all legs of an arbitrage, middle or low hold cost together."),
    100,
    Whole(1, 1_000_000_000, step=10),
)
MIN_EV: Final = Setting(
    "values/min_ev",
    _("Minimum EV"),
    _(
        "A price needs this EV to be listed. The service requires 1 % over fair odds "
        "raised by a safety margin of 1 %: 2.01 % in all."
    ),
    2.01,
    Decimal(0, 50, unit="%"),
)
MIN_PROP_EV: Final = Setting(
    "values/min_prop_ev",
    _("Minimum EV, player props"),
    _(
        "The service requires 1 % over fair odds raised by a safety margin of 4.03 %: "
        "5.07 % in all."
    ),
    5.07,
    Decimal(0, 50, unit="%"),
)
MAX_EV: Final = Setting(
    "values/max_ev",
    _("Maximum EV"),
    _("Odds further above fair odds are probably an error."),
    15.0,
    Decimal(1, 100, unit="%"),
)
MAX_MAIN_EV: Final = Setting(
    "values/max_main_ev",
    _("Maximum EV, match result and handicap"),
    _("A tighter limit for these markets."),
    11.1,
    Decimal(1, 100, unit="%"),
)
MAX_MARGIN: Final = Setting(
    "values/max_margin",
    _("Largest margin of the sharp book"),
    _(
        "A market with a larger margin has no value bets. The limit also applies to the "
        "market made of a price and the sharp book's odds on the other outcomes."
    ),
    5.0,
    Decimal(0, 30, unit="%"),
)
MIN_MARGIN: Final = Setting(
    "values/min_margin",
    _("Smallest margin of a price"),
    _(
        "Margin of the market made of the price and the sharp book's odds on the other "
        "outcomes. Below this, the price is probably an error."
    ),
    -1.0,
    Decimal(-30, 0, unit="%"),
)
MAX_AGE: Final = Setting(
    "values/max_age",
    _("Oldest price before the game"),
    _("Applies to the sharp book too. Stale prices are never listed."),
    900,
    Whole(5, 900, step=15, unit="s"),
)
MAX_AGE_IN_PLAY: Final = Setting(
    "values/max_age_in_play",
    _("Oldest price in play"),
    _("Applies to the sharp book too."),
    60,
    Whole(5, 60, step=5, unit="s"),
)
MINE: Final[Setting[tuple[str, ...]]] = Setting(
    "bookmakers/mine",
    _("My bookmakers"),
    _(
        "The bookmakers you use. Only these count for best price, value and stakes; "
        "choose none to use all. Commission, limits and names are set in the same window."
    ),
    (),
    Names(),
)
CLOSE_REFERENCE: Final = Setting(
    "research/close_reference",
    _("Closing line from"),
    _(
        "CLV compares every bet with this bookmaker's closing line: in your bets, "
        "backtests and scorecards."
    ),
    SERVICES_OWN,
    Judge(((SERVICES_OWN, _("Default of the service")), (CONSENSUS, _("Consensus")))),
)
CLOSE_METHOD: Final = Setting(
    "research/close",
    _("Closing line devig method"),
    _("How the margin is removed from closing lines."),
    _AS_TRUE_EV,
    Choice(
        (
            (_AS_TRUE_EV, _("Same as for prices")),
            *((method, _method_title(method)) for method in METHODS),
        )
    ),
)
AT_START: Final = Setting(
    "connection/at_start",
    _("At start, connect to"),
    _("A connection named on the command line comes first."),
    "last",
    Choice((("last", _("Last connection")), ("embedded", _("Built-in server")))),
)
SETTLE_BETS: Final = Setting(
    "bets/settle",
    _("Settle bets automatically"),
    _("When a source reports the result. If off, results are proposed in the list To settle."),
    True,
    Toggle(),
)
TRAY: Final = Setting(
    "alerts/tray",
    _("Keep running in the tray when the window is closed"),
    _("Alerts keep coming without a window. Quit ends oddsdesk."),
    False,
    Toggle(),
)
INTRODUCTION: Final = Setting(
    "start/introduction",
    _("Show the introduction"),
    _("A short explanation below the top bar."),
    True,
    Toggle(),
)


class Section(msgspec.Struct, frozen=True):
    """A group of settings in the dialog and the documentation."""

    title: str
    settings: tuple[Setting[Any], ...]


STAKES: Final = Section(
    _("Stakes"), (BANKROLL, KELLY_SHARE, OUTCOME_CAP, GAME_CAP, TOTAL_CAP, STAKE_STEP, SPLIT_TOTAL)
)
VALUE_RULES: Final = Section(
    _("Value bets"),
    (MIN_EV, MIN_PROP_EV, MAX_EV, MAX_MAIN_EV, MAX_MARGIN, MIN_MARGIN, MAX_AGE, MAX_AGE_IN_PLAY),
)
"""The rules of the desk's own list. The defaults are the service's, whose own list keeps them."""
_T = TypeVar("_T")
_Number = TypeVar("_Number", int, float)


class ReadSetting(Protocol):
    """Returns the value of a setting."""

    def __call__(self, setting: Setting[_T], /) -> _T:
        """Return it."""


def stake_plan(value_of: ReadSetting) -> StakePlan:
    """Return the user's staking plan."""
    return StakePlan(
        bankroll=value_of(BANKROLL),
        kelly_share=value_of(KELLY_SHARE) / 100,
        outcome_cap=value_of(OUTCOME_CAP) / 100,
        game_cap=value_of(GAME_CAP) / 100,
        total_cap=value_of(TOTAL_CAP) / 100,
        step=float(value_of(STAKE_STEP)),
    )


def list_rules(value_of: ReadSetting) -> ListRules:
    """Return the rules of the desk's own list of value bets."""

    def own(setting: Setting[_Number]) -> _Number | None:
        value = value_of(setting)
        return None if value == setting.default else value

    return own_rules(
        min_ev=own(MIN_EV),
        min_prop_ev=own(MIN_PROP_EV),
        max_ev=own(MAX_EV),
        max_main_ev=own(MAX_MAIN_EV),
        max_margin=own(MAX_MARGIN),
        min_margin=own(MIN_MARGIN),
        max_age_s=own(MAX_AGE),
        max_age_in_play_s=own(MAX_AGE_IN_PLAY),
    )


def own_rules_text(value_of: ReadSetting) -> str:
    """Return the rules that differ from the service's, with the service's figures; else empty."""
    return ", ".join(
        f"{mid_sentence(setting.label)} "
        f"{_number(setting, value)} ({_number(setting, setting.default)})"
        for setting in VALUE_RULES.settings
        if (value := value_of(setting)) != setting.default
    )


def _number(setting: Setting[Any], value: float) -> str:
    unit = setting.kind.unit if isinstance(setting.kind, Decimal | Whole) else ""
    return f"{numbers.num(value):g} {unit}".rstrip()


def close_by(value_of: ReadSetting) -> CloseBy:
    """Return the bookmaker and devig method for closing lines."""
    reference, method = value_of(CLOSE_REFERENCE), value_of(CLOSE_METHOD)
    return CloseBy(
        CONSENSUS_TITLE if reference == CONSENSUS else reference,
        value_of(METHOD) if method == _AS_TRUE_EV else method,
    )


def derived_choice(value_of: ReadSetting) -> DerivedChoice:
    """Return which derived fair odds the user wants."""
    return cast(DerivedChoice, value_of(DERIVED))


def split_of(value_of: ReadSetting) -> Split:
    """Return how the user splits the stake among the legs of an opportunity."""
    return Split(float(value_of(SPLIT_TOTAL)), float(value_of(STAKE_STEP)))


NUMBERS: Final = Section(_("Numbers and dates"), (DECIMAL_MARK, HOURS, DATES, FIRST_DAY))
SECTIONS: Final = (
    Section(_("Appearance"), (LANGUAGE, SCHEME, TEXT_SIZE, COLOUR_BLIND, FLASH, SPARKLINES)),
    NUMBERS,
    Section(_("Prices"), (ODDS_FORMAT, REFERENCE, METHOD, DERIVED)),
    VALUE_RULES,
    STAKES,
    Section(_("Bookmakers"), (MINE,)),
    Section(_("Bets"), (SETTLE_BETS,)),
    Section(_("Closing lines"), (CLOSE_REFERENCE, CLOSE_METHOD)),
    Section(_("Connection"), (AT_START,)),
    Section(_("Alerts"), (TRAY,)),
    Section(_("Start"), (INTRODUCTION,)),
)
