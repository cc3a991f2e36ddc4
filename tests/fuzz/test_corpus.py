"""Each example of the corpus, those that once broke something among them."""

from pathlib import Path

import pytest

from oddsdesk.feeds.importers import IMPORTERS
from tests.fuzz.targets import TARGETS, examples


@pytest.mark.parametrize(
    ("name", "example"),
    [
        pytest.param(name, path, id=f"{name}-{path.name}")
        for name in TARGETS
        for path in examples(name)
    ],
)
def test_what_comes_from_outside_keeps_the_promises(name: str, example: Path) -> None:
    TARGETS[name].function()(example.read_bytes())


def test_every_folder_of_examples_belongs_to_a_target() -> None:
    folders = {path.name for path in Path(__file__).with_name("corpus").iterdir()}
    assert folders == set(TARGETS)


def test_every_format_that_is_imported_has_a_target() -> None:
    assert set(IMPORTERS) - set(TARGETS) == set()
