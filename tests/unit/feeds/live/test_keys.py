"""Where the key of a source comes from (D65)."""

from pathlib import Path

import pytest

from oddsdesk.base.keyring import Keyring
from oddsdesk.feeds.live.errors import KeyRefusedError
from oddsdesk.feeds.live.keys import KeySource
from oddsdesk.network.secrets import without_keys

VARIABLE = "ODDSDESK_THE_ODDS_API_KEY"


class Ring:
    """A keyring with one entry."""

    priority = 1

    def __init__(self, **kept: str) -> None:
        self.kept = kept

    def get_password(self, service: str, name: str) -> str | None:
        return self.kept.get(name.replace(" ", "_").replace("-", "_"))


class NoRing:
    priority = 0


def keys(file: Path | None = None, ring: type | Ring = NoRing, **environment: str) -> KeySource:
    backend = ring if isinstance(ring, Ring) else ring()
    return KeySource(
        "the-odds-api", file, environment=environment, keyring=Keyring(lambda: backend)
    )


async def test_the_variable_comes_first_then_the_file_then_the_keyring(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("of-the-file\n")
    ring = Ring(feed_the_odds_api="of-the-keyring")
    assert await keys(file, ring, **{VARIABLE: "of-the-variable"}).find() == "of-the-variable"
    assert await keys(file, ring).find() == "of-the-file"
    assert await keys(None, ring).find() == "of-the-keyring"
    assert await keys().find() is None


async def test_a_key_that_was_found_stands_in_no_text() -> None:
    await keys(**{VARIABLE: "canary-4711"}).find()
    assert "canary-4711" not in without_keys("GET /?apiKey=canary-4711")


async def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "key"
    found = keys(file)
    for key in ("first-key", "second-key"):
        file.write_text(key)
        assert await found.find() == key


@pytest.mark.parametrize("content", [None, "", "two words", "a\x00b"])
async def test_a_file_without_a_key_is_told(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "key"
    if content is not None:
        file.write_text(content)
    with pytest.raises(KeyRefusedError, match="the key file"):
        await keys(file).find()
