"""A file is recognised by its beginning, packed or not; a line names the command that reads it."""

import bz2
import gzip
import io
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from oddsdesk.base.file_kinds import HEAD_BYTES, kind_of, wrong_kind
from oddsdesk.cli.main import main
from oddsdesk.contract.formats import OWN_FORMATS
from oddsdesk.feeds.importing import read_files

SEASON = b"Div,Date,Time,HomeTeam,AwayTeam,FTHG,FTAG,PSH,PSD,PSA\n"


def archive() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        packed.writestr("E0.csv", SEASON)
    return stream.getvalue()


FILES = {
    "betfair": [b'{"op":"mcm","clk":"1","pt":1,"mc":[{"id":"1.1","marketDefinition":{'],
    "football-data": [
        SEASON,
        b"\xef\xbb\xbfCountry;League;Season;Date;Time;Home;Away;HG;AG;Res;PSCH;PSCD;PSCA\r\n",
        b"Season,Date,HomeTeam,AwayTeam,FTHG,FTAG,FTR\n",
        SEASON.decode().encode("utf-16"),
    ],
    "oddsharvester": [
        b'[{"scraped_date": "", "match_link": "", "home_team": "A", "away_team": "B"}]',
        b"scraped_date,match_date,match_link,home_team,away_team,1x2_market\n",
    ],
    "pinnacle": [b'{"sportId":29,"last":1,"leagues":[', b'{"sportId":29,"league":[{"events":['],
    "scores": [b"Date,Time,Home,Away,HG,AG,Status\n"],
    "sharpapi": [
        b"id,sportsbook,event_id,home_team,away_team,market_type,selection,selection_type\n",
        b'{"data": [{"sportsbook": "pinnacle", "market_type": "", "selection_type": "home"}',
    ],
    "the-odds-api": [
        b'[{"sport_key": "x", "home_team": "A", "bookmakers": [{"title": "B"',
        b'{"timestamp": "", "data": [{"sport_key": "x", "bookmakers": []}]}',
        b'[{"id": "1", "sport_key": "x", "completed": true, "home_team": "A", "scores": null}]',
        b",name,price,point,id,sport_key,commence_time,home_team,away_team,bookmakers.key\n",
        b"id,sport_key,commence_time,home_team,away_team,market_key,outcomes_price\n",
    ],
    "bets": [
        b"Date,HomeTeam,AwayTeam,FTHG,Stake,Odds\n",
        b"sportsbook,amount,bet_info,odds\n",
        "Datum;Einsätze;Quote;Tipp\n".encode("cp1252"),
    ],
    "quotes": [b'{"bookmaker":"B","match_name":"A - B","odds":{}}\n'],
    "results": [b"bet,result\n1,won\n"],
    "database": [b"SQLite format 3\0\x10\0"],
    "old workbook": [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0"],
    "archive": [archive()],
    "page": [b"\n<!DOCTYPE html><title>404</title>"],
}
EACH = [(name, data) for name, files in FILES.items() for data in files]


@pytest.mark.parametrize("packed", [bytes, gzip.compress, bz2.compress])
@pytest.mark.parametrize(("name", "data"), EACH)
def test_each_kind_is_recognised_packed_or_not(name: str, data: bytes, packed: type[bytes]) -> None:
    kind = kind_of(packed(data))
    assert kind is not None
    assert kind.name == name


def test_each_of_our_formats_is_recognised() -> None:
    assert {each.name for each in OWN_FORMATS} <= FILES.keys()


@pytest.mark.parametrize(
    "data", [b"", b"\0\1\2", b"\x1f\x8bxx", b"BZh0", b"PK\x03\x04", b"a,b\n", b"{}", b'"' * 99_999]
)
def test_an_unknown_file_is_none(data: bytes) -> None:
    assert kind_of(data) is None


def test_the_beginning_of_a_file_is_enough() -> None:
    rows = SEASON + b"E0,16/08/2025,15:00,A,B,1,0,2,3,4\n" * 10_000
    for data in (rows, rows[:HEAD_BYTES], rows[:HEAD_BYTES] + b"\x81"):
        kind = kind_of(data)
        assert kind is not None
        assert kind.name == "football-data"


def test_a_line_names_the_command_unless_the_kind_is_expected() -> None:
    assert wrong_kind("my E0.csv", SEASON, "bets") == (
        "my E0.csv: this is a file of football-data.co.uk (CSV, XLSX); import it as that format,"
        " or with `oddsdesk import football-data 'my E0.csv'`"
    )
    assert wrong_kind("E0.csv", SEASON, "bets", "football-data") is None


@pytest.mark.parametrize(("name", "data"), [each for each in EACH if each[0] != "archive"])
@pytest.mark.parametrize("given", [each.name for each in OWN_FORMATS])
def test_each_importer_names_the_right_kind(
    given: str, name: str, data: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "file"
    path.write_bytes(data)
    problems = read_files(given, [str(path)], lambda _prices: None).problems
    if given == name:
        assert not any("import it as that format" in problem for problem in problems)
    else:
        assert problems == [wrong_kind(str(path), data)]


@pytest.mark.parametrize(
    ("command", "data", "message"),
    [
        ("ledger import", SEASON, "oddsdesk import football-data E0.csv"),
        ("ledger settle --results", FILES["bets"][0], "oddsdesk ledger import E0.csv"),
        ("ledger settle --results", FILES["quotes"][0], "oddsdesk ingest E0.csv"),
        ("ledger import", archive(), "a zip archive; unpack it first"),
        ("ingest --database odds.db", SEASON, "oddsdesk import football-data E0.csv"),
    ],
)
def test_other_commands_name_the_right_one(
    command: str, data: bytes, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("E0.csv").write_bytes(data)
    words = [*command.split(), "E0.csv"]
    place = ["--ledger", "bets.db"] if words[0] == "ledger" else []
    Path("bets.csv").write_text("selection,odds,stake\nHull,2.5,9\n")
    CliRunner().invoke(main, ["ledger", "import", "bets.csv", "--ledger", "bets.db"])
    done = CliRunner().invoke(main, [*words, *place])
    assert done.exit_code == 1
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
