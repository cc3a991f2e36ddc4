"""What a software centre shows of the desk (AppStream): its releases, and pictures by address."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from bundling.published import published_at
from bundling.versions import Build

ENTRY: Final = "org.oddsdesk.oddsdesk.desktop"
METAINFO: Final = "org.oddsdesk.oddsdesk.metainfo.xml"
SCREENSHOTS: Final = {
    "matrix-dark.png": "A game as a matrix, its value bets below",
    "values-light.png": "Value bets with stakes, and why others are none",
    "grid-dark.png": "The odds grid",
}
"""In docs/pictures; the first is the one that is shown alone."""
_RELEASED: Final = re.compile(r"^## \[(\d[^\]]*)\] - (\d{4}-\d\d-\d\d)$", re.MULTILINE)

_BULLET: Final = re.compile(r"^- \*\*(.+?)\*\*", re.MULTILINE | re.DOTALL)


def metainfo(root: Path, build: Build) -> str:
    """Return the file of the sources with the releases, and pictures where there is an address."""
    source = (root / "resources" / "desktop" / METAINFO).read_text("utf-8")
    address = published_at(root)
    told = _releases(root, build)
    if address:
        told = _screenshots(address, build) + told
    return source.replace("</component>", f"{told}</component>")


def _releases(root: Path, build: Build) -> str:
    """This build, and what the changelog has as released before it."""
    when = datetime.fromtimestamp(build.committed_s, UTC).date().isoformat()
    public = build.version.partition("+")[0]
    kind = "development" if re.search(r"dev|a\d|b\d|rc", public) else "stable"
    known = dict(_RELEASED.findall((root / "CHANGELOG.md").read_text("utf-8")))
    known.pop(public, None)
    notes = "".join(f"          <li>{escape(each)}</li>\n" for each in _notes(root))
    lines = [
        f'    <release version="{public}" date="{when}" type="{kind}">',
        f"      <description>\n        <ul>\n{notes}        </ul>\n      </description>",
        "    </release>",
    ]
    lines += [f'    <release version="{each}" date="{day}"/>' for each, day in known.items()]
    return "  <releases>\n" + "\n".join(lines) + "\n  </releases>\n"


def _notes(root: Path) -> list[str]:
    """What the newest section of the changelog names in bold, without what an upgrade needs."""
    newest = re.split("^## ", (root / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE)[1]
    news = newest.partition("\n### If you ")[0]
    return [" ".join(each.split()) for each in _BULLET.findall(news)]


def _screenshots(address: str, build: Build) -> str:
    lines = [f'  <url type="homepage">{escape(address)}</url>', "  <screenshots>"]
    for number, (file, caption) in enumerate(SCREENSHOTS.items()):
        image = f"{address}/raw/{build.commit}/docs/pictures/{file}"
        lines += [
            "    <screenshot>" if number else '    <screenshot type="default">',
            f"      <caption>{escape(caption)}</caption>",
            f"      <image>{escape(image)}</image>",
            "    </screenshot>",
        ]
    return "\n".join([*lines, "  </screenshots>\n"])
