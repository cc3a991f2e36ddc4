"""What the user wants to be told of, and when not; and the file that says so."""

import re
from collections.abc import Iterable
from datetime import time
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

Name = Annotated[str, Meta(min_length=1, max_length=200)]
RULES_FILE: Final = "alerts.toml"
"""In the settings folder: what the desk tells of, and `oddsdesk watch` unless told otherwise."""
CHANNEL_KINDS: Final = ("ntfy", "webhook", "apprise")


class _Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What all rules have; titles and texts of fields are what forms and the guide say."""

    name: Annotated[
        str,
        Meta(
            title="Name",
            description="What its alerts are told under; empty for that of the kind.",
        ),
    ] = ""
    channels: Annotated[
        tuple[Name, ...],
        Meta(title="Channels", description="Where its alerts go; none is everywhere."),
    ] = ()
    enabled: Annotated[
        bool, Meta(title="Enabled", description="A rule that is off is kept, and not looked for.")
    ] = True

    @classmethod
    def kind_title(cls) -> str:
        """Return what a rule without a name is called."""
        return str(cls.__struct_config__.tag).replace("-", " ").capitalize()

    @property
    def title(self) -> str:
        """What the rule is called."""
        return self.name or self.kind_title()


class ValueRule(_Rule, frozen=True, tag="value", tag_field="kind"):
    """A value bet that a preset lists."""

    preset: Annotated[
        Name, Meta(title="Preset", description="Which of your presets has to list the bet.")
    ] = "All value bets"
    least_ev: Annotated[
        float,
        Meta(
            ge=-100,
            le=1_000,
            title="EV at least",
            description="Where the preset asks for less.",
            extra={"unit": "%"},
        ),
    ] = 0.0


class TargetRule(_Rule, frozen=True, kw_only=True, tag="target", tag_field="kind"):
    """A price that reaches a target, at one bookmaker or at any of the user's."""

    game: Annotated[
        Name, Meta(title="Game", description="As it is written in the desk: Everton vs Liverpool.")
    ]
    market: Annotated[Name, Meta(title="Market", description="Which one of the game.")]
    period: Annotated[
        int,
        Meta(title="Part of the game", description="All of it, or a half, quarter, period or set."),
    ] = 0
    selection: Annotated[
        Name, Meta(title="Selection", description="As it is written in the desk: Over 2.5.")
    ]
    bookmaker: Annotated[
        str, Meta(title="Bookmaker", description="Empty for any of your bookmakers.")
    ] = ""
    odds: Annotated[
        float, Meta(gt=1, le=1e6, title="Odds reach", description="As offered, before commission.")
    ]
    """Decimal, as offered."""


class OpportunityRule(_Rule, frozen=True, tag="arbitrage", tag_field="kind"):
    """An arbitrage that leaves at least so much in its worst outcome."""

    least: Annotated[
        float,
        Meta(
            ge=-100,
            le=1_000,
            title="Leaves at least",
            description="In its worst outcome, a push too, of what is staked, after rounding.",
            extra={"unit": "%"},
        ),
    ] = 0.0


class SteamRule(_Rule, frozen=True, tag="steam", tag_field="kind"):
    """Bookmakers that move the same way at once (D61)."""

    groups: Annotated[
        int,
        Meta(
            ge=1,
            le=100,
            title="Operators at least",
            description="Bookmakers of one operator or supplier count once.",
        ),
    ] = 3
    points: Annotated[
        float,
        Meta(
            gt=0,
            le=1e6,
            title="Each moves at least",
            description="Percentage points of implied probability.",
            extra={"unit": "points"},
        ),
    ] = 2.0
    minutes: Annotated[
        float,
        Meta(
            gt=0,
            le=120,
            title="Within",
            description="How long they may take to move.",
            extra={"unit": "min"},
        ),
    ] = 5.0


class KickOffRule(_Rule, frozen=True, tag="kick-off", tag_field="kind"):
    """A game on which a bet is placed is about to begin."""

    minutes: Annotated[
        float,
        Meta(
            ge=0,
            le=10_080,
            title="Before kick-off",
            description="Of a game on which you have an open bet.",
            extra={"unit": "min"},
        ),
    ] = 10.0


class ConnectionRule(_Rule, frozen=True, tag="connection", tag_field="kind"):
    """Prices come no more."""

    seconds: Annotated[
        float,
        Meta(
            ge=0,
            le=86_400,
            title="Lost for",
            description="How long the connection has to be away.",
            extra={"unit": "s"},
        ),
    ] = 30.0


Rule = ValueRule | TargetRule | OpportunityRule | SteamRule | KickOffRule | ConnectionRule


class ChannelSetting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somewhere alerts go; its address, which may hold a key, is in the keyring."""

    name: Name
    kind: str

    def __post_init__(self) -> None:
        if self.kind not in CHANNEL_KINDS:
            known = ", ".join(CHANNEL_KINDS)
            raise ValueError(f"kind {self.kind!r}; expected one of {known}")


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """What is held back (D62)."""

    quiet: Annotated[
        tuple[str, str] | None,
        Meta(
            title="Quiet from",
            description="From and until when nothing is sent, by the local clock; empty for never.",
        ),
    ] = None
    most_per_hour: Annotated[
        int,
        Meta(
            ge=1,
            le=10_000,
            title="At most",
            description="Of all lists together, the best first; the rest is listed. As many again "
            "of targets, kick-offs and lost connections.",
            extra={"unit": "an hour"},
        ),
    ] = 20
    cooldown_min: Annotated[
        float,
        Meta(
            ge=0,
            le=10_080,
            title="The same again after",
            description="A bet, an arbitrage or a price is one thing, whoever offers it.",
            extra={"unit": "min"},
        ),
    ] = 10.0
    step: Annotated[
        float,
        Meta(
            ge=0,
            le=1_000,
            title="And only if better by",
            description="What its figure has to rise by: EV, what is left, percent above a target.",
            extra={"unit": "points"},
        ),
    ] = 0.5

    def __post_init__(self) -> None:
        for text in self.quiet or ():
            read_time(text)

    def is_quiet(self, at: time) -> bool:
        """Whether nothing is sent at a time of day."""
        if self.quiet is None:
            return False
        begin, end = map(read_time, self.quiet)
        return begin <= at < end if begin <= end else at >= begin or at < end


class AlertSettings(Policy, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything about alerts."""

    rules: tuple[Rule, ...] = ()
    channels: tuple[ChannelSetting, ...] = ()

    @property
    def active(self) -> tuple[Rule, ...]:
        """The rules that are on."""
        return tuple(rule for rule in self.rules if rule.enabled)

    def __post_init__(self) -> None:
        super().__post_init__()
        names = [channel.name for channel in self.channels]
        if len(set(names)) < len(names):
            raise ValueError("two channels have the same name")
        for rule in self.rules:
            for name in rule.channels:
                if name not in names:
                    raise ValueError(f"a rule names the channel {name!r}, which does not exist")


_PLACE: Final = re.compile(r" - at `\$\.([^`]+)`")
"""Where msgspec found something wrong: `$.rules[4].kind`."""
_ITEM: Final = re.compile(r"(\w+)s\[(\d+)\]")
EXPECTED_TIME: Final = "expected a time of day such as 23:00"


class RulesFileError(Exception):
    """A file of rules cannot be used; one line that says what was expected."""


def read_time(text: str) -> time:
    """Return a time of day.

    Raises:
        ValueError: it is none; says what was expected.
    """
    try:
        found = time.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is not None:  # the local clock has no offset to compare with
        raise ValueError(f"quiet {text!r}; {EXPECTED_TIME}")
    return found


def check_presets(settings: AlertSettings, names: Iterable[str]) -> None:
    """Refuse rules that are on and name a preset that there is not.

    Raises:
        RulesFileError: there is one.
    """
    known = {name.casefold() for name in names}
    for rule in settings.active:
        if isinstance(rule, ValueRule) and rule.preset.casefold() not in known:
            raise RulesFileError(f"no preset {rule.preset!r}")


def problem_text(error: Exception) -> str:
    """Return what is wrong with rules in one line, rules and channels counted from 1."""
    said = " ".join(str(error).split())
    found = _PLACE.search(said)
    if found is None:
        return said
    where = _ITEM.sub(lambda item: f"{item[1]} {int(item[2]) + 1}", found[1])
    return f"{where.replace('.', ', ')}: {_PLACE.sub('', said)}"


def decode_rules(text: bytes) -> AlertSettings:
    """Read rules, TOML.

    Raises:
        RulesFileError: they make no sense.
    """
    try:
        found: Any = msgspec.toml.decode(text)
        return msgspec.convert(found, AlertSettings)
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
        raise RulesFileError(problem_text(error)) from error


def read_rules(path: Path) -> AlertSettings:
    """Read a file of rules.

    Raises:
        RulesFileError: it cannot be read, or says what makes no sense.
    """
    try:
        return decode_rules(path.read_bytes())
    except OSError as error:
        raise RulesFileError(f"{path}: cannot be read: {error.strerror or error}") from error
    except RulesFileError as error:
        raise RulesFileError(f"{path}: {error}") from error
