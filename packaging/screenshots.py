"""Pictures of the real program: every panel and state, both schemes, three window sizes.

Each start is the program itself on a screen of its own (Xvfb), driven by keys (xdotool) and
read by ImageMagick.

    python packaging/screenshots.py pictures                      simulated odds, all pictures
    python packaging/screenshots.py pictures --scheme dark --size 1680x1020 --scene values
    python packaging/screenshots.py trials --data ../shared/data  recordings instead, to look at

Pictures of recordings are for trials: other people's odds are not ours to publish.
"""

import argparse
import contextlib
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec
from shooting.odds_source import odds_source
from shooting.processes import run_program, started
from shooting.processes import screen as run_screen
from shooting.season import season
from shooting.stage import Stage

from oddsdesk.board.alerts.rules import RULES_FILE
from oddsdesk.pricing.promotions import PromoKind, Promotion

SCHEMES: Final = ("dark", "light")
SIZES: Final = ("1280x800", "1680x1020", "2560x1440")
_PAST_S: Final = 30.0
"""How long prices move before the first picture: then they have a history."""
_CALM_S: Final = 8
_ASKED_S: Final = 3
_TO_MORE: Final = 14
"""Steps of Tab in the dialog of live odds from its sources to what folds its address out."""
_RESEARCH_S: Final = 30
"""How long going through a season may take."""
_SETTINGS: Final = (
    "[look]\nscheme={scheme}\ntext_size={text}\n\n[start]\nintroduction={introduction}\n"
)
_EXAMPLE: Final = {
    "Pinnacle": (2.05, 1.88),
    "Azulejo": (2.15, 1.74),
    "Granite Line": (2.13, 1.76),
    "Harbour Bet": (2.20, 1.70),
}
_ALIKE: Final = (
    ("regionalliga_nord", "Rosenhof 09 - Blau-Weiss Altdorf", "SV Rosenhof - Altdorf"),
    ("regionalliga_nord", "Kirchfeld - Novi Pazzar", "Kirchfeld II - Novi Pazar"),
    ("regionalliga_nord", "Kirchfeld - Lindenau Ost", "Kirchfeld United - Lindenau"),
    ("tennis_atp_vienna", "Adam Novotny - Ben Hollis", "Novotny A. - Hollis B."),
    ("regionalliga_nord", "Waldstein - Neustadt an der Aue", "TSV Waldstein - Neustadt"),
)
_RULES: Final = """\
most_per_hour = 12

[[rules]]
kind = "value"
least_ev = 1.5

[[rules]]
kind = "arbitrage"
least = 0.5

[[rules]]
kind = "steam"
groups = 2
points = 0.5
minutes = 5
"""
_BET_COLUMNS: Final = (
    *("placed_at", "kick_off", "sport", "competition", "match_name", "market_type", "selection"),
    *("bookmaker", "odds", "stake", "ev_pct", "fair_odds", "method", "preset", "result"),
    *("close_odds", "close_fair_odds", "close_method"),
)
_PAST_STEPS, _PAST_MINUTES = 576, 5
_BETS, _OPEN_BETS, _SEED = 212, 12, 4
_PAINTED: Final = "first prices painted"


def game(stage: Stage) -> None:
    """A game with a price selected."""
    stage.press("F6", "shift+F6", "ctrl+Home", "Down", *["Right"] * 6)
    stage.shoot("game")


def values(stage: Stage) -> None:
    """Value bets; the second one explained, with its history and its game."""
    stage.press("F6", "F6", "ctrl+Home", "Down", "ctrl+Return")
    stage.wait(_CALM_S)
    stage.shoot("values")


def opportunities(stage: Stage) -> None:
    """Bets that cover everything, the first leg selected, and then only arbitrage."""
    stage.go_to("opportunities")
    stage.wait(_CALM_S)
    stage.press("ctrl+Home")
    stage.shoot("opportunities")
    stage.press("m")
    stage.shoot("arbitrage")
    stage.press("m", "m", "m")


def no_bets(stage: Stage) -> None:
    """The list of bets before there is any."""
    stage.press("ctrl+l")
    stage.shoot("no-bets")
    stage.press("ctrl+Tab")


def navigator(stage: Stage) -> None:
    """Games found by words, and none found."""
    stage.press("ctrl+f")
    stage.write("tennis")
    stage.shoot("navigator")
    stage.press("ctrl+a")
    stage.write("no such team")
    stage.shoot("nothing-found")
    stage.press("Escape")


def palette(stage: Stage) -> None:
    """The command palette."""
    stage.press("ctrl+k")
    stage.write("ch")
    stage.shoot("palette")
    stage.press("Escape")


def grid(stage: Stage) -> None:
    """Every price in one table."""
    stage.press("ctrl+g")
    stage.wait(_CALM_S)
    stage.shoot("grid")
    stage.press("ctrl+Tab")


def shortcuts(stage: Stage) -> None:
    """The list of keys."""
    stage.press("F1")
    with stage.dialog("^Keyboard"):
        stage.shoot("shortcuts")


def settings(stage: Stage) -> None:
    """The settings."""
    stage.press("ctrl+comma")
    with stage.dialog("^Settings"):
        stage.shoot("settings")


def connections(stage: Stage) -> None:
    """Saved connections, and a new one to a service."""
    stage.choose_connection(1)
    with stage.dialog("^Connections"):
        stage.shoot("connections")
    stage.choose_connection(2)
    with stage.dialog("^Connection to a service"):
        stage.shoot("remote")


def server(stage: Stage) -> None:
    """The built-in server: its database, its feeds, files to import and keys."""
    stage.choose_connection(4)
    with stage.dialog("^Built-in server"):
        for page in ("server", "feeds", "import", "", "keys"):
            if page:
                stage.shoot(page)
            stage.press("ctrl+Tab")


SCENES: Final = (
    *(game, values, opportunities, no_bets, navigator, palette, grid, shortcuts, settings),
    connections,
    server,
)


class Theatre:
    """Starts the program for one scheme and one size, each time as at home in one folder."""

    def __init__(self, pictures: Path, scheme: str, size: str, text: int, home: Path) -> None:
        self._pictures = pictures / (f"{scheme}-{size}" + (f"-{text}" if text != 100 else ""))
        self._text = text
        self._scheme = scheme
        self._size = size
        self._home = home

    def show(self, scenes: list[Callable[[Stage], None]], source: list[str]) -> None:
        """Play scenes on the built-in server; ``source``: options that say where odds are from."""
        with self._stage(self._local("odds.db", *source), _PAINTED) as stage:
            stage.wait(_PAST_S)
            for scene in scenes:
                scene(stage)

    def show_first_start(self) -> None:
        """Take the first window with its introduction."""
        with self._stage(self._local("first.db"), _PAINTED, introduction=True) as stage:
            stage.wait(_CALM_S)
            stage.shoot("first-start")

    def show_empty(self) -> None:
        """Take a service that has no prices: grid and value bets, then the other panels."""
        with self._stage(self._local("none.db", "--feed", "none"), "") as stage:
            stage.wait(_CALM_S)
            stage.shoot("empty")
            for panel in ("opportunities", "promotions", "alerts"):
                stage.go_to(panel)
                stage.shoot(f"empty-{panel}")
            stage.press("ctrl+l")
            stage.shoot("empty-bets")

    def show_alerts(self) -> None:
        """Take what rules told and held back, the rules, and a target asked for on a price."""
        folder = self._home / "oddsdesk"
        folder.mkdir(exist_ok=True)
        rules = folder / RULES_FILE
        rules.write_text(_RULES, "utf-8")
        with self._stage(self._local("alerts.db"), _PAINTED) as stage:
            stage.wait(_PAST_S)
            stage.go_to("alerts")
            stage.press("ctrl+Home", "Down")
            stage.shoot("alerts")
            stage.press("ctrl+shift+a")
            with stage.dialog("^Alert rules$"):
                stage.shoot("alerts-rules")
            stage.press("F6", "ctrl+Home", "Down", *["Right"] * 6, "t")
            with stage.dialog("^Price alert"):
                stage.shoot("target")
        rules.unlink()

    def show_promotions(self) -> None:
        """Take the ways to use a free bet, the sheet of the best one, and the calculator."""
        now = datetime.now(UTC)
        folder = self._home / "oddsdesk"
        folder.mkdir(exist_ok=True)
        offers = folder / "promotions.json"
        offers.write_bytes(msgspec.json.encode(list(_offers(now))))
        quotes = self._home / "promotions.ndjson"
        quotes.write_bytes(b"".join(_promotion_quotes(now)))
        database = self._local("promotions.db", "--feed", "none", "--reference", "Pinnacle")
        run_program(["ingest", *database[2:4], str(quotes)], self._environment())
        with self._stage(database, _PAINTED) as stage:
            stage.go_to("promotions")
            stage.wait(_CALM_S)
            stage.press("ctrl+Home")
            stage.shoot("promotions")
            stage.press("l")
            with stage.dialog("^Record promotion"):
                stage.shoot("promotions-sheet")
            stage.press("c")
            with stage.dialog("^Hedge calculator"):
                stage.shoot("promotions-calculator")
            stage.press("n")
            with stage.dialog("^New offer"):
                stage.shoot("promotions-offer")
        offers.unlink()

    def show_worked_example(self) -> None:
        """Take the guide's worked example: 2.15 where the reference has 2.05 and 1.88."""
        quotes = self._home / "quotes.ndjson"
        now = datetime.now(UTC)
        quotes.write_bytes(b"".join(_quote(name, odds, now) for name, odds in _EXAMPLE.items()))
        database = self._local("example.db", "--feed", "none")
        run_program(["ingest", *database[2:4], str(quotes)], self._environment())
        with self._stage(database, _PAINTED) as stage:
            stage.press("F6", "shift+F6", "ctrl+Home", "Down", "b")
            stage.wait(_CALM_S)
            stage.shoot("worked-example")

    def show_past(self) -> None:
        """Take days of the past, which open by themselves: played, and the whole log in sight."""
        quotes = self._home / "past.ndjson"
        quotes.write_bytes(b"".join(_past_quotes(datetime.now(UTC))))
        database = self._local("past.db", "--feed", "none")
        run_program(["ingest", *database[2:4], str(quotes)], self._environment())
        with self._stage(database, _PAINTED) as stage:
            stage.wait(_CALM_S)
            stage.press("F6", "shift+F6", "ctrl+Home", "Down", *["Right"] * 6)
            stage.press("alt+Prior")
            stage.press(*["alt+Up"] * 3, "ctrl+p")
            stage.wait(_CALM_S)
            stage.shoot("past")
            stage.press("ctrl+p", "ctrl+shift+p", *["minus"] * 3)
            stage.shoot("past-log")

    def show_research(self) -> None:
        """Take what a season tells: before it is gone through, bet on, and its bookmakers."""
        file = self._home / "season.csv"
        file.write_text("\n".join(season(datetime.now(UTC))), "utf-8")
        database = self._local("season.db", "--feed", "none")
        run_program(["import", "football-data", *database[2:4], str(file)], self._environment())
        with self._stage(database, _PAINTED) as stage:
            stage.wait(_CALM_S)
            stage.press("ctrl+t")
            stage.shoot("backtest-begin")
            stage.press("r")
            stage.wait(_RESEARCH_S)
            stage.shoot("backtest")
            stage.press("ctrl+shift+b", "r")
            stage.wait(_RESEARCH_S)
            stage.shoot("scorecards")

    def show_suggestions(self) -> None:
        """Take games that sources name differently, one of them decided, and what is known."""
        quotes = self._home / "alike.ndjson"
        now = datetime.now(UTC)
        quotes.write_bytes(b"".join(_alike_quotes(now)))
        database = self._local("alike.db", "--feed", "none")
        run_program(["ingest", *database[2:4], str(quotes)], self._environment())
        with self._stage(database, _PAINTED) as stage:
            stage.choose_connection(4)
            with stage.dialog("^Built-in server"):
                stage.press(*["ctrl+Tab"] * 3)
                stage.press("Tab", "ctrl+Home", "r", "a")
                stage.wait(_CALM_S)
                stage.shoot("suggestions")

    def show_bets(self) -> None:
        """Take a bettor's list of bets, a report, and a bet being edited."""
        bets = self._home / "bets.csv"
        bets.write_text("\n".join(_bets(datetime.now(UTC))), "utf-8")
        run_program(["ledger", "import", str(bets)], self._environment())
        with self._stage(self._local("bets.db", "--feed", "none"), "") as stage:
            stage.wait(_CALM_S)
            stage.press("ctrl+l", "ctrl+Home", *["Down"] * 3)
            stage.shoot("bets")
            stage.press(*["m"] * 4)
            stage.shoot("bets-report")
            stage.press(*["m"] * 5, "ctrl+Home", "Return")
            with stage.dialog("^Edit bet"):
                stage.shoot("bet")

    def show_disconnected(self) -> None:
        """Take a remote service that answers, and then is gone."""
        database = ["--database", str(self._home / "remote.db")]
        made = run_program(
            ["keys", "create", "--plan", "Pro+ Live", *database], self._environment()
        )
        serve = ["serve", "--port", "0", "--feed", "simulator", *database]
        with started(serve, self._environment()) as service:
            line = service.line_with("http")
            self._save_connection(line[line.index("http") :].split()[0], made.split()[-1])
            with self._stage(["desk", "--profile", "Club"], _PAINTED) as stage:
                stage.wait(_CALM_S)
                service.end()
                stage.wait(_CALM_S)
                stage.shoot("disconnected")

    def show_live_odds(self) -> None:
        """Take how live odds are got: the choice, its cost, the running source, and no credits."""
        for spent in (False, True):
            shutil.rmtree(self._home / "oddsdesk" / "feed-keys", ignore_errors=True)
            database = self._local("spent.db" if spent else "live.db")
            with odds_source(spent=spent) as address, self._stage(database, _PAINTED) as stage:
                stage.press("ctrl+shift+e")
                with stage.dialog("^Get live odds"):
                    self._get_live_odds(stage, address, spent=spent)

    def _get_live_odds(self, stage: Stage, address: str, *, spent: bool) -> None:
        stage.wait(_ASKED_S)
        stage.press(*["Tab"] * _TO_MORE, "space")
        stage.write(address)
        stage.press("Return", "shift+Tab", "space")  # asked there; the field folds away
        stage.press(*["shift+Tab"] * (_TO_MORE - 1))
        stage.write("a-key-for-pictures")
        stage.wait(_ASKED_S)
        if not spent:
            stage.shoot("live-odds")
        stage.press(*["Tab"] * 3, "space", "Down", "space", *["Down"] * 3, "space")
        stage.wait(_ASKED_S)
        stage.shoot("live-spent-cost" if spent else "live-cost")
        stage.press("alt+t")
        stage.wait(_ASKED_S)
        stage.shoot("live-spent" if spent else "live-running")

    def _local(self, database: str, *more: str) -> list[str]:
        return ["desk", "--local", "--database", str(self._home / database), *more]

    def _save_connection(self, address: str, key: str) -> None:
        profile = {"type": "remote", "name": "Club", "base_url": address}
        profile |= {"key_place": "file", "ident": "club"}
        connections = {"last": "Club", "connections": [profile]}
        folder = self._home / "oddsdesk"
        folder.mkdir(exist_ok=True)
        (folder / "connections.json").write_bytes(msgspec.json.encode(connections))
        keys = folder / "keys.json"
        keys.touch(mode=0o600)
        keys.write_bytes(msgspec.json.encode({"club": key}))

    def _environment(self, display: str = "") -> dict[str, str]:
        home = str(self._home)
        return os.environ | {"DISPLAY": display, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home}

    @contextlib.contextmanager
    def _stage(
        self, arguments: list[str], word: str, *, introduction: bool = False
    ) -> Iterator[Stage]:
        file = self._home / "oddsdesk" / "desk.ini"
        file.parent.mkdir(exist_ok=True)
        said = str(introduction).lower()
        file.write_text(_SETTINGS.format(scheme=self._scheme, text=self._text, introduction=said))
        with run_screen(self._size) as display:
            environment = self._environment(display)
            with started([*arguments, "--verbose"], environment) as program:
                stage = Stage(environment, self._size, self._pictures)
                if word:
                    program.line_with(word)
                stage.enter()
                yield stage


def _bets(now: datetime) -> Iterator[str]:
    """Say a season of made-up bets as a file of the ledger's own columns, one a line."""
    chance = random.Random(_SEED)
    yield ",".join(_BET_COLUMNS)
    for number in range(_BETS):
        start = now - timedelta(hours=9 * (_BETS - _OPEN_BETS - number))
        _, name, _ = _ALIKE[number % len(_ALIKE)]
        home, away = name.split(" - ")
        selection = chance.choice((home, "Draw", away))
        odds, edge = round(chance.uniform(1.7, 4.8), 2), chance.uniform(1, 5)
        is_won = chance.random() < (1 + edge / 100) / odds
        is_open = number >= _BETS - _OPEN_BETS or number % 70 == 1
        close = odds / (1 + chance.gauss(0.02, 0.04))
        what = ("open", "", "") if is_open else ("won" if is_won else "lost", close * 0.98, close)
        row = (
            *((start - timedelta(hours=5)).isoformat(), start.isoformat(), "Football", "BUND"),
            *(name, "moneyline", selection, chance.choice(tuple(_EXAMPLE)[1:]), odds),
            *(chance.choice((4, 5, 6, 8, 10)), f"{edge:.2f}", odds / (1 + edge / 100)),
            *("margin_proportional", "Main markets", *what, "margin_proportional"),
        )
        yield ",".join(map(str, row))


def _alike_quotes(now: datetime) -> Iterator[bytes]:
    """Say games by two names each, as two sources would."""
    sources = {"source-one": ("Azulejo", "Granite Line"), "source-two": ("Harbour Bet",)}
    for number, (competition, *names) in enumerate(_ALIKE):
        start = now + timedelta(hours=3 + 5 * number)
        for name, (source, bookmakers) in zip(names, sources.items(), strict=True):
            game = {"match_name": name, "competition": competition, "event": f"{source}:{number}"}
            for bookmaker in bookmakers:
                yield _quote(bookmaker, _EXAMPLE[bookmaker], now, match_date=start, **game)


def _past_quotes(now: datetime) -> Iterator[bytes]:
    """Say two days of made-up prices that move, the more so the nearer their kick-offs are."""
    chance = random.Random(_SEED)
    end = now.replace(minute=0, second=0, microsecond=0) - timedelta(days=3)
    names = [(competition, name) for competition, name, _ in _ALIKE]
    games = [(*name, end - timedelta(hours=5 * place)) for place, name in enumerate(names)]
    over = dict.fromkeys(names, 1.95)
    for step in range(_PAST_STEPS, 0, -1):
        at = end - timedelta(minutes=_PAST_MINUTES * step)
        for competition, name, start in games:
            ahead = (start - at) / timedelta(hours=1)
            if ahead < 0 or chance.random() > 3 / (ahead + 3):
                continue
            price = over[competition, name] * chance.uniform(0.97, 1.03)
            over[competition, name] = min(max(price, 1.5), 2.6)
            for bookmaker in _EXAMPLE:
                mine = over[competition, name] * chance.uniform(0.98, 1.01)
                odds = (round(mine, 2), round(1 / (1.04 - 1 / mine), 2))
                game = {"match_name": name, "competition": competition, "match_date": start}
                yield _quote(bookmaker, odds, at, **game)


def _offers(now: datetime) -> Iterator[Promotion]:
    """Yield some made-up offers, one of them used."""
    day_ms, now_ms = 86_400_000, round(now.timestamp() * 1000)
    free = Promotion(name="Free bet 25", kind=PromoKind.FREE, bookmaker="Azulejo", amount=25)
    yield msgspec.structs.replace(free, least_odds=2.0, until=now_ms + 2 * day_ms)
    boost = Promotion(name="Boost", kind=PromoKind.BOOST, bookmaker="Harbour Bet", amount=10)
    yield msgspec.structs.replace(boost, boost=0.5, until=now_ms + 4 * day_ms)
    refund = Promotion(name="Refund", kind=PromoKind.REFUND, bookmaker="Granite Line", amount=50)
    yield msgspec.structs.replace(refund, used_at=now_ms)


def _promotion_quotes(now: datetime) -> Iterator[bytes]:
    """Yield made-up match odds of bookmakers, and of an exchange with lay odds."""
    chance = random.Random(_SEED)
    football = [game for game in _ALIKE if "tennis" not in game[0]]
    for number, (competition, name, _) in enumerate(football):
        home, away = name.split(" - ")
        first, draw = chance.uniform(0.15, 0.6), chance.uniform(0.2, 0.28)
        fair = {home: 1 / first, "Draw": 1 / draw, away: 1 / (1 - first - draw)}
        start = now + timedelta(hours=4 + 5 * number)
        game = {"match_name": name, "competition": competition, "match_date": start}
        for bookmaker, cut in {**dict.fromkeys(_EXAMPLE, 0.05), "Marlin Exchange": 0.01}.items():
            odds = {on: round(at * chance.uniform(1 - cut, 1.0), 2) for on, at in fair.items()}
            if bookmaker == "Marlin Exchange":
                levels = {on: (at, round(at * 1.03 + 0.02, 2)) for on, at in odds.items()}
                game["offers"] = {
                    on: {"back": [[back, 150]], "lay": [[lay, 120]]}
                    for on, (back, lay) in levels.items()
                }
            yield _quote(bookmaker, odds.values(), now, odds, market_type="moneyline", **game)


def _quote(
    bookmaker: str,
    odds: Iterable[float],
    now: datetime,
    names: Iterable[str] = ("Over 2.5", "Under 2.5"),
    **changed: object,
) -> bytes:
    quote = {
        "bookmaker": bookmaker,
        "match_name": "Arsenal - Chelsea",
        "competition": "EPL",
        "sport": "Football",
        "market_type": "total",
        "period": 0,
        "is_live": False,
        "odds": dict(zip(names, odds, strict=True)),
        "match_date": now + timedelta(hours=3),
        "scraped_at": now,
        **changed,
    }
    return msgspec.json.encode(quote) + b"\n"


def _sources(data: Path | None) -> dict[str, list[str]]:
    """Return the options of the desk by the name of the folder for their pictures."""
    if data is None:
        return {"": []}
    odds = data.resolve() / "the-odds-api" / "*.json.gz"
    movement = next((data.resolve() / "movement").glob("*.ndjson.gz"))
    return {
        "odds-api": ["--feed", f"replay:the-odds-api:{odds}"],
        "movement": ["--feed", f"replay:{movement}", "--speed", "3600", "--reference", "smarkets"],
    }


def main() -> None:
    """Take the pictures that the command line asks for."""
    states = [
        *("first_start", "live_odds", "empty", "alerts", "worked_example", "bets"),
        *("promotions", "past", "research", "suggestions", "disconnected"),
    ]
    names = [*(scene.__name__ for scene in SCENES), *states]
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("pictures", type=Path, help="folder to save them in")
    parser.add_argument("--scheme", choices=SCHEMES, action="append", help="default: both")
    parser.add_argument("--size", action="append", help=f"default: {', '.join(SIZES)}")
    parser.add_argument("--text", type=int, default=100, help="size of text in percent")
    parser.add_argument("--scene", choices=names, action="append", help="default: all")
    parser.add_argument("--data", type=Path, help="folder of recordings to replay")
    options = parser.parse_args()
    wanted = options.scene or names
    if options.data is not None and options.scene and set(states).issuperset(options.scene):
        parser.error(f"made without --data: {', '.join(options.scene)}")
    scenes = [scene for scene in SCENES if scene.__name__ in wanted]
    for folder, source in _sources(options.data).items():
        for scheme in options.scheme or SCHEMES:
            for size in options.size or SIZES:
                with tempfile.TemporaryDirectory() as home:
                    theatre = Theatre(
                        options.pictures / folder, scheme, size, options.text, Path(home)
                    )
                    if scenes:
                        theatre.show(scenes, source)
                    for state in states if options.data is None else ():
                        if state in wanted:
                            getattr(theatre, f"show_{state}")()


if __name__ == "__main__":
    main()
