"""What commands about money read of the user's own: placed bets, presets, bookmakers, settings."""

import configparser
import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import click

from oddsdesk.board.reference import CONSENSUS
from oddsdesk.desk.settings.declared import SECTIONS, close_by
from oddsdesk.desk.settings.kinds import Setting
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.bookmakers import known_bookmakers
from oddsdesk.ledger.hidden import HiddenThings
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.presets import BUILT_IN, Preset, ValueFilter
from oddsdesk.ledger.schema import LedgerError
from oddsdesk.places import NoHomeError, default_ledger, settings_folder
from oddsdesk.pricing.closing import CloseBy, ClosingLine
from oddsdesk.pricing.consensus import CONSENSUS_TITLE
from oddsdesk.pricing.profiles import Profiles

T = TypeVar("T")


class UnknownPresetError(click.ClickException):
    """No preset has the name that was given."""

    exit_code = 2


def placed_bets() -> list[PlacedBet]:
    """Return the placed bets; none where there is no ledger.

    Raises:
        click.ClickException: the ledger is there and cannot be read.
    """
    return _of_ledger()[1]


def hidden_things(now_ms: int) -> HiddenThings:
    """Return what is hidden among the value bets of the desk; nothing without a ledger."""
    return HiddenThings(_read(Ledger.hidden, []), now_ms)


def keep_closes(closes: Mapping[int, ClosingLine]) -> None:
    """Write closing lines of bets into the ledger, by number; one that is there stays.

    Raises:
        click.ClickException: the ledger refuses.
    """
    _read(lambda ledger: ledger.write_closes(closes), 0)


def preset(name: str) -> ValueFilter:
    """Return what a preset lists, whatever the case of its name.

    Raises:
        UnknownPresetError: there is none of that name.
    """
    known = [*BUILT_IN, *_of_ledger()[0]]
    for each in known:
        if each.name.casefold() == name.casefold():
            return each.filter
    names = ", ".join(repr(each.name) for each in known)
    raise UnknownPresetError(f"no preset {name!r}; there are {names}")


def presets() -> dict[str, ValueFilter]:
    """Return every preset by its folded name."""
    return {each.name.casefold(): each.filter for each in (*BUILT_IN, *_of_ledger()[0])}


def own_profiles() -> Profiles:
    """Return what bookmakers keep of a win, the user's own in place of the shipped ones."""
    profiles, problems = known_bookmakers()
    for problem in problems:
        click.echo(problem, err=True)
    return profiles


def own_setting(setting: Setting[T]) -> T:
    """Return what the desk's settings say; the default where that was never set or makes no sense.

    The desk keeps them through Qt, which a command does without.
    """
    try:
        return _read_setting(_kept_settings(), setting)
    except (NoHomeError, OSError, ValueError, configparser.Error):
        return setting.default


def own_close_by(reference: str | None, method: str | None) -> CloseBy:
    """Return whose closing line is wanted: as options say, else as the desk's settings do."""
    usual = close_by(own_setting)
    named = usual.reference if reference is None else reference.strip()
    is_pooled = named.casefold() == CONSENSUS
    return CloseBy(CONSENSUS_TITLE if is_pooled else named, method or usual.method)


def settings_file() -> Path:
    """Return where the desk keeps its settings; it need not exist.

    Raises:
        NoHomeError: there is no home to keep them in.
    """
    return settings_folder() / "desk.ini"


def settings_problems() -> list[str]:
    """Return what of the desk's settings is not read, a line each: the defaults hold for it."""
    try:
        kept = _kept_settings()
    except UnicodeDecodeError:
        return [f"{settings_file()}: is not text in UTF-8"]
    except OSError as error:
        return [f"{settings_file()}: cannot be read: {error.strerror or error}"]
    except configparser.Error as error:
        return [" ".join(error.message.split())]
    found = []
    for setting in (each for section in SECTIONS for each in section.settings):
        try:
            _read_setting(kept, setting)
        except ValueError as error:
            found.append(f"{settings_file()}: {setting.key}: {error}; the default is used")
    return found


def _kept_settings() -> configparser.ConfigParser:
    kept = configparser.ConfigParser(interpolation=None, strict=False)
    with contextlib.suppress(FileNotFoundError):
        path = settings_file()
        kept.read_string(path.read_text("utf-8"), str(path))
    return kept


def _read_setting(kept: configparser.ConfigParser, setting: Setting[T]) -> T:
    section, name = setting.key.split("/")
    word = kept.get(section, name, fallback=setting.kind.write(setting.default))
    return setting.kind.read(word)


def _of_ledger() -> tuple[list[Preset], list[PlacedBet]]:
    none: tuple[list[Preset], list[PlacedBet]] = ([], [])
    return _read(lambda ledger: (ledger.presets()[0], ledger.bets()), none)


def _read(ask: Callable[[Ledger], T], nothing: T) -> T:
    """Ask the ledger; ``nothing`` where there is none.

    Raises:
        click.ClickException: it is there and refuses.
    """
    try:
        path = default_ledger()
    except NoHomeError:
        return nothing
    if not path.exists():
        return nothing
    try:
        with contextlib.closing(Ledger(path)) as ledger:
            return ask(ledger)
    except LedgerError as error:
        raise click.ClickException(str(error)) from error
