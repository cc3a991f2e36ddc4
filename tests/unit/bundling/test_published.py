"""Where the sources are public, what is released leads there; elsewhere it says nothing (D87)."""

import re
import tomllib
from pathlib import Path

from bundling.published import published_at, with_absolute_links, with_urls

ROOT = Path(__file__).parents[3]
ADDRESS = "https://example.org/odds/desk"


def test_without_an_address_there_are_no_links():
    assert published_at(ROOT) == ""
    assert "urls" not in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_with_one_the_index_shows_them():
    project = tomllib.loads(with_urls((ROOT / "pyproject.toml").read_text("utf-8"), ADDRESS))
    assert project["project"]["urls"]["Homepage"] == ADDRESS
    assert all(link.startswith(ADDRESS) for link in project["project"]["urls"].values())
    assert project["project"]["scripts"]


def test_the_readme_can_be_read_on_an_index():
    page = with_absolute_links((ROOT / "README.md").read_text("utf-8"), ADDRESS, "c0ffee")
    links = re.findall(r"\]\(([^)]+)\)", page)
    assert links
    assert all(link.startswith("https://") for link in links)
    assert f"]({ADDRESS}/raw/c0ffee/docs/pictures/matrix-dark.png)" in page
    assert f"]({ADDRESS}/blob/c0ffee/docs/guide.md)" in page


def test_links_to_elsewhere_and_within_the_page_stay():
    page = "[a](https://a.example/b) [b](#start) [c](mailto:me@a.example)"
    assert with_absolute_links(page, ADDRESS, "c0ffee") == page
