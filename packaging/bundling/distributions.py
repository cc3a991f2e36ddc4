"""What pip installs: oddsdesk, and the same without Qt as oddsdesk-server."""

import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any, Final

from bundling.published import published_at, with_absolute_links, with_urls
from bundling.versions import build_of

SERVER: Final = "oddsdesk-server"
ONLY_DESK: Final = ("PySide6-Essentials", "numpy", "qasync")
ONLY_WHERE_SOMEBODY_SITS: Final = ("keyring",)
"""Of no use to a service: its keyring is never unlocked."""
_DEPENDENCIES: Final = re.compile(r"^dependencies = \[\n(.*?)^\]\n", re.MULTILINE | re.DOTALL)
_EXTRAS: Final = "[project.optional-dependencies]\n"
_SAYS: Final = {
    'name = "oddsdesk"': f'name = "{SERVER}"',
    'description = "Compare odds with a sharp bookmaker, live: a desktop app and an offline '
    'odds server"': 'description = "An odds service of your own: REST and a stream of prices, over '
    'SQLite or PostgreSQL"',
    'readme = "README.md"': 'readme = "packaging/server/README.md"',
    '"Environment :: X11 Applications :: Qt"': '"Environment :: No Input/Output (Daemon)"',
    '"Intended Audience :: End Users/Desktop"': '"Intended Audience :: System Administrators"',
    '"devig", "desktop"]': '"devig", "server"]',
}


class DistributionError(Exception):
    """The project's file does not say what it is to be told from."""


def build_distributions(root: Path, work: Path, target: Path) -> list[Path]:
    """Build sdist and wheel of both from one tree, in which only the project's file changes."""
    tree = _tree(root, work)
    project, address = tree / "pyproject.toml", published_at(root)
    if address:
        project.write_text(with_urls(project.read_text("utf-8"), address), "utf-8")
        readme, commit = tree / "README.md", build_of(tree).commit
        page = with_absolute_links(readme.read_text("utf-8"), address, commit)
        readme.write_text(page, "utf-8")
    desk = _build(tree, target)
    project.write_text(as_server(project.read_text("utf-8")), "utf-8")
    return [*desk, *_build(tree, target)]


def _tree(root: Path, work: Path) -> Path:
    """Unpack an sdist of the sources: what is built is what others can build from."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    with tarfile.open(_build_one(root, "sdist", work)) as packed:
        safe: Any = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # since 3.11.4
        packed.extractall(work, **safe)
    (tree,) = (each for each in work.iterdir() if each.is_dir())
    (tree / "PKG-INFO").unlink()
    return tree


def as_server(project: str) -> str:
    """Return the project's file as the server's: the desk's own needs are extras.

    Raises:
        DistributionError: something that it replaces is not there, or twice.
    """
    for desk, server in _SAYS.items():
        if project.count(desk) != 1:
            raise DistributionError(f"pyproject.toml: {desk} is not there once")
        project = project.replace(desk, server)
    found = _DEPENDENCIES.search(project)
    if found is None:
        raise DistributionError("pyproject.toml: there are no dependencies")
    lines = found[1].splitlines(keepends=True)
    extras = {
        "desk": [line for line in lines if _names(line, (*ONLY_DESK, *ONLY_WHERE_SOMEBODY_SITS))],
        "keyring": [line for line in lines if _names(line, ONLY_WHERE_SOMEBODY_SITS)],
    }
    kept = "".join(line for line in lines if line not in extras["desk"])
    told = "".join(f"{name} = [\n{''.join(needs)}]\n" for name, needs in extras.items())
    project = project[: found.start(1)] + kept + project[found.end(1) :]
    return project.replace(_EXTRAS, _EXTRAS + told)


def _names(line: str, packages: tuple[str, ...]) -> bool:
    return any(re.match(rf'\s*"{re.escape(name)}\b(?!-)', line) for name in packages)


def _build(tree: Path, target: Path) -> list[Path]:
    """Build a tree's sdist and wheel, in this order, with what is installed here."""
    return [_build_one(tree, kind, target) for kind in ("sdist", "wheel")]


def _build_one(tree: Path, kind: str, target: Path) -> Path:
    with tempfile.TemporaryDirectory(dir=target) as made:
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", made],
            cwd=tree,
            check=True,
            capture_output=True,
        )
        (file,) = Path(made).iterdir()
        return file.rename(target / file.name)


def main(folder: str) -> None:
    """Build all of this checkout into a folder, which is made."""
    here, target = Path(__file__).parents[2], Path(folder).resolve()
    target.mkdir(parents=True, exist_ok=True)
    build_distributions(here, here / "build" / "distributions", target)


if __name__ == "__main__":
    main(sys.argv[1])
