"""The examples of docs/api.md and docs/client.md, run as a stranger would (issue 3, item 7, 8)."""

import ast
import asyncio
import inspect
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack, nullcontext
from typing import Any

import httpx
import pytest

from tests.kit.documented import Example, Section, sections
from tests.kit.served_program import LIMIT_S, ServedProgram

API = [section for section in sections("api.md") if section.examples]
CLIENT = [section for section in sections("client.md") if section.examples]
HERE = "http://127.0.0.1:8765"
VARYING = {
    "rate_limit_remaining", "match_date", "scraped_at", "last_scraped_at", "detected_at",
    "reference_scraped_at", "version", "token", "kick_off", "reported_at",
}  # fmt: skip
needs_shell = pytest.mark.skipif(
    not all(map(shutil.which, ("bash", "curl", "jq"))),
    reason="the examples of the shell need bash, curl and jq",
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedProgram]:
    served = ServedProgram(tmp_path_factory.mktemp("documented") / "odds.db")
    served.fill()
    yield served
    served.stop()


def same(documented: Any, answered: Any, name: str = "") -> bool:
    """Whether an answer has all fields shown, and the values shown where those are fixed."""
    if isinstance(documented, dict):
        return set(documented) == set(answered) and all(
            same(value, answered[key], key) for key, value in documented.items()
        )
    if isinstance(documented, list):
        return len(documented) <= len(answered) and all(
            map(same, documented, answered[: len(documented)])
        )
    return documented == answered or (name in VARYING and type(documented) is type(answered))


def shell(code: str, program: ServedProgram) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["bash", "-euo", "pipefail", "-c", code],
        cwd=program.database.parent,
        env=program.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@needs_shell
@pytest.mark.parametrize("section", API, ids=[section.title for section in API])
def test_shell_examples_answer_what_the_page_shows(
    program: ServedProgram, section: Section
) -> None:
    for example in section.examples:
        if example.language != "sh" or "python -m websockets" in example.code:
            continue
        with shell(example.code, program) as process:
            out, problems = process.communicate(timeout=LIMIT_S)
        assert process.returncode == 0, problems
        assert out.strip()
        assert "null" not in out.split()
        if example.shown is not None:
            documented, answered = json.loads(example.shown), json.loads(out)
            assert same(documented, answered), json.dumps(answered, indent=2)


@needs_shell
def test_the_paging_example_shows_every_row_once(program: ServedProgram) -> None:
    """D14."""
    [paging] = [section for section in API if section.title == "Pages"]
    with shell(paging.examples[0].code, program) as process:
        out, _ = process.communicate(timeout=LIMIT_S)
    rows = [tuple(line.split("\t")) for line in out.splitlines()]
    assert [row[:2] for row in rows] == [
        ("Boston Celtics - Miami Heat", "Harbour Bet"),
        ("Arsenal - Chelsea", "Harbour Bet"),
        ("Arsenal - Chelsea", "Pinnacle"),
        ("Arsenal - Chelsea", "Ponte Lungo"),
    ]


@needs_shell
def test_the_examples_of_tables_read_all_pages(
    program: ServedProgram, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """D113: curl, pandas and DuckDB have the prices that JSON has, also over many pages."""
    pytest.importorskip("pandas")
    duckdb = pytest.importorskip("duckdb")
    [tables] = [section for section in API if section.title == "Tables"]
    code = {each.language: each.code.replace("limit=500", "limit=1") for each in tables.examples}
    rows = httpx.get(f"{program.url}/api/odds", headers={"X-Api-Key": program.key}).json()["data"]
    prices = [
        (row["match_name"], row["bookmaker"], selection, odds)
        for row in rows
        for selection, odds in row["odds"].items()
    ]
    assert len(rows) == 4
    columns = ["match_name", "bookmaker", "selection", "odds"]
    with shell(code["sh"], program) as process:
        out, problems = process.communicate(timeout=LIMIT_S)
    assert out.split() == [str(len(prices) + 1), "odds.csv"], problems
    monkeypatch.setenv("URL", program.url)
    monkeypatch.setenv("KEY", program.key)
    names: dict[str, Any] = {}
    exec(code["python"], names)
    frame = names["frame"][columns]
    assert list(frame.itertuples(index=False, name=None)) == prices
    assert capsys.readouterr().out == f"{len(prices)} prices of 2 games\n"
    with duckdb.connect() as connection:
        monkeypatch.chdir(program.database.parent)
        found = connection.sql(code["sql"])
        assert found.project(", ".join(columns)).fetchall() == prices


@needs_shell
def test_a_table_that_ends_early_leaves_no_file(program: ServedProgram) -> None:
    """D113: half a list looks like a whole one."""
    [tables] = [section for section in API if section.title == "Tables"]
    code = tables.examples[0].code.replace("limit=500", "limit=1")
    with shell(code.replace("&cursor=", "&cursor=bad"), program) as process:
        process.communicate(timeout=LIMIT_S)
    assert process.returncode != 0
    assert not (program.database.parent / "odds.csv").exists()


@needs_shell
def test_the_websockets_command_prints_changes(program: ServedProgram) -> None:
    """service.md, Events."""
    [example] = [
        example
        for section in API
        for example in section.examples
        if "python -m websockets" in example.code
    ]
    with shell(example.code, program) as process, watched(process), program.moving():
        assert process.stdout is not None
        for line in process.stdout:
            if '"odds"' in line:
                break
        change = json.loads(line[line.index("{") : line.rindex("}") + 1])
        out, problems = process.communicate(timeout=LIMIT_S)
    assert (change["bookmaker"], change["selection"]) == ("Ponte Lungo", "Draw")
    assert process.returncode == 0, out + problems


def test_the_stream_script_goes_on_after_a_restart_of_the_service(program: ServedProgram) -> None:
    """service.md, Events."""
    [code] = [
        each.code for section in API for each in section.examples if "from websockets" in each.code
    ]
    command = [sys.executable, "-c", code]
    with (
        subprocess.Popen(
            command, env=program.environment, stdout=subprocess.PIPE, text=True
        ) as process,
        watched(process),
    ):
        assert process.stdout is not None
        heard = iter(process.stdout)
        for _ in range(2):
            assert next(line for line in heard if line.startswith("rows ")) == "rows 3\n"
            with program.moving():
                assert next(heard).startswith("Ponte Lungo Draw 3.")
            program.restart()
        process.terminate()


class watched:  # noqa: N801 - reads as a word of the with statement
    """Kills a process that takes too long, so that reading from it ends."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._watchdog = threading.Timer(LIMIT_S, process.kill)

    def __enter__(self) -> None:
        self._watchdog.start()

    def __exit__(self, *_: object) -> None:
        self._watchdog.cancel()


@pytest.mark.parametrize("section", CLIENT, ids=[section.title for section in CLIENT])
def test_notebook_cells_print_what_the_page_shows(
    program: ServedProgram,
    section: Section,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each section is a notebook of its own, begun as the first one says."""
    monkeypatch.setenv("ODDSDESK_KEY", program.key)
    cells = [CLIENT[0].examples[0], *section.examples]

    async def run() -> None:
        names: dict[str, Any] = {}
        async with asyncio.timeout(LIMIT_S), AsyncExitStack() as stack:
            for cell in cells:
                await run_cell(cell, names, program)
                if cell is cells[0]:
                    await stack.enter_async_context(names["client"])
                printed = capsys.readouterr().out.replace(program.url, HERE)
                assert lines(printed) == lines(cell.shown or "")

    listens = any("stream(" in cell.code for cell in cells)
    with program.moving() if listens else nullcontext():
        asyncio.run(run())


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


async def run_cell(cell: Example, names: dict[str, Any], program: ServedProgram) -> None:
    if "import pandas" in cell.code:
        pytest.importorskip("pandas")
    code = compile(
        cell.code.replace(HERE, program.url),
        "docs/client.md",
        "exec",
        ast.PyCF_ALLOW_TOP_LEVEL_AWAIT,
    )
    done = eval(code, names)
    if inspect.iscoroutine(done):
        await done
