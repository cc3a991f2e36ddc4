"""Every setting of the desk. The dialog, the defaults and docs/settings.md are made from this.

A new setting is a constant here, in a section; whoever it concerns reads it from
``Preferences`` and listens to ``Preferences.changed``. Keys and tokens are never settings.
"""

from typing import Any, Final, Protocol, TypeVar

import msgspec

from oddsdesk.board.reference import CONSENSUS, SERVICES_OWN
from oddsdesk.desk.settings.kinds import Choice, Judge, Names, Setting, Toggle, Whole
from oddsdesk.pricing import formats
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.consensus import CONSENSUS_TITLE
from oddsdesk.pricing.devig import DEFAULT_METHOD, METHODS
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.opportunities import Split

_AS_TRUE_EV: Final = "true_ev"
SCHEME: Final = Setting(
    "look/scheme",
    "Colours",
    "Light and dark, or whichever the system uses now.",
    "system",
    Choice((("system", "As the system"), ("light", "Light"), ("dark", "Dark"))),
)
COLOUR_BLIND: Final = Setting(
    "look/colour_blind",
    "Blue and orange instead of green and red",
    "For eyes that do not tell red from green. Arrows and words say the same in any case.",
    False,
    Toggle(),
)
FLASH: Final = Setting(
    "look/flash",
    "Flash prices that move",
    "Off for less motion: the arrow beside a moved price stays.",
    True,
    Toggle(),
)
SPARKLINES: Final = Setting(
    "look/sparklines",
    "Sparklines in the matrix",
    "A column that shows how the reference's price moved in the last six hours.",
    True,
    Toggle(),
)
METHOD: Final = Setting(
    "prices/devig",
    "Devig method for true EV",
    "How the desk takes the margin out of the reference's prices. Fair prices, windows and "
    "true EV follow at once; the service's own EV does not.",
    DEFAULT_METHOD,
    Choice(tuple((method, method.replace("_", " ").capitalize()) for method in METHODS)),
)
REFERENCE: Final = Setting(
    "prices/reference",
    "Judge prices by",
    "Whose prices, without margin, are the fair ones: of whom the service itself judges by, of any "
    "other bookmaker or exchange, or of all together, each price by the others. Weights of a "
    "consensus are in My bookmakers. The service's own list and EV stay by its own.",
    SERVICES_OWN,
    Judge(((SERVICES_OWN, "The service's own reference"), (CONSENSUS, "Consensus"))),
)
ODDS_FORMAT: Final = Setting(
    "prices/odds_format",
    "Odds format",
    "How odds are written, everywhere at once. Files that are exported hold decimal odds.",
    formats.DECIMAL,
    Choice(
        (
            (formats.DECIMAL, "Decimal"),
            (formats.AMERICAN, "American"),
            (formats.FRACTIONAL, "Fractional"),
            (formats.HONG_KONG, "Hong Kong"),
            (formats.MALAY, "Malay"),
            (formats.INDONESIAN, "Indonesian"),
            (formats.IMPLIED, "Implied %"),
        )
    ),
)
TEXT_SIZE: Final = Setting(
    "look/text_size",
    "Size of text",
    "In percent; rows follow. Ctrl + and Ctrl − change it, Ctrl 0 goes back.",
    100,
    Whole(80, 160, step=10, unit="%"),
)
BANKROLL: Final = Setting(
    "stakes/bankroll",
    "Bankroll",
    "What Kelly's fraction is taken of, in your own money.",
    1_000,
    Whole(1, 1_000_000_000, step=100),
)
KELLY_SHARE: Final = Setting(
    "stakes/kelly_share",
    "Share of Kelly",
    "Full Kelly stakes (p × odds − 1) / (odds − 1) of the bankroll. A share of it forgives a "
    "fair price that is a little wrong.",
    25,
    Whole(1, 100, step=5, unit="%"),
)
OUTCOME_CAP: Final = Setting(
    "stakes/cap",
    "Most on one outcome",
    "In percent of the bankroll: all stakes on it, at all bookmakers together and with what is "
    "placed, whatever is staked on other sides.",
    2,
    Whole(1, 100, unit="%"),
)
GAME_CAP: Final = Setting(
    "stakes/game_cap",
    "Most on one game",
    "In percent of the bankroll: what its bets lose at worst.",
    3,
    Whole(1, 100, unit="%"),
)
TOTAL_CAP: Final = Setting(
    "stakes/total_cap",
    "Most open in all",
    "In percent of the bankroll: what all bets that are not settled lose at worst, the worst "
    "results of their games added up. A bet counts until six hours after kick-off.",
    25,
    Whole(1, 100, unit="%"),
)
STAKE_STEP: Final = Setting(
    "stakes/step",
    "Round stakes down to",
    "Round stakes draw less attention than exact ones.",
    "1",
    Choice(tuple((word, word) for word in ("0.01", "0.05", "0.1", "0.5", "1", "5", "10"))),
)
SPLIT_TOTAL: Final = Setting(
    "stakes/split_total",
    "Divided among the legs of an arbitrage",
    "Of a middle and a low hold, too: what all legs together cost at most.",
    100,
    Whole(1, 1_000_000_000, step=10),
)
MINE: Final[Setting[tuple[str, ...]]] = Setting(
    "bookmakers/mine",
    "My bookmakers",
    "Where you can bet: only they are value or staked, and Best of mine is theirs. None chosen "
    "means all. Commission, limits and names of bookmakers are in the same window.",
    (),
    Names(),
)
CLOSE_REFERENCE: Final = Setting(
    "research/close_reference",
    "Measure closing lines by",
    "Whose closing line every bet is measured by, whoever judged it: in CLV of your bets, of "
    "backtests and of scorecards. So their rows can be compared.",
    SERVICES_OWN,
    Judge(((SERVICES_OWN, "The service's own reference"), (CONSENSUS, "Consensus"))),
)
CLOSE_METHOD: Final = Setting(
    "research/close",
    "Devig method for closing lines",
    "How the margin is taken out of every closing line, whichever method judged the bet.",
    _AS_TRUE_EV,
    Choice(
        (
            (_AS_TRUE_EV, "As for true EV"),
            *((method, method.replace("_", " ").capitalize()) for method in METHODS),
        )
    ),
)
AT_START: Final = Setting(
    "connection/at_start",
    "Connect at the start to",
    "What the desk opens with where the command line names nothing else.",
    "last",
    Choice((("last", "The connection used last"), ("embedded", "The embedded server"))),
)
TRAY: Final = Setting(
    "alerts/tray",
    "Go on in the tray when the window is closed",
    "So that alerts come without a window, where the desktop has a tray. Quit ends it.",
    False,
    Toggle(),
)
INTRODUCTION: Final = Setting(
    "start/introduction",
    "Show the introduction",
    "Three sentences under the top bar that say what this is.",
    True,
    Toggle(),
)


class Section(msgspec.Struct, frozen=True):
    """Settings that stand together in the dialog and in the documentation."""

    title: str
    settings: tuple[Setting[Any], ...]


STAKES: Final = Section(
    "Stakes",
    (BANKROLL, KELLY_SHARE, OUTCOME_CAP, GAME_CAP, TOTAL_CAP, STAKE_STEP, SPLIT_TOTAL),
)
_T = TypeVar("_T")


class ReadSetting(Protocol):
    """What tells the value of a setting."""

    def __call__(self, setting: Setting[_T], /) -> _T:
        """Return it."""
        ...


def stake_plan(value_of: ReadSetting) -> StakePlan:
    """Return how the user stakes."""
    return StakePlan(
        bankroll=value_of(BANKROLL),
        kelly_share=value_of(KELLY_SHARE) / 100,
        outcome_cap=value_of(OUTCOME_CAP) / 100,
        game_cap=value_of(GAME_CAP) / 100,
        total_cap=value_of(TOTAL_CAP) / 100,
        step=float(value_of(STAKE_STEP)),
    )


def close_by(value_of: ReadSetting) -> CloseBy:
    """Return whose closing line all bets are measured by, and how its margin is taken out."""
    reference, method = value_of(CLOSE_REFERENCE), value_of(CLOSE_METHOD)
    return CloseBy(
        CONSENSUS_TITLE if reference == CONSENSUS else reference,
        value_of(METHOD) if method == _AS_TRUE_EV else method,
    )


def split_of(value_of: ReadSetting) -> Split:
    """Return how the user divides money among the legs of an opportunity."""
    return Split(float(value_of(SPLIT_TOTAL)), float(value_of(STAKE_STEP)))


SECTIONS: Final = (
    Section("Look", (SCHEME, TEXT_SIZE, COLOUR_BLIND, FLASH, SPARKLINES)),
    Section("Prices", (ODDS_FORMAT, REFERENCE, METHOD)),
    STAKES,
    Section("Bookmakers", (MINE,)),
    Section("Closing lines", (CLOSE_REFERENCE, CLOSE_METHOD)),
    Section("Connection", (AT_START,)),
    Section("Alerts", (TRAY,)),
    Section("Start", (INTRODUCTION,)),
)
