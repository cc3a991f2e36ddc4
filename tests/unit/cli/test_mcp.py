"""`oddsdesk mcp` without a client: what it needs, how a tool is stopped, and what schemas say."""

import asyncio
import io
import threading
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from oddsdesk.base.places import settings_folder
from oddsdesk.cli import mcp as module
from oddsdesk.cli import mcp_arguments as arguments
from oddsdesk.cli.mcp import KEY_VARIABLE, TOOLS, mcp, schema
from oddsdesk.cli.mcp_tools import Source, ToolError, Tools
from oddsdesk.desk.connections.profiles import KeyPlace, Profiles, RemoteProfile, Secrets


def refused(*arguments: str) -> str:
    result = CliRunner().invoke(mcp, arguments)
    assert result.exit_code
    assert not result.stdout
    return result.stderr


def test_without_the_sdk_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    said = refused("--database", "x.db")
    assert "needs the MCP SDK" in said
    assert "[mcp]" in said


class TestWithTheSdk:
    @pytest.fixture(autouse=True)
    def _pretend(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "find_spec", lambda _: object())
        monkeypatch.delenv(KEY_VARIABLE, raising=False)

    def test_a_missing_database_is_named_at_the_start(self, tmp_path: Path) -> None:
        assert "missing.db" in refused("--database", str(tmp_path / "missing.db"))
        assert not (tmp_path / "missing.db").exists()

    def test_a_database_and_a_service_are_one_too_many(self) -> None:
        said = refused("--database", "x.db", "--url", "http://127.0.0.1:9")
        assert "give --database or --url, not both" in said

    def test_a_service_needs_a_key_that_is_no_argument(self) -> None:
        assert KEY_VARIABLE in refused("--url", "http://127.0.0.1:9")
        assert "no such option" in refused("--url", "http://x", "--key", "secret").lower()

    def test_the_key_of_the_desk_is_used(self, monkeypatch: pytest.MonkeyPatch) -> None:
        folder = settings_folder()
        profiles = Profiles(folder)
        profiles.save_profile(
            RemoteProfile("mine", "http://127.0.0.1:9/", key_place=KeyPlace.FILE, ident="one")
        )
        Secrets(folder).keep_key("one", KeyPlace.FILE, "a-key-of-the-desk")
        assert module._key_of("http://127.0.0.1:9") == "a-key-of-the-desk"
        monkeypatch.setenv(KEY_VARIABLE, "a-key-of-now")
        assert module._key_of("http://127.0.0.1:9") == "a-key-of-now"


class _Slow(Tools):
    """Its scorecard ends only when it is stopped."""

    def __init__(self) -> None:
        super().__init__(Source(Path("x.db"), None, "", Path("ledger.db")))
        self.started, self.stopped = threading.Event(), threading.Event()

    def scorecard(self, asked: Any, report: Any) -> Any:
        try:
            while True:
                report(1)
                self.started.set()
        finally:
            self.stopped.set()

    def devig(self, asked: Any, report: Any) -> Any:
        raise ZeroDivisionError("a secret detail")


class _Session:
    def __init__(self) -> None:
        self.told: list[float] = []

    async def report_progress(self, progress: float, total: float | None, text: str) -> None:
        self.told.append(progress)
        assert text.endswith(" rows read")


class _Context:
    def __init__(self) -> None:
        self.session = _Session()


def calls_of(tools: Tools) -> module._Calls:
    return module._Calls(tools, module._Printed(io.StringIO()))


async def test_a_tool_that_is_cancelled_stops() -> None:
    tools, ctx = _Slow(), _Context()
    calls = calls_of(tools)
    work = asyncio.get_running_loop().create_task(calls.answer(ctx, "scorecard", {}))
    assert await asyncio.to_thread(tools.started.wait, 30)
    while not ctx.session.told:
        await asyncio.sleep(0.01)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert await asyncio.to_thread(tools.stopped.wait, 30)


def test_what_a_tool_prints_is_kept_of_its_own_thread() -> None:
    stream = io.StringIO()
    printed = module._Printed(stream)
    with printed.collecting() as lines:
        click.echo("one\n\ntwo", file=printed)
        other = threading.Thread(target=lambda: printed.write("a log line"))
        other.start()
        other.join()
    printed.write(" and more")
    assert lines == ["one", "two"]
    assert stream.getvalue() == "a log line and more"


async def test_a_mistake_of_ours_is_no_traceback_for_the_client(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(ValueError, match="a mistake of oddsdesk") as caught:
        await calls_of(_Slow()).answer(_Context(), "devig", {"odds": ["2", "3"]})
    assert "secret" not in str(caught.value)
    assert "the tool devig failed" in caplog.text
    caplog.clear()


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: str(tool.name))
def test_each_tool_has_a_schema_with_its_limits(tool: module.Tool) -> None:
    takes, gives = schema(tool.takes), schema(tool.answers)
    assert (takes["type"], gives["type"]) == ("object", "object")
    assert takes["additionalProperties"] is False
    assert hasattr(Tools, tool.name)
    for name, field in takes["properties"].items():
        kinds = field.get("anyOf", [field])
        for kind in kinds:
            if kind.get("type") == "string" and "enum" not in kind and "pattern" not in kind:
                assert kind.get("maxLength"), (tool.name, name)
            if kind.get("type") == "array":
                assert kind["maxItems"], (tool.name, name)


def test_no_tool_takes_a_moment_that_is_to_come(tmp_path: Path) -> None:
    """Prices of now would be taken for those of then, as over REST."""
    tools = Tools(Source(tmp_path / "x.db", None, "", tmp_path / "ledger.db"))
    at, game = "9999-01-01T00:00:00Z", "0" * 32
    price = arguments.PriceArguments(game, "moneyline", "A", "B", at=at)
    calls = [
        lambda: tools.games(arguments.GamesArguments(at=at), lambda _: None),
        lambda: tools.as_of(arguments.AsOfArguments(game, at=at), lambda _: None),
        lambda: tools.explain_price(price, lambda _: None),
    ]
    for call in calls:
        with pytest.raises(ToolError, match="at: expected a moment that is not to come, got 9999"):
            call()
