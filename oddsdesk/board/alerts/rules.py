"""Alert rules: their fields, limits and quiet hours, and the file that holds them."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import time
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, get_args, get_type_hints
from urllib.parse import urlsplit

import msgspec
from msgspec import NODEFAULT, Meta

from oddsdesk.base.figures import read_number, read_typed_amount
from oddsdesk.base.numbers import num
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import Doubted, RowKey, SelectionRow
from oddsdesk.board.opportunities.ways import UNRELIABLE
from oddsdesk.contract.identity import dated_game_title
from oddsdesk.pricing.value import expected_value

Name = Annotated[str, Meta(min_length=1, max_length=200)]
RULES_FILE: Final = "alerts.toml"
"""In the settings folder; the desk reads it, and `oddsdesk watch` unless given another."""
CHANNEL_KINDS: Final = ("ntfy", "webhook", "apprise")


_TAG_TITLES: Final = {
    "value": N_("Value"),
    "target": N_("Target"),
    "arbitrage": N_("Arbitrage"),
    "steam": N_("Steam"),
    "kick-off": N_("Kick off"),
    "connection": N_("Connection"),
}


class _Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Fields that all rules have; forms and the guide show their titles and descriptions."""

    name: Annotated[
        str, Meta(title=_("Name"), description=_("Name shown in alerts (optional)."))
    ] = ""
    channels: Annotated[
        tuple[Name, ...],
        Meta(title=_("Channels"), description=_("Where its alerts go. None ticked: all channels.")),
    ] = ()
    enabled: Annotated[
        bool, Meta(title=_("Enabled"), description=_("Disabled rules are kept."))
    ] = True

    @classmethod
    def kind_title(cls) -> str:
        """Return what a rule without a name is called."""
        tag = str(cls.__struct_config__.tag)
        return translated(_TAG_TITLES.get(tag) or tag.replace("-", " ").capitalize())

    @property
    def shown_title(self) -> str:
        """What the rule is called."""
        return self.name or self.kind_title()


class ValueRule(_Rule, frozen=True, tag="value", tag_field="kind"):
    """A value bet that a preset lists."""

    preset: Annotated[
        Name, Meta(title=_("Preset"), description=_("The preset that must list the bet."))
    ] = "All value bets"
    least_ev: Annotated[
        float,
        Meta(
            ge=-100,
            le=1_000,
            title=_("Minimum EV"),
            description=_("Used where it is above the preset's."),
            extra={"unit": "%"},
        ),
    ] = 0.0
    derived: Annotated[
        bool,
        Meta(
            title=_("Derived fair odds"),
            description=_("Also bets on lines that the sharp book does not price itself."),
        ),
    ] = False


class TargetRule(_Rule, frozen=True, kw_only=True, tag="target", tag_field="kind"):
    """A price that reaches a target, at one bookmaker or at any of the user's."""

    game: Annotated[
        Name, Meta(title=_("Game"), description=_("Home v away, such as Everton v Liverpool."))
    ]
    market: Annotated[Name, Meta(title=_("Market"), description=_("A market of the game."))]
    period: Annotated[
        int, Meta(title=_("Period"), description=_("Full game, or a half, quarter, period or set."))
    ] = 0
    selection: Annotated[
        Name, Meta(title=_("Selection"), description=_("In English, such as Over 2.5."))
    ]
    bookmaker: Annotated[
        str, Meta(title=_("Bookmaker"), description=_("Leave empty for any of your bookmakers."))
    ] = ""
    odds: Annotated[
        float,
        Meta(
            gt=1,
            le=1e6,
            title=_("Target odds"),
            description=_("Odds as offered, before commission."),
        ),
    ]
    """Decimal, as offered."""


class OpportunityRule(_Rule, frozen=True, tag="arbitrage", tag_field="kind"):
    """An arbitrage with at least this guaranteed return if every leg stands."""

    least: Annotated[
        float,
        Meta(
            ge=-100,
            le=1_000,
            title=_("Minimum profit"),
            description=_("Guaranteed return if every leg stands, after rounding; pushes count."),
            extra={"unit": "%"},
        ),
    ] = 0.0


class SteamRule(_Rule, frozen=True, tag="steam", tag_field="kind"):
    """Bookmakers that move the same way at once."""

    groups: Annotated[
        int,
        Meta(
            ge=1,
            le=100,
            title=_("Bookmakers"),
            description=_("Bookmakers of one operator or supplier count once."),
        ),
    ] = 3
    points: Annotated[
        float,
        Meta(
            gt=0,
            le=1e6,
            title=_("Minimum move"),
            description=_("Percentage points of implied probability."),
            extra={"unit": _("points")},
        ),
    ] = 2.0
    minutes: Annotated[
        float,
        Meta(
            gt=0,
            le=120,
            title=_("Within"),
            description=_("Time in which they all move."),
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
            title=_("Before kick-off"),
            description=_("For games on which you have an open bet."),
            extra={"unit": "min"},
        ),
    ] = 10.0


class ConnectionRule(_Rule, frozen=True, tag="connection", tag_field="kind"):
    """The connection is lost, or no prices come in."""

    seconds: Annotated[
        float,
        Meta(
            ge=0,
            le=86_400,
            title=_("Lost for"),
            description=_("How long the connection must be lost."),
            extra={"unit": "s"},
        ),
    ] = 30.0


Rule = ValueRule | TargetRule | OpportunityRule | SteamRule | KickOffRule | ConnectionRule


class ChannelSetting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somewhere alerts go; its address, which may hold a key, is in the keyring."""

    name: Name
    kind: str
    link: str = ""
    """The address of a server with the dashboard, for links to its page of a price."""

    def __post_init__(self) -> None:
        parts = urlsplit(self.link)
        if self.link and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise ValueError(
                _("link {link!r}; expected an address such as https://host").format(link=self.link)
            )
        if parts.query or parts.fragment or "@" in parts.netloc:
            raise ValueError(
                _("link {link!r}; expected an address without more, https://host").format(
                    link=self.link
                )
            )
        if self.kind not in CHANNEL_KINDS:
            known = ", ".join(CHANNEL_KINDS)
            raise ValueError(
                _("kind {kind!r}; expected one of {known}").format(kind=self.kind, known=known)
            )


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """What is held back."""

    quiet: Annotated[
        tuple[str, str] | None,
        Meta(
            title=_("Quiet from"),
            description=_("No alerts between these local times. Leave empty for none."),
        ),
    ] = None
    most_per_hour: Annotated[
        int,
        Meta(
            ge=1,
            le=10_000,
            title=_("At most"),
            description=_(
                "Max alerts an hour, best first; the rest is only listed. Targets, "
                "kick-offs and lost connections have the same limit again."
            ),
            extra={"unit": _("an hour")},
        ),
    ] = 20
    cooldown_min: Annotated[
        float,
        Meta(
            ge=0,
            le=10_080,
            title=_("Repeat after"),
            description=_("For the same bet, arbitrage or target, at any bookmaker."),
            extra={"unit": "min"},
        ),
    ] = 10.0
    step: Annotated[
        float,
        Meta(
            ge=0,
            le=1_000,
            title=_("Repeat only if better by"),
            description=_("Rise in EV, guaranteed return or percent above the target."),
            extra={"unit": _("points")},
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
            raise ValueError(_("two channels have the same name"))
        for rule in self.rules:
            for name in rule.channels:
                if name not in names:
                    raise ValueError(
                        _("a rule uses the channel {name!r}, which does not exist").format(
                            name=name
                        )
                    )


_PLACE: Final = re.compile(r" - at `\$\.([^`]+)`")
"""Where msgspec found something wrong: `$.rules[4].kind`."""
_ITEM: Final = re.compile(r"(\w+)s\[(\d+)\]")
EXPECTED_TIME: Final = _("expected a time of day such as 23:00")


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
        raise ValueError(_("quiet {text!r}; {expected}").format(text=text, expected=EXPECTED_TIME))
    return found


def _check_presets(settings: AlertSettings, names: Iterable[str]) -> None:
    """Refuse rules that are on and name a preset that there is not."""
    known = {name.casefold() for name in names}
    for rule in settings.active:
        if isinstance(rule, ValueRule) and rule.preset.casefold() not in known:
            raise RulesFileError(_("there is no preset {preset!r}").format(preset=rule.preset))


def problem_text(error: Exception) -> str:
    """Return what is wrong with rules in one line, rules and channels counted from 1."""
    said = " ".join(str(error).split())
    found = _PLACE.search(said)
    if found is None:
        return said
    where = _ITEM.sub(lambda item: f"{item[1]} {int(item[2]) + 1}", found[1])
    return f"{where.replace('.', ', ')}: {_PLACE.sub('', said)}"


def decode_rules(text: bytes, presets: Iterable[str] | None = None) -> AlertSettings:
    """Read rules, TOML; where ``presets`` are given, a rule that is on may name no other.

    Raises:
        RulesFileError: they make no sense.
    """
    try:
        settings = msgspec.convert(msgspec.toml.decode(text), AlertSettings)
        if presets is not None:
            _check_presets(settings, presets)
        return settings
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
        raise RulesFileError(problem_text(error)) from error


def read_rules(path: Path, presets: Iterable[str] | None = None) -> AlertSettings:
    """Read a file of rules; ``presets`` as of ``decode_rules``.

    Raises:
        RulesFileError: it cannot be read, or says what makes no sense.
    """
    try:
        return decode_rules(path.read_bytes(), presets)
    except OSError as error:
        raise RulesFileError(
            _("{path}: cannot be read: {reason}").format(
                path=path, reason=translated(error_text(error))
            )
        ) from error
    except RulesFileError as error:
        raise RulesFileError(f"{path}: {error}") from error


KINDS: Final[Mapping[type[Rule], tuple[str, str]]] = {
    ValueRule: (_("Value bets"), _("A value bet that one of your presets lists.")),
    TargetRule: (_("Target price"), _("A price reaches your target.")),
    OpportunityRule: (_("Arbitrage"), _("An arbitrage with your minimum profit.")),
    SteamRule: (_("Steam"), _("Several bookmakers move a price the same way at once.")),
    KickOffRule: (_("Kick-off"), _("A game on which you have a bet is about to start.")),
    ConnectionRule: (_("Lost connection"), _("Prices no longer come in.")),
}
"""What each kind is called, and what it does."""
LIMITS: Final = (
    _("Quiet hours and limits"),
    _("Alerts that are not sent are listed with the reason, and sent later if they still hold."),
)
"""What the form of a policy is called, and what it does."""
_LAST: Final = ("name", "channels", "enabled")
"""What all rules have comes below the fields of a kind."""


class RuleField(msgspec.Struct, frozen=True):
    """A field as its rule declares it."""

    name: str
    """As the file has it."""
    type: Any
    """With its limits."""
    default: Any
    """``NODEFAULT`` where it has to be given."""
    title: str
    help: str
    unit: str
    meta: Meta

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number."""
        return self._base is int

    @property
    def is_number(self) -> bool:
        """Whether it is a number."""
        return self._base in (int, float)

    @property
    def _base(self) -> Any:
        return get_args(self.type)[0]

    def expected(self) -> str:
        """Say which values there are."""
        meta = self.meta
        if not self.is_number:
            return (
                _("up to {max_length} characters").format(max_length=meta.max_length)
                if meta.max_length
                else _("a text")
            )
        if meta.le is None:
            return _("a whole number") if self.is_whole else _("a number")
        most = f"{num(meta.le):,.12g}"
        if meta.ge is not None:
            text = (
                _("a whole number from {least:,g} to {most}")
                if self.is_whole
                else _("a number from {least:,g} to {most}")
            )
            return text.format(least=num(meta.ge), most=most)
        text = (
            _("a whole number above {least:,g} and up to {most}")
            if self.is_whole
            else _("a number above {least:,g} and up to {most}")
        )
        return text.format(least=num(meta.gt), most=most)

    def parse_value(self, text: str) -> Any:
        """Return what a typed text says.

        Raises:
            ValueError: nothing that the field may be; says what was expected.
        """
        text = text.strip()
        if not text and self.default is NODEFAULT:
            raise ValueError(_("this is needed"))
        try:
            return self.check_value(
                _number(text, is_whole=self.is_whole) if self.is_number else text
            )
        except ValueError:
            raise ValueError(_("expected {expected}").format(expected=self.expected())) from None

    def check_value(self, value: Any) -> Any:
        """Return a value that the field may have.

        Raises:
            ValueError: it lies outside its limits; says what was expected.
        """
        try:
            return msgspec.convert(value, self.type)
        except msgspec.ValidationError:
            raise ValueError(_("expected {expected}").format(expected=self.expected())) from None


def fields_of(kind: type[Rule] | type[Policy]) -> list[RuleField]:
    """Return the fields of a kind of rule, what all kinds have last; or those of a policy."""
    hints = get_type_hints(kind, include_extras=True)
    found = [_field(each, hints[each.name]) for each in msgspec.structs.fields(kind)]
    return sorted(found, key=lambda field: field.name in _LAST)


def _field(field: msgspec.structs.FieldInfo, hint: Any) -> RuleField:
    _, *metas = get_args(hint)
    limits = {
        name: getattr(meta, name)
        for meta in metas
        for name in ("gt", "ge", "le", "min_length", "max_length")
        if getattr(meta, name) is not None
    }
    said = metas[-1]
    return RuleField(
        name=field.name,
        type=hint,
        default=field.default,
        title=said.title,
        help=said.description or "",
        unit=(said.extra or {}).get("unit", ""),
        meta=Meta(**limits),
    )


def _number(text: str, *, is_whole: bool) -> float:
    if not text.removeprefix("-")[:1].isdigit() or "e" in text.casefold():
        raise ValueError(_("no number"))
    number = read_typed_amount("number", text) if is_whole else read_number("number", text)
    if is_whole and not number.is_integer():
        raise ValueError(_("no whole number"))
    return int(number) if is_whole else number


_BETTER: Final = 1.02
"""How much more is asked for where the price is value already, or nobody knows its value."""


class TargetCell(NamedTuple):
    """A cell as its target is asked for: there need be no price in it."""

    key: RowKey
    match_name: str
    sport: str
    bookmaker: str
    """By name, the reference too."""
    odds: float | None
    """Gross, as offered there now; None where it is not."""
    best: float | None
    """The gross odds of the best price at the user's bookmakers now."""
    doubted: Doubted | None
    """A higher price there that is doubted."""
    reference: str
    value_from: float | None
    """Gross odds there from which it is value; None where no price can be."""
    net: Callable[[float], float]
    """Returns what a unit staked there pays back at gross odds."""
    fair: float | None
    decided: float

    def ev_at(self, odds: float, *, anywhere: bool) -> float | None:
        """Return the EV in percent at gross odds there, or ``anywhere`` without a commission."""
        if self.fair is None:
            return None
        return expected_value(odds if anywhere else self.net(odds), self.fair, self.decided)

    @property
    def is_doubted_alerted(self) -> bool:
        """Whether the doubted price may alert all the same, with its doubt."""
        return self.doubted is not None and self.doubted.caution not in UNRELIABLE

    def suggested(self) -> float:
        """Return a price worth waiting for: where value begins, else a little more than now."""
        least = self.value_from
        if least is not None and math.isfinite(least) and (self.odds or 0.0) < least:
            return _rounded_up(least)
        return _rounded_up((self.odds or self.best or self.fair or 2.0) * _BETTER)

    def rule(self, odds: float, *, anywhere: bool, like: TargetRule | None = None) -> TargetRule:
        """Return the rule of a target, told where and under the name that ``like`` is."""
        return TargetRule(
            name=like.name if like else "",
            channels=like.channels if like else (),
            game=self.match_name,
            market=self.key.market_type,
            period=self.key.period,
            selection=self.key.selection,
            odds=odds,
            bookmaker="" if anywhere else self.bookmaker,
        )


def target_cell(board: Board, key: RowKey) -> TargetCell | None:
    """Return what a target on a cell is about; None where nothing of its row is held."""
    matrix, section = board.matrix(key.game_id), board.section(*key[:4])
    if matrix is None or section is None:
        return None
    row = section.selection_row(key.selection)
    price = row.prices.get(key.bookmaker)
    profile = board.basis.profiles.profile_of(key.bookmaker)
    return TargetCell(
        key=key,
        match_name=matrix.match_name,
        sport=matrix.sport,
        bookmaker=key.bookmaker,
        odds=price.odds if price is not None and price.is_offered else None,
        best=_best(row),
        doubted=_doubted(board, row),
        reference=board.reference_name,
        value_from=None if row.value_from is None else profile.gross(row.value_from),
        net=profile.net,
        fair=row.fair,
        decided=row.decided,
    )


def target_of(settings: AlertSettings, cell: TargetCell) -> TargetRule | None:
    """Return the target that stands on a cell: at its bookmaker, else at any."""
    key, name = cell.key, dated_game_title(cell.match_name).casefold()
    found = [
        rule
        for rule in settings.rules
        if isinstance(rule, TargetRule)
        and dated_game_title(rule.game).casefold() == name
        and (rule.market, rule.period, rule.selection) == key[1:4]
        and rule.bookmaker.casefold() in ("", cell.bookmaker.casefold())
    ]
    return max(found, key=lambda rule: bool(rule.bookmaker), default=None)


def _best(row: SelectionRow) -> float | None:
    offered = (row.prices.get(name) for name in row.best_bookmakers)
    return next((price.odds for price in offered if price is not None), None)


def _doubted(board: Board, row: SelectionRow) -> Doubted | None:
    found = row.doubted
    return found if found is not None and board.basis.is_mine(found.bookmaker) else None


def _rounded_up(odds: float) -> float:
    """Return odds with two decimals, as bookmakers quote them; never below what was given."""
    return math.ceil(round(odds * 100, 6)) / 100
