"""The user's own data for betting commands: placed bets, presets, bookmakers, settings."""

import configparser
import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar

import click

from oddsdesk.base.clock import system_clock
from oddsdesk.base.places import NoHomeError, default_ledger, settings_folder
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.texts import _, translated
from oddsdesk.board.model.basis import CONSENSUS
from oddsdesk.desk.settings.declared import SECTIONS, Setting, close_by
from oddsdesk.ledger.accounts import MoneyBook, in_main_currency
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.own_tables import known_bands, known_bookmakers, known_rules, known_weights
from oddsdesk.ledger.presets import BUILT_IN, HiddenThings, Preset, ValueFilter
from oddsdesk.ledger.reporting import by_currency
from oddsdesk.ledger.schema import LedgerError
from oddsdesk.pricing.closing import BetPart, CloseBy, ClosingLine
from oddsdesk.pricing.consensus import CONSENSUS_TITLE, LearnedWeights
from oddsdesk.pricing.derived import Bands
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.settlement_rules import SettlementRules

T = TypeVar("T")

ALL_CURRENCIES: Final = _("all currencies")
"""Names the row of all bets in the main currency."""


class UnknownPresetError(click.ClickException):
    """No preset has this name."""

    exit_code = 2


@contextlib.contextmanager
def open_ledger(
    path: Path, *, is_made: bool = False, is_read_only: bool = False
) -> Iterator[Ledger]:
    """Open a file of bets; a missing one is treated as empty unless ``is_made`` creates it.

    With ``is_read_only`` a copy in memory is opened, and the file stays as it is.

    Raises:
        click.ClickException: the ledger cannot be read or written.
    """
    try:
        with contextlib.closing(Ledger(path, is_made=is_made, is_read_only=is_read_only)) as held:
            yield held
    except LedgerError as error:
        raise click.ClickException(translated(str(error))) from error


def placed_bets() -> list[PlacedBet]:
    """Return the placed bets; none if there is no ledger.

    Raises:
        click.ClickException: the ledger exists but cannot be read.
    """
    return _of_ledger()[1]


def hidden_things(now_ms: int) -> HiddenThings:
    """Return the value bets that the desk hides; nothing without a ledger."""
    return HiddenThings(_read(Ledger.hidden, []), now_ms)


def keep_closes(closes: Mapping[BetPart, ClosingLine]) -> None:
    """Write closing lines of bets and legs into the ledger; existing ones stay.

    Raises:
        click.ClickException: the ledger cannot be written.
    """
    _ask(lambda ledger: ledger.write_closes(closes), 0)


def settle_open(ended: Sequence[PlacedBet]) -> list[PlacedBet]:
    """Settle bets, or legs, that are still open as they were read; return the changed bets.

    Raises:
        click.ClickException: the ledger cannot be written.
    """
    return _ask(lambda ledger: ledger.settle_open(ended), []) if ended else []


def preset(name: str) -> ValueFilter:
    """Return the filter of a preset, named in English or as the window shows it; in any case.

    Raises:
        UnknownPresetError: no preset has this name.
    """
    known = [*BUILT_IN, *_of_ledger()[0]]
    for shown in (str, translated):
        for each in known:
            if shown(each.name).casefold() == name.casefold():
                return each.filter
    names = ", ".join(repr(translated(each.name)) for each in known)
    raise UnknownPresetError(
        _("no preset {name!r}; presets are {names}").format(name=name, names=names)
    )


def presets() -> dict[str, ValueFilter]:
    """Return every preset by its folded name."""
    return {each.name.casefold(): each.filter for each in (*BUILT_IN, *_of_ledger()[0])}


def own_profiles() -> Profiles:
    """Return the bookmaker profiles; the user's own replace the shipped ones."""
    return _reported(known_bookmakers())


def own_bands(method: str) -> Bands:
    """Return the error bands of modelled prices; the user's own replace the shipped ones."""
    return _reported(known_bands(method))


def own_money() -> MoneyBook:
    """Return the user's main currency, rates and movements; nothing without a ledger."""
    return _read(lambda ledger: ledger.money.read_book(), MoneyBook())


def all_in_main(bets: Iterable[PlacedBet], book: MoneyBook) -> list[PlacedBet] | None:
    """Return bets of several currencies in the main one; None, and print why, without a rate."""
    converted = [*in_main_currency(bets, book, system_clock())]
    if missing := by_currency(converted).keys() - {"", book.main}:
        click.echo(
            _("no total: no exchange rate for {names}").format(names=", ".join(sorted(missing))),
            err=True,
        )
        return None
    return converted


def own_rules() -> SettlementRules:
    """Return the rules of settlement; the user's own replace the shipped ones."""
    return _reported(known_rules(own_profiles()))


def own_weights() -> LearnedWeights:
    """Return the learned weights of votes; report a file that cannot be read."""
    return _reported(known_weights())


def _reported(known: tuple[T, list[str]]) -> T:
    """Return the content of the user's file, and print its problems."""
    found, problems = known
    for problem in problems:
        click.echo(translated(problem), err=True)
    return found


def own_setting(setting: Setting[T]) -> T:
    """Return a setting of the desk; its default if it was never set or is invalid.

    The desk stores settings with Qt, which this command does not need.
    """
    try:
        return _read_setting(_kept_settings(), setting)
    except (NoHomeError, OSError, ValueError, configparser.Error):
        return setting.default


def own_close_by(reference: str | None, method: str | None) -> CloseBy:
    """Return which closing line to use: by the options, else by the desk's settings."""
    usual = close_by(own_setting)
    named = usual.reference if reference is None else reference.strip()
    is_pooled = named.casefold() == CONSENSUS
    return CloseBy(CONSENSUS_TITLE if is_pooled else named, method or usual.method)


def settings_file() -> Path:
    """Return where the desk stores its settings; the file may not exist.

    Raises:
        NoHomeError: there is no home folder.
    """
    return settings_folder() / "desk.ini"


def settings_problems() -> list[str]:
    """Return one line for each setting that is ignored; its default applies."""
    try:
        kept = _kept_settings()
    except UnicodeDecodeError:
        return [_("{file}: not UTF-8 text").format(file=settings_file())]
    except OSError as error:
        return [
            _("{file}: cannot be read: {reason}").format(
                file=settings_file(), reason=translated(error_text(error))
            )
        ]
    except configparser.Error as error:
        return [" ".join(error.message.split())]
    found = []
    for setting in (each for section in SECTIONS for each in section.settings):
        try:
            _read_setting(kept, setting)
        except ValueError as error:
            found.append(
                _("{file}: {key}: {reason}; the default applies").format(
                    file=settings_file(), key=setting.key, reason=translated(str(error))
                )
            )
    return found


def _kept_settings() -> configparser.ConfigParser:
    kept = configparser.ConfigParser(interpolation=None, strict=False)
    with contextlib.suppress(FileNotFoundError):
        path = settings_file()
        kept.read_string(path.read_text("utf-8"), str(path))
    return kept


def _read_setting(kept: configparser.ConfigParser, setting: Setting[T]) -> T:
    section, name = setting.key.split("/")
    word = kept.get(section, name, fallback=setting.kind.word_of(setting.default))
    return setting.kind.parse_word(word)


def _of_ledger() -> tuple[list[Preset], list[PlacedBet]]:
    none: tuple[list[Preset], list[PlacedBet]] = ([], [])
    return _read(lambda ledger: (ledger.presets()[0], ledger.read_bets()), none)


def _read(ask: Callable[[Ledger], T], nothing: T) -> T:
    """Read the ledger, which stays as it is; as ``_ask``."""
    return _ask(ask, nothing, is_read_only=True)


def _ask(ask: Callable[[Ledger], T], nothing: T, *, is_read_only: bool = False) -> T:
    """Ask the ledger; return ``nothing`` if there is none.

    Raises:
        click.ClickException: the ledger exists but cannot be read or written.
    """
    try:
        path = default_ledger()
    except NoHomeError:
        return nothing
    if not path.exists():
        return nothing
    with open_ledger(path, is_made=not is_read_only, is_read_only=is_read_only) as ledger:
        return ask(ledger)
