"""The user's own bookmaker profiles: ``bookmakers.csv`` in the settings folder."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from oddsdesk.base.files import OWNER_ONLY, whole_file
from oddsdesk.base.places import NoHomeError, make_folder, settings_folder
from oddsdesk.pricing.profiles import (
    COLUMNS,
    Profile,
    ProfileLine,
    Profiles,
    fold_name,
    profile_lines,
    shipped_profiles,
    write_profile,
)

_MOST_BYTES: Final = 4 * 1024 * 1024


class BookmakersFileError(Exception):
    """The user's file cannot be read or written; one line with the reason."""


class KnownBookmakers(NamedTuple):
    """All bookmaker profiles, and the errors in the user's file."""

    profiles: Profiles
    problems: list[str]
    """One line each: file, line number, what was expected. Other lines apply."""


def bookmakers_file() -> Path:
    """Return where the user's profiles are stored; the file may not exist.

    Raises:
        NoHomeError: there is no home folder.
    """
    return settings_folder() / "bookmakers.csv"


def known_bookmakers() -> KnownBookmakers:
    """Return the shipped profiles; the user's own replace them."""
    shipped = shipped_profiles()
    try:
        path = bookmakers_file()
        lines = _lines(path, shipped)
    except NoHomeError:
        return KnownBookmakers(shipped, [])
    except BookmakersFileError as error:
        return KnownBookmakers(shipped, [str(error)])
    own = [line.profile for line in lines if line.profile is not None]
    problems = [f"{path}: {line.problem}" for line in lines if line.problem]
    return KnownBookmakers(shipped.with_changes(own), problems)


def save_bookmakers(profiles: Iterable[Profile]) -> None:
    """Store the profiles that differ from the shipped ones, all or none.

    Comments stay, at the top; unreadable lines become comments.

    Raises:
        BookmakersFileError: the file is not ours to replace, or cannot be written.
        NoHomeError: there is no home folder.
    """
    path, shipped = bookmakers_file(), shipped_profiles()
    before = _lines(path, shipped)
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
    text = "\n".join([*kept, ",".join(COLUMNS), *written, ""])
    try:
        make_folder(path.parent)
        with whole_file(path, OWNER_ONLY) as file:
            file.write(text.encode())
    except OSError as error:
        raise BookmakersFileError(
            f"{path}: cannot be written: {error.strerror or error}"
        ) from error


def _lines(path: Path, shipped: Profiles) -> list[ProfileLine]:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise BookmakersFileError(f"{path}: larger than 4 MB, so not a list of bookmakers")
        return list(profile_lines(data.decode("utf-8-sig"), shipped))
    except FileNotFoundError:
        return []
    except UnicodeDecodeError as error:
        raise BookmakersFileError(f"{path}: not UTF-8 text; save it as CSV UTF-8") from error
    except OSError as error:
        raise BookmakersFileError(f"{path}: cannot be read: {error.strerror or error}") from error
