"""`oddsdesk mcp` answers the official client over real stdio, with the figures of the commands."""

import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from oddsdesk.base.clock import system_clock
from oddsdesk.base.places import default_ledger
from oddsdesk.cli.main import main
from oddsdesk.cli.mcp import KEY_VARIABLE, mcp
from oddsdesk.contract.access import Plan
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import format_ms
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.pricing.selections import Result
from oddsdesk.server.run.runner import serving
from oddsdesk.server.settings import Settings
from oddsdesk.store.store import open_store
from tests.kit.program import STOP_LIMIT_S
from tests.kit.watching import placed_on

pytest.importorskip("mcp")
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

HOUR_MS = 3_600_000
TOOLS = {
    *("games", "matrix", "as_of", "value_bets", "explain_price", "why_not", "history"),
    *("opportunities", "devig", "fair_odds", "scorecard", "backtest", "ledger_report"),
}


def quote(bookmaker: str, odds: dict[str, float], **other: Any) -> Quote:
    now_ms = system_clock()
    fields: dict[str, Any] = {
        "match_name": "A vs B",
        "competition": "ATP",
        "market_type": "moneyline",
        "period": 0,
        "scraped_at": now_ms,
        "match_date": now_ms + HOUR_MS,
    }
    return Quote(bookmaker=bookmaker, odds=odds, **(fields | other))


@pytest.fixture
def database(tmp_path: Path, own_folders: Path) -> Path:
    """Current prices of a game, and one that was played two hours ago with its result."""
    path, now_ms = tmp_path / "odds.db", system_clock()
    began = now_ms - 2 * HOUR_MS
    past = {"match_name": "C vs D", "match_date": began}
    with closing(open_store(path)) as store:
        for minutes, odds in ((60, 2.3), (20, 2.2)):
            at = {**past, "scraped_at": began - minutes * 60_000}
            store.record([quote("Pinnacle", {"C": 1.95, "D": 1.95}, **at)]).result()
            store.record([quote("Soft", {"C": odds, "D": 1.6}, **at)]).result()
        close = {**past, "scraped_at": began - 60_000}
        store.record([quote("Pinnacle", {"C": 1.85, "D": 2.05}, **close)]).result()
        store.record(
            [
                quote("Pinnacle", {"A": 1.95, "B": 1.95}),
                quote("Soft", {"A": 2.09, "B": 1.7}),
                quote("Other", {"A": 1.6, "B": 2.2}),
                quote("Dear", {"A": 1.7, "B": 1.8}),
                quote("Three", {"A": 2.5, "Draw": 30.0, "B": 2.1}),
            ]
        ).result()
    return path


@asynccontextmanager
async def session(
    environment: dict[str, str], *arguments: str, errors: Any = sys.stderr
) -> AsyncIterator[ClientSession]:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "oddsdesk", "mcp", *arguments], env=environment
    )
    async with (
        stdio_client(parameters, errlog=errors) as streams,
        ClientSession(*streams) as client,
    ):
        await client.initialize()
        yield client


async def answer(client: ClientSession, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    found: dict[str, Any] = result.structured_content
    assert json.loads(result.content[0].text) == found
    return found


async def refusal(client: ClientSession, tool: str, arguments: dict[str, Any]) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    text: str = result.content[0].text
    assert "Traceback" not in text
    return text


def command(*arguments: str | Path) -> Any:
    done = CliRunner().invoke(main, [*map(str, arguments), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


SOFT = {"market_type": "moneyline", "selection": "A", "bookmaker": "Soft"}


async def test_every_tool_answers_what_its_command_prints(
    database: Path, environment: dict[str, str], own_folders: Path
) -> None:
    with closing(Ledger(default_ledger())) as held:
        won = replace(
            placed_on(quote("Soft", {"A": 2.2})), result=Result.WON, settled_at=system_clock()
        )
        held.record_bet(won)
    before = database.read_bytes(), default_ledger().read_bytes()
    at = ("--database", str(database))
    async with session(environment, *at) as client:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == TOOLS
        assert all(tool.annotations.read_only_hint and tool.output_schema for tool in tools)

        games = (await answer(client, "games"))["games"]
        (game,) = [each for each in games if each["match_name"] == "A vs B"]
        ident = {"game_id": game["game_id"]}
        assert (game["bookmaker_count"], game["match_date"][-1]) == (5, "Z")

        listed = await answer(client, "value_bets", everything=True)
        printed = command("bets", *at, "--all")
        about = ("sources", "simulated", "shifted", "reference")
        assert listed["bets"] == [
            {name: each[name] for name in each if name not in about} for each in printed
        ]
        assert listed["reference"] == "Pinnacle"
        (soft,) = [each for each in listed["bets"] if each["odds"] == 2.09]

        matrix = await answer(client, "matrix", **ident)
        (line,) = [each for each in matrix["selections"] if each["selection"] == "A"]
        assert (line["reference_odds"], line["fair_odds"]) == (1.95, 2.0)
        assert {each["bookmaker"]: each["odds"] for each in line["prices"]} == {
            "Three": 2.5,
            "Pinnacle": 1.95, "Soft": 2.09, "Other": 1.6, "Dear": 1.7
        }  # fmt: skip

        said = await answer(client, "explain_price", **ident, **SOFT)
        shared = ("odds", "net_odds", "fair_odds", "ev_pct", "service_ev_pct", "per", "cautions")
        assert {name: said[name] for name in shared} == {name: soft[name] for name in shared}
        assert said["is_value"]
        assert "EV +" in said["text"]
        assert said["steps"][-1]["result"] == "+4.50 %"

        (three,) = [each for each in listed["bets"] if each["odds"] == 2.5]
        other = await answer(client, "explain_price", **ident, **SOFT | {"bookmaker": "Three"})
        assert three["cautions"]
        assert {name: other[name] for name in shared} == {name: three[name] for name in shared}

        assert (await answer(client, "why_not", **ident, **SOFT))["reasons"] == []
        dear = await answer(client, "why_not", **ident, **SOFT | {"bookmaker": "Dear"})
        assert not dear["is_value"]
        assert any("EV" in reason for reason in dear["reasons"])
        assert any(change.startswith("Becomes value at 2.0") for change in dear["changes"])

        found = await answer(client, "opportunities")
        printed = command("arbitrage", *at)
        assert found["opportunities"] == [
            {name: each[name] for name in each if name not in about} for each in printed
        ]
        assert found["opportunities"][0]["kind"] == "arbitrage"

        devigged = await answer(client, "devig", odds=["2.05", "1.88"])
        assert {
            each["method"]: {name: each[name] for name in each if name != "method"}
            for each in devigged["methods"]
        } == command("devig", "2.05", "1.88")

        fair = await answer(
            client, "fair_odds", sport="Football", moneyline="2.05 3.5 3.7", totals=["2.5 1.95 1.9"]
        )
        odds = ("--moneyline", "2.05", "3.5", "3.7", "--total", "2.5", "1.95", "1.9")
        printed = command("fair", "Football", *odds)
        for row in fair["prices"]:
            assert (
                printed["markets"][row["market_type"]][row["selection"]]["fair_odds"]
                == (row["fair_odds"])
            )
        assert fair["cut"].startswith("the first 60 of")

        cards = (await answer(client, "scorecard"))["cards"]
        assert cards == command("scorecard", *at)
        tested = await answer(client, "backtest", rows=200)
        printed = command("backtest", *at)
        assert tested["backtests"] == [printed]
        assert printed["bets"] == 1

        report = await answer(client, "ledger_report")
        assert report["rows"] == command("ledger", "report")
    assert (database.read_bytes(), default_ledger().read_bytes()) == before


async def test_the_past_is_told_as_of_then(database: Path, environment: dict[str, str]) -> None:
    began = system_clock() - 2 * HOUR_MS
    async with session(environment, "--database", str(database)) as client:
        then = format_ms(began - 30 * 60_000)
        (game,) = (await answer(client, "games", at=then))["games"]
        assert game["match_name"] == "C vs D"
        moved = await answer(client, "history", game_id=game["game_id"], bookmaker="Soft")
        assert [each["odds"] for each in moved["moves"] if each["selection"] == "C"] == [2.3, 2.2]
        first = await answer(client, "history", game_id=game["game_id"], limit=1)
        assert len(first["moves"]) == 1
        assert "next_cursor" in first["cut"]
        rest = await answer(client, "history", game_id=game["game_id"], cursor=first["next_cursor"])
        whole = await answer(client, "history", game_id=game["game_id"])
        assert first["moves"] + rest["moves"] == whole["moves"]

        past = await answer(client, "as_of", game_id=game["game_id"], at=then)
        (line,) = [each for each in past["selections"] if each["selection"] == "C"]
        assert {each["bookmaker"]: each["odds"] for each in line["prices"]}["Soft"] == 2.3
        assert past["read_at"] == then
        price = {"game_id": game["game_id"], "market_type": "moneyline", "selection": "C"}
        said = await answer(client, "explain_price", **price, bookmaker="Soft", at=then)
        assert (said["odds"], said["fair_odds"], said["ev_pct"]) == (2.3, 2.0, 13.86)


HOSTILE: list[tuple[str, dict[str, Any], str]] = [
    ("nothing", {}, "no tool 'nothing'"),
    ("games", {"limit": 10_000}, "limit"),
    ("games", {"limit": "5; rm -rf /"}, "limit"),
    ("games", {"database": "/etc/passwd"}, "unknown field"),
    ("games", {"at": "yesterday-ish"}, "yesterday-ish"),
    ("games", {"team": "x" * 5_000}, "team"),
    ("matrix", {"game_id": "../../etc"}, "no current prices"),
    ("matrix", {}, "game_id"),
    ("as_of", {"game_id": "x", "at": "2020-01-01"}, "no prices of game"),
    ("explain_price", {"game_id": "x", **SOFT}, "no current prices"),
    ("value_bets", {"bankroll": -5}, "bankroll"),
    ("value_bets", {"reference": "Nobody"}, "no prices of 'Nobody'"),
    ("value_bets", {"preset": "--help"}, "no preset '--help'"),
    ("history", {"game_id": "x", "cursor": "%%%"}, "cursor"),
    ("history", {"game_id": "x"}, "no game 'x'"),
    ("devig", {"odds": ["--help", "2"]}, "--help"),
    ("devig", {"odds": ["2"]}, "odds"),
    ("devig", {"odds": ["nan", "2"]}, "nan"),
    ("fair_odds", {"sport": "--help"}, "no sport"),
    ("fair_odds", {"sport": "Football", "moneyline": "--json 2 3"}, "expected a line"),
    ("fair_odds", {"sport": "Football", "moneyline": "2 3"}, "three odds"),
    ("scorecard", {"method": "magic"}, "method"),
    ("scorecard", {"since": "2026-02-01", "until": "2026-01-01"}, "since must be earlier"),
    ("backtest", {"grid": "method=magic"}, "magic"),
    ("backtest", {"series": "--results=/etc/passwd"}, ""),
    ("backtest", {"share_pct": 3}, "share_pct needs staking"),
    ("ledger_report", {"by": "drop table"}, "by is one of"),
]


async def test_hostile_arguments_are_refused_in_plain_words(
    database: Path, environment: dict[str, str]
) -> None:
    async with session(environment, "--database", str(database)) as client:
        for tool, arguments, part in HOSTILE:
            assert part in await refusal(client, tool, arguments), (tool, arguments)
        assert (await answer(client, "games"))["games"]  # it still answers


OPENING: list[dict[str, Any]] = [
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
]


def messages(each: list[dict[str, Any]]) -> str:
    return "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in each)


def test_only_the_protocol_is_on_standard_output_and_it_ends_with_the_client(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    database = tmp_path / "made-up.db"
    with closing(open_store(database)) as store:
        hostile = quote("Soft", {"E": 2.0, "F": 1.8}, match_name="E vs F")
        store.record([hostile], simulated=True).result()
    calls = [
        {"id": 2, "method": "tools/call", "params": {"name": "devig", "arguments": {"odds": []}}},
        {"id": 3, "method": "tools/call", "params": {"name": "games", "arguments": {}}},
    ]
    text = messages([*OPENING, *calls])
    done = subprocess.run(
        [sys.executable, "-m", "oddsdesk", "mcp", "--database", str(database)],
        env=environment, input=f"nonsense\n{text}", capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert {each.get("jsonrpc") for each in said} == {"2.0"}
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_a_client_that_goes_away_in_the_middle_leaves_no_trace(
    database: Path, environment: dict[str, str]
) -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "oddsdesk", "mcp", "--database", str(database)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert program.stdin is not None
    assert program.stdout is not None
    assert program.stderr is not None
    with program:
        program.stdin.write(messages(OPENING))
        program.stdin.flush()
        assert json.loads(program.stdout.readline())["id"] == 1
        program.stdout.close()  # its answers reach nobody
        calls = [
            {"id": number, "method": "tools/call", "params": {"name": name, "arguments": {}}}
            for number, name in enumerate(("backtest", "scorecard", "games", "matrix"), 2)
        ]
        program.stdin.write(messages(calls))
        program.stdin.close()
        said = program.stderr.read()
        assert program.wait(STOP_LIMIT_S) == 0
    assert said == ""


async def test_a_service_is_read_with_the_key_of_the_environment(
    database: Path, environment: dict[str, str]
) -> None:
    async with serving(Settings(database, port=0)) as server:
        made = server.access.keys.create("anna", Plan.PRO_LIVE, None, system_clock())
        known = {**environment, KEY_VARIABLE: made.secret}
        async with session(known, "--url", server.url) as client:
            found = (await answer(client, "games"))["games"]
            (game,) = [each for each in found if each["match_name"] == "A vs B"]
            bets = await answer(client, "value_bets")
            assert {each["bookmaker"] for each in bets["bets"]} == {"Soft"}
            moved = await answer(client, "history", game_id=game["game_id"], bookmaker="Soft")
            assert {each["odds"] for each in moved["moves"]} == {2.09, 1.7}
            assert "--database" in await refusal(client, "backtest", {})


PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text("utf-8")
ROWS = re.findall(r"^\| `(\w+)` \| .* \| `(\{.*\})` \|$", PAGE, re.MULTILINE)


async def test_each_example_of_the_page_is_answered(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    examples = {tool: json.loads(arguments) for tool, arguments in ROWS}
    assert set(examples) == TOOLS
    database = tmp_path / "odds.db"
    game = {"match_name": "Arsenal vs Chelsea", "competition": "EPL"}
    with closing(open_store(database)) as store:
        sharp = {"Arsenal": 2.05, "Draw": 3.5, "Chelsea": 3.7}
        soft = {"Arsenal": 2.2, "Draw": 3.3, "Chelsea": 3.8}
        store.record([quote("Pinnacle", sharp, **game), quote("Unibet", soft, **game)]).result()
    examples["as_of"]["at"] = format_ms(system_clock())
    async with session(environment, "--database", str(database)) as client:
        said = {tool: await answer(client, tool, **examples[tool]) for tool in examples}
    (listed,) = said["games"]["games"]
    assert listed["game_id"] == said["matrix"]["game_id"] == said["as_of"]["game_id"]
    assert len(said["history"]["moves"]) == 3
    assert said["explain_price"]["is_value"]
    why = said["why_not"]
    example = ". ".join([*why["reasons"], *why["changes"]])
    assert f"> {example}." in PAGE, example


def test_the_page_registers_the_command_as_it_is() -> None:
    blocks = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
    servers = [next(iter(block.values()))["oddsdesk"] for block in blocks]
    assert len(servers) == 2
    for each in servers:
        name, *arguments = each["args"]
        assert each["command"].endswith("/oddsdesk")
        assert mcp.make_context(name, [*arguments, "--ledger", str(Path(__file__))]).params
