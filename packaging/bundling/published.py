"""Where the sources are public, once they are: `address` in `pyproject.toml` names it.

Without one a release has no address in it: no links from an index, no pictures in a software
centre. With one, all of them lead to the commit that was built.
"""

import re
import tomllib
from pathlib import Path
from typing import Final

_RELATIVE_LINK: Final = re.compile(r"(!?)(\[[^\]]*\])\((?![a-z]+:|#)([^)]+)\)")


def published_at(root: Path) -> str:
    """Return the address of the public repository, without a slash at its end; '' without one."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    return str(project["tool"]["oddsdesk"]["address"]).rstrip("/")


def maintainer(root: Path) -> str:
    """Return the name and mail address of who maintains the Debian packages."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    return str(project["tool"]["oddsdesk"]["maintainer"])


def with_urls(project: str, address: str) -> str:
    """Return the project's file with the links that an index shows."""
    links = {
        "Homepage": address,
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
        "Documentation": f"{address}/blob/main/docs/index.md",
        "Issues": f"{address}/issues",
    }
    told = "".join(f'{name} = "{link}"\n' for name, link in links.items())
    return project.replace("[project.scripts]", f"[project.urls]\n{told}\n[project.scripts]", 1)


def with_absolute_links(page: str, address: str, commit: str) -> str:
    """Return a page that can be read elsewhere: links and pictures lead to a commit's files."""

    def absolute(found: re.Match[str]) -> str:
        kind = "raw" if found[1] else "blob"
        return f"{found[1]}{found[2]}({address}/{kind}/{commit}/{found[3]})"

    return _RELATIVE_LINK.sub(absolute, page)
