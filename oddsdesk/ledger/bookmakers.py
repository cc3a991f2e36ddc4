"""The user's own bookmakers: ``bookmakers.csv`` in the settings folder, over what is shipped."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from oddsdesk.places import NoHomeError, make_folder, settings_folder
from oddsdesk.pricing.profiles import (
    COLUMNS,
    Profile,
    ProfileLine,
    Profiles,
    fold_name,
    profile_lines,
    write_profile,
)
from oddsdesk.private_files import OWNER_ONLY
from oddsdesk.shipped_bookmakers import shipped_profiles
from oddsdesk.whole_files import whole_file

_MOST_BYTES: Final = 4 * 1024 * 1024


class BookmakersFileError(Exception):
    """The user's file cannot be read or written; one line that says why."""


class KnownBookmakers(NamedTuple):
    """What is known of bookmakers, and what of the user's own file makes no sense."""

    profiles: Profiles
    problems: list[str]
    """One line each: file, number of the line, what was expected. The rest of the file holds."""


def bookmakers_file() -> Path:
    """Return where the user's own lines are kept; it need not exist.

    Raises:
        NoHomeError: there is no home to keep them in.
    """
    return settings_folder() / "bookmakers.csv"


def known_bookmakers() -> KnownBookmakers:
    """Return the shipped profiles with the user's own in the place of theirs."""
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
    """Keep what differs from what is shipped, whole or not at all.

    Comments of the file stay, above; what made no sense becomes a comment.

    Raises:
        BookmakersFileError: the file is not one of ours to replace, or cannot be written.
        NoHomeError: there is no home to keep it in.
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
        if profile != (usual := shipped.of(profile.name))
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
            raise BookmakersFileError(f"{path}: is larger than 4 MB: no list of bookmakers")
        return list(profile_lines(data.decode("utf-8-sig"), shipped))
    except FileNotFoundError:
        return []
    except UnicodeDecodeError as error:
        raise BookmakersFileError(f"{path}: is not text in UTF-8; save it as CSV UTF-8") from error
    except OSError as error:
        raise BookmakersFileError(f"{path}: cannot be read: {error.strerror or error}") from error
