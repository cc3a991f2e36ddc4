"""docs/contract-tests.md and docs/promises.md name tests that exist, and leave nothing out."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
TABLE = TESTS.parent / "docs" / "contract-tests.md"
PROMISES = TABLE.with_name("promises.md")
DECISIONS = {f"D{number}" for number in range(1, 45)} | {"D26a"}


def names_in(file: Path) -> set[str]:
    body = ast.parse(file.read_text(encoding="utf-8")).body
    functions = (each for each in body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
    return {each.name for each in functions}


@pytest.mark.parametrize("table", [TABLE, PROMISES], ids=lambda table: table.name)
def test_every_test_that_is_named_exists(table: Path) -> None:
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", table.read_text(encoding="utf-8"))
    assert named
    known = {file: names_in(TESTS / file) for file in {file for file, _ in named}}
    assert not [f"{file}::{name}" for file, name in named if name not in known[file]]


def test_every_row_names_a_test_and_every_decision_has_a_row() -> None:
    rows = re.findall(
        r"^\| (?!what|---)([^|]+) \| (.*) \|$", TABLE.read_text("utf-8"), re.MULTILINE
    )
    assert not [what for what, held_by in rows if "::" not in held_by]
    assert {what for what, _ in rows} >= DECISIONS


def test_every_promise_names_a_test() -> None:
    rows = re.findall(r"^\| (?!promise|---)(.*) \|$", PROMISES.read_text("utf-8"), re.MULTILINE)
    assert len(rows) >= 10
    assert not [row for row in rows if "::" not in row.rpartition(" | ")[2]]
