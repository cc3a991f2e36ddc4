"""A source of live odds on this machine, of The Odds API's shape; its bookmakers are made up."""

import contextlib
import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import urlsplit

_SPORTS: Final = (
    ("soccer_epl", "Soccer", "EPL"),
    ("soccer_france_ligue_one", "Soccer", "Ligue 1 - France"),
    ("soccer_germany_bundesliga", "Soccer", "Bundesliga - Germany"),
    ("soccer_uefa_champs_league", "Soccer", "UEFA Champions League"),
    ("soccer_england_league1", "Soccer", "League 1"),
    ("soccer_sweden_allsvenskan", "Soccer", "Allsvenskan - Sweden"),
    ("basketball_nba", "Basketball", "NBA"),
    ("icehockey_nhl", "Ice Hockey", "NHL"),
    ("americanfootball_nfl", "American Football", "NFL"),
    ("cricket_big_bash", "Cricket", "Big Bash"),
)
_GAMES: Final = {
    "soccer_epl": (("Arsenal", "Chelsea"), ("Everton", "Liverpool"), ("Fulham", "Brentford")),
    "soccer_france_ligue_one": (("Lyon", "Nice"), ("Lens", "Lille")),
    "basketball_nba": (("Boston Celtics", "Miami Heat"),),
}
_BOOKMAKERS: Final = ("Azulejo", "Granite Line", "Harbour Bet", "Northgate", "Ponte Lungo")


class _Answers(BaseHTTPRequestHandler):
    is_spent = False

    def do_GET(self) -> None:
        path = urlsplit(self.path).path.removeprefix("/v4/sports").strip("/")
        sport, _, what = path.partition("/")
        if self.is_spent and what == "odds":
            self._say({"error_code": "OUT_OF_USAGE_CREDITS"}, 401)
        elif what:
            self._say([_game(sport, *teams) for teams in _GAMES.get(sport, ())])
        else:
            self._say([dict(zip(("key", "group", "title"), each, strict=True)) for each in _SPORTS])

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        """Say nothing."""

    def _say(self, answer: object, status: int = 200) -> None:
        body = json.dumps(answer).encode()
        left, used = (0, 500) if self.is_spent else (19_400, 600)
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("x-requests-remaining", str(left))
        self.send_header("x-requests-used", str(used))
        self.end_headers()
        self.wfile.write(body)


class _Spent(_Answers):
    is_spent = True


@contextlib.contextmanager
def odds_source(*, spent: bool) -> Iterator[str]:
    """Run the source as long as the block and give its address; ``spent``: no credits are left."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Spent if spent else _Answers)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def _game(sport: str, home: str, away: str) -> dict[str, Any]:
    now = datetime.now(UTC).replace(microsecond=0)
    return {
        "id": f"{home}-{away}".lower().replace(" ", "-"),
        "sport_key": sport,
        "commence_time": _time(now + timedelta(hours=3 + len(home))),
        "home_team": home,
        "away_team": away,
        "bookmakers": [
            {
                "key": name.lower().replace(" ", ""),
                "title": name,
                "last_update": _time(now),
                "markets": [_prices(sport, home, away, place)],
            }
            for place, name in enumerate(_BOOKMAKERS)
        ],
    }


def _prices(sport: str, home: str, away: str, place: int) -> dict[str, Any]:
    sides = [(home, 2.05 + 0.03 * place), (away, 3.6 - 0.05 * place)]
    sides += [("Draw", 3.4)] if sport.startswith("soccer") else []
    outcomes = [{"name": name, "price": round(price, 2)} for name, price in sides]
    return {"key": "h2h", "outcomes": outcomes}


def _time(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
