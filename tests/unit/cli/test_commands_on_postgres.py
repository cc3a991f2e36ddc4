"""Each command that takes `--database`, with the URL of a database: it works, or says why not."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oddsdesk.base.clock import system_clock
from oddsdesk.cli.main import main
from oddsdesk.cluster.postgres.connections import ServerAddress
from oddsdesk.contract.quotes import Quote, quote_line
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.store import open_store
from tests.kit.ndjson import line
from tests.kit.postgres import Postgres

SECRET = "hunter2"
AWAY = f"postgresql://ann:{SECRET}@127.0.0.1:1/odds"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


def done(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.url()


def quotes() -> list[Quote]:
    now = system_clock()
    start = now + 60 * MINUTE_MS
    games = (("PSG - Lyon", 2.4), ("PSG Stars v Lyon Lions", 1.9))
    return [
        Quote(
            bookmaker,
            name,
            "LIG1",
            "total",
            0,
            {"Over 2.5": price, "Under 2.5": price},
            now,
            match_date=start,
        )
        for bookmaker in ("Pinnacle", "Bet365")
        for name, price in games
    ]


def test_quotes_are_ingested_and_told_by_the_doctor(url: str, tmp_path: Path) -> None:
    file = tmp_path / "quotes.ndjson"
    file.write_bytes(b"".join(quote_line(quote) + b"\n" for quote in quotes()))
    assert done("ingest", file, "--database", url) == "quotes 4, changes 8, skipped 0, bad 0\n"
    done("keys", "create", "--database", url)
    told = done("doctor", "--database", url, "--port", "1")
    assert "2 games, 4 quotes" in told
    assert "1 active" in told
    assert "PostgreSQL 1" in told


def test_what_was_recorded_before_is_told_from_what_is_lost(url: str, tmp_path: Path) -> None:
    gone = line(odds={}, scraped_at="2026-04-16T19:01:00Z")
    back = line(odds={"Home": 2.1, "Away": 1.9}, scraped_at="2026-04-16T19:02:00Z")
    file, other = tmp_path / "quotes.ndjson", tmp_path / "other.ndjson"
    file.write_bytes(line() + gone + back)
    other.write_bytes(line() + line(odds={"Home": 5.1, "Away": 1.1}))
    said = [run("ingest", each, "--database", url).stderr for each in (file, file, other)]
    assert said[:2] == ["", "quotes skipped, whose prices were recorded before: 2\n"]
    assert "are recorded: 2, 1 of them already recorded. History" in said[2]


def test_the_doctor_finds_nothing_broken_before_the_first_start_and_an_update(
    postgres: Postgres,
) -> None:
    empty = done("doctor", "--database", postgres.url(), "--port", "1")
    assert "note  odds: " in empty
    assert "start a server that may write to make them" in empty
    url = postgres.url_with_tables()
    with closing(ServerAddress(url).connect()) as connection:
        connection.execute("UPDATE oddsdesk_schema SET steps = steps - 1")
    assert ("start a server that may write to update it") in done(
        "doctor", "--database", url, "--port", "1"
    )


def test_files_are_imported(url: str, tmp_path: Path) -> None:
    season = tmp_path / "E0.csv"
    season.write_text(
        "Div,Date,Time,HomeTeam,AwayTeam,B365H,B365D,B365A\n"
        "E0,16/08/2024,15:00,Home,Away,2.0,3.4,4.1\n"
    )
    told = done("import", "football-data", season, "--shift-to-now", "--database", url)
    assert told.endswith("quotes 1, changes 3, skipped 0, bad 0\n")


def test_pairs_are_suggested_accepted_and_undone(url: str) -> None:
    with closing(open_store(DatabaseUrl(url))) as store:
        store.record(quotes()).result(10)
    (pair,) = json.loads(done("games", "suggest", "--json", "--database", url))
    assert "merged" in done("games", "accept", pair["id"], "--database", url)
    assert "undecided again" in done("games", "undo", pair["id"], "--database", url)


def test_value_bets_are_listed(url: str) -> None:
    with closing(open_store(DatabaseUrl(url))) as store:
        store.record(quotes()).result(10)
    assert isinstance(json.loads(done("bets", "--json", "--database", url)), list)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            ("backup", "copy.db"),
            "pg_dump --format=custom --file=copy.db --dbname=postgresql://ann@127.0.0.1:1/odds",
        ),
        (
            ("restore", "copy.db"),
            "pg_restore --clean --if-exists copy.db --dbname=postgresql://ann@127.0.0.1:1/odds",
        ),
        (("feeds",), "/api/health"),
        (("desk",), "oddsdesk serve"),
        (("ingest", "--durable", "x"), "--durable is for files"),
        (("serve", "--durable"), "--durable is for files"),
    ],
)
def test_what_does_not_work_there_says_what_does(command: tuple[str, ...], said: str) -> None:
    result = run(*command, "--database", AWAY + "?application_name=it%27s")
    assert result.exit_code in (1, 2)
    assert said in result.stderr
    assert SECRET not in result.output


@pytest.mark.parametrize(
    "command",
    [
        ("ingest", "x"),
        ("games", "suggest"),
        ("bets",),
        ("keys", "list"),
        ("serve", "--port", "0"),
        ("migrate", AWAY, "odds.db"),
    ],
)
def test_a_server_that_is_away_is_one_line_without_the_password(command: tuple[str, ...]) -> None:
    named = () if command[0] == "migrate" else ("--database", AWAY)
    result = run(*command, *named)
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert "127.0.0.1" in result.stderr
    assert SECRET not in result.output


def test_the_doctor_says_that_it_cannot_be_reached(tmp_path: Path) -> None:
    result = run("doctor", "--database", AWAY, "--port", "1")
    assert result.exit_code == 1
    assert "BAD   odds: postgresql://ann@127.0.0.1:1/odds: the database cannot be reached" in (
        result.stdout
    )
    assert SECRET not in result.output


def test_a_password_comes_from_the_environment_and_from_a_service(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, options = (part.partition("=")[2] for part in url.partition("?")[2].split("&"))
    services = tmp_path / "services"
    services.write_text(
        f"[odds]\nhost={host.replace('%2F', '/')}\nuser=postgres\ndbname=postgres\n"
        f"options={options.replace('%3D', '=')}\n"
    )
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    monkeypatch.setenv("PGPASSWORD", SECRET)
    assert done("games", "suggest", "--database", "postgresql:///?service=odds") == (
        "no games here look like the same game\n"
    )
