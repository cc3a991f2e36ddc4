"""Version, commit and time of a build: from git, or as an sdist froze them; never at run time."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

FROZEN: Final = Path("oddsdesk", "version.py")
_ASSIGNED: Final = re.compile(r'^(\w+): Final = "?([^"\n]*)"?$', re.MULTILINE)
_TAG: Final = re.compile(r"v(\d+\.\d+\.)(\d+)((?:a|b|rc)\d+)?")
_DIGITS_OF_COMMIT: Final = 12


class VersionError(Exception):
    """A tag that is no version."""


class Build(NamedTuple):
    """What is built: a version by PEP 440, the whole commit and its time; none without git."""

    version: str
    commit: str = ""
    committed_s: int = 0


def build_of(root: Path) -> Build:
    """Return what a source tree holds: a checkout asks git, an sdist knows, any other is ``.dev0``.

    Raises:
        VersionError: the last tag is not like ``v1.2.3`` or ``v1.2.3rc1``.
    """
    frozen = dict(_ASSIGNED.findall((root / FROZEN).read_text("utf-8")))
    known = Build(frozen["VERSION"], frozen["COMMIT"], int(frozen["COMMITTED_S"]))
    if known.commit or not _is_checkout(root):
        return known
    commit = _git(root, "rev-parse", "HEAD")
    changed = bool(_git(root, "status", "--porcelain", "--untracked-files=no"))
    version = _version(root, known.version, f"g{commit[:_DIGITS_OF_COMMIT]}", changed=changed)
    return Build(version, commit, int(_git(root, "show", "--no-patch", "--format=%ct", "HEAD")))


def frozen_source(root: Path, build: Build) -> str:
    """Return ``oddsdesk/version.py`` as a build has it."""
    values = {"VERSION": build.version, "COMMIT": build.commit, "COMMITTED_S": build.committed_s}

    def with_value(found: re.Match[str]) -> str:
        value = values[found[1]]
        return f"{found[1]}: Final = " + (f'"{value}"' if isinstance(value, str) else str(value))

    return _ASSIGNED.sub(with_value, (root / FROZEN).read_text("utf-8"))


def debian_version(version: str) -> str:
    """Return a version as Debian compares it: what comes before a release sorts before it."""
    return re.sub(r"\.?(dev|a|b|rc)(?=\d)", r"~\1", version, count=1)


def _version(root: Path, first: str, commit: str, *, changed: bool) -> str:
    told = _git(root, "describe", "--tags", "--long", "--match", "v[0-9]*", allowed=(0, 128))
    local = f"+{commit}{'.changed' if changed else ''}"
    if not told:
        return f"{first.partition('.dev')[0]}.dev{_git(root, 'rev-list', '--count', 'HEAD')}{local}"
    tag, since, _ = told.rsplit("-", 2)
    parts = _TAG.fullmatch(tag)
    if parts is None:
        raise VersionError(f"the tag {tag} is no version such as v1.2.3 or v1.2.3rc1")
    release, last, before = parts[1], parts[2], parts[3] or ""
    if since == "0" and not changed:
        return f"{release}{last}{before}"
    return f"{release}{last if before else int(last) + 1}.dev{since}{local}"


def _is_checkout(root: Path) -> bool:
    """Whether git's files are this tree's, and not those of a repository that it lies in."""
    try:
        top = _git(root, "rev-parse", "--show-toplevel", allowed=(0, 128))
    except FileNotFoundError:
        return False
    return bool(top) and Path(top).samefile(root)


def _git(root: Path, *arguments: str, allowed: tuple[int, ...] = (0,)) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    if done.returncode not in allowed:
        raise VersionError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def of_checkout() -> str:
    """Return the version of the tree that this file lies in, as hatchling asks for it."""
    return build_of(Path(__file__).parents[2]).version


if __name__ == "__main__":
    for line in build_of(Path(__file__).parents[2]):
        sys.stdout.write(f"{line}\n")
