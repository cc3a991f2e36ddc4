"""The user's own tables in the settings folder: profiles of bookmakers in ``bookmakers.csv``, rules
of settlement in ``settlement_rules.csv``, error bands of modelled prices in ``derived_bands.csv``,
learned weights of votes in ``consensus_weights.json``.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.files import OWNER_ONLY, whole_file
from oddsdesk.base.places import NoHomeError, make_folder, settings_folder
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.texts import N_
from oddsdesk.pricing.consensus import LearnedWeights, MarketWeights
from oddsdesk.pricing.derived import Bands
from oddsdesk.pricing.error_bands import (
    BandRow,
    bands_of,
    read_rows,
    shipped_bands,
    with_own,
    write_rows,
)
from oddsdesk.pricing.profiles import (
    COLUMNS,
    Profile,
    Profiles,
    fold_name,
    profile_lines,
    shipped_profiles,
    write_profile,
)
from oddsdesk.pricing.settlement_rules import SettlementRules, read_rules, shipped_rules

_MOST_BYTES: Final = 4 * 1024 * 1024


class OwnTableError(Exception):
    """A file of the user's cannot be read or written; one line with the reason."""


class KnownBookmakers(NamedTuple):
    """All bookmaker profiles, and the errors in the user's file."""

    profiles: Profiles
    problems: list[str]
    """One line each: file, line number, what was expected. Other lines apply."""


class KnownRules(NamedTuple):
    """All rules of settlement, and the errors in the user's file."""

    rules: SettlementRules
    problems: list[str]
    """One line each: file, line number, what was expected. The rest applies."""


class KnownBands(NamedTuple):
    """All error bands, and the errors in the user's file."""

    bands: Bands
    problems: list[str]
    """One line each: file, line number, what was expected. Other lines apply."""


class KnownWeights(NamedTuple):
    """The learned weights of votes, and the errors in their file."""

    weights: LearnedWeights
    problems: list[str]
    """One line each. The consensus then has equal weights."""


def bands_file() -> Path:
    """Return where the user's error bands are stored; the file may not exist.

    Raises:
        NoHomeError: there is no home folder.
    """
    return settings_folder() / "derived_bands.csv"


def known_bands(method: str) -> KnownBands:
    """Return the shipped error bands by a devig method; the user's own with enough lines replace
    them.
    """
    path, text, problems = _read(bands_file)
    own = read_rows(text)
    problems += [f"{path}: {problem}" for problem in own.problems]
    return KnownBands(with_own(shipped_bands(method), bands_of(own.rows, method)), problems)


def save_bands(rows: Sequence[BandRow]) -> Path:
    """Store measured rows; they replace those of the same sport and method. Return the file.

    Raises:
        OwnTableError: the file has lines that cannot be read, or cannot be written.
        NoHomeError: there is no home folder.
    """
    path = bands_file()
    own = read_rows(table_text(path))
    if own.problems:
        raise OwnTableError(
            N_("{path}: {problem}; correct it, or move the file away").format(
                path=path, problem=own.problems[0]
            )
        )
    measured = {(row.key.sport, row.method) for row in rows}
    others = [row for row in own.rows if (row.key.sport, row.method) not in measured]
    write_table(path, write_rows([*others, *rows]))
    return path


def weights_file() -> Path:
    """Return where learned weights are stored; the file may not exist.

    Raises:
        NoHomeError: there is no home folder.
    """
    return settings_folder() / "consensus_weights.json"


def known_weights() -> KnownWeights:
    """Return the weights that `scorecard --weights --save` stored; none without a file."""
    try:
        return KnownWeights(LearnedWeights(_saved_weights()), [])
    except NoHomeError:
        return KnownWeights(LearnedWeights(), [])
    except OwnTableError as error:
        return KnownWeights(LearnedWeights(), [str(error)])


def save_weights(markets: Iterable[MarketWeights]) -> Path:
    """Store weights of kinds of markets, in place of earlier ones of the same kind.

    Returns the file.

    Raises:
        OwnTableError: the file is not ours to replace, or cannot be written.
        NoHomeError: there is no home folder.
    """
    path = weights_file()
    by_kind = {each.kind: each for each in (*_saved_weights(), *markets)}
    write_json_table(path, [by_kind[kind] for kind in sorted(by_kind)])
    return path


def _saved_weights() -> list[MarketWeights]:
    path = weights_file()
    text = table_text(path)
    if not text.strip():
        return []
    try:
        return msgspec.json.decode(text, type=list[MarketWeights])
    except msgspec.DecodeError as error:
        raise OwnTableError(
            N_(
                "{path}: not learned weights: {error}; remove it and run `oddsdesk "
                "scorecard --weights --save` again"
            ).format(path=path, error=error)
        ) from error


def settlement_rules_file() -> Path:
    """Return where the user's rules of settlement are stored; the file may not exist.

    Raises:
        NoHomeError: there is no home folder.
    """
    return settings_folder() / "settlement_rules.csv"


def known_rules(profiles: Profiles) -> KnownRules:
    """Return the shipped rules of settlement; cells of the user's own file replace them."""
    path, text, problems = _read(settlement_rules_file)
    own = read_rules(text)
    problems += [f"{path}: {problem}" for problem in own.problems]
    return KnownRules(SettlementRules([*shipped_rules(), *own.rules], profiles), problems)


def bookmakers_file() -> Path:
    """Return where the user's profiles are stored; the file may not exist.

    Raises:
        NoHomeError: there is no home folder.
    """
    return settings_folder() / "bookmakers.csv"


def known_bookmakers() -> KnownBookmakers:
    """Return the shipped profiles; the user's own replace them."""
    shipped = shipped_profiles()
    path, text, problems = _read(bookmakers_file)
    lines = list(profile_lines(text, shipped))
    own = [line.profile for line in lines if line.profile is not None]
    problems += [f"{path}: {line.problem}" for line in lines if line.problem]
    return KnownBookmakers(shipped.with_changes(own), problems)


def save_bookmakers(profiles: Iterable[Profile]) -> None:
    """Store the profiles that differ from the shipped ones, all or none.

    Comments stay, at the top; unreadable lines become comments.

    Raises:
        OwnTableError: the file is not ours to replace, or cannot be written.
        NoHomeError: there is no home folder.
    """
    path, shipped = bookmakers_file(), shipped_profiles()
    before = list(profile_lines(table_text(path), shipped))
    is_partly_read = any(line.is_header for line in before)
    kept = [
        line.text if line.text.startswith("#") else f"# {line.text}"
        for line in before
        if line.profile is None or is_partly_read
    ]
    written = [
        write_profile(profile, usual)
        for profile in sorted(profiles, key=lambda each: fold_name(each.name))
        if profile != (usual := shipped.profile_of(profile.name))
    ]
    write_table(path, "\n".join([*kept, ",".join(COLUMNS), *written, ""]))


def write_table(path: Path, text: str) -> None:
    """Write a file, whole or not at all.

    Raises:
        OwnTableError: it cannot be written.
    """
    try:
        make_folder(path.parent)
        with whole_file(path, OWNER_ONLY) as file:
            file.write(text.encode())
    except OSError as error:
        raise OwnTableError(
            N_("{path}: cannot be written: {reason}").format(path=path, reason=error_text(error))
        ) from error


def write_json_table(path: Path, entries: Sequence[msgspec.Struct]) -> None:
    """Write entries as a JSON list that people can read; errors as for ``write_table``."""
    write_table(path, f"{msgspec.json.format(msgspec.json.encode(entries)).decode()}\n")


class _Read(NamedTuple):
    """A file of the user's as text, empty if it cannot be read, and why it cannot."""

    path: Path | None
    text: str
    problems: list[str]


def _read(file: Callable[[], Path]) -> _Read:
    """Read a file; without a home folder there is none."""
    try:
        path = file()
        return _Read(path, table_text(path), [])
    except NoHomeError:
        return _Read(None, "", [])
    except OwnTableError as error:
        return _Read(None, "", [str(error)])


def table_text(path: Path) -> str:
    """Return the text of a file; empty if there is none.

    Raises:
        OwnTableError: it cannot be read, is too large, or is not text.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise OwnTableError(
                N_("{path}: larger than 4 MB, so not a table of this program").format(path=path)
            )
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise OwnTableError(
            N_("{path}: not UTF-8 text; save it as CSV UTF-8").format(path=path)
        ) from error
    except OSError as error:
        raise OwnTableError(
            N_("{path}: cannot be read: {reason}").format(path=path, reason=error_text(error))
        ) from error
