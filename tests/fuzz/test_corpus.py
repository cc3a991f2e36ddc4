"""Each example of the corpus, those that once broke something among them."""

from pathlib import Path

import pytest

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


def test_each_target_has_examples() -> None:
    folders = {path.name for path in Path(__file__).with_name("corpus").iterdir()}
    assert folders == set(TARGETS)
