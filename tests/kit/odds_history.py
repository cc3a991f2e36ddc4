"""The history of The Odds API on loopback: snapshots, what they cost, and what was requested."""

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

from oddsdesk.contract.times import MINUTE_MS, format_ms, parse_ms

KEY = "canary0123456789abcdef"
HOUR_MS = 60 * MINUTE_MS
FIRST = parse_ms("2024-10-01T00:00:00Z")


class OddsHistory:
    """Snapshots two minutes after every ``spacing_ms``, of one game a day.

    Attributes:
        answered: The snapshot of each request that was charged or empty, in order.
        refusals: Answers to the next paid requests instead: status, body, headers.
        empty: Snapshots from this one up to the second have no games.
        last: The newest snapshot.
        hold: Set by the test to let the request number ``hold_at`` go on.
    """

    def __init__(self, credits_left: int = 10_000, spacing_ms: int = 5 * MINUTE_MS) -> None:
        self.left = credits_left
        self.used = 0
        self.spacing_ms = spacing_ms
        self.answered: list[int] = []
        self.queries: list[dict[str, str]] = []
        self.refusals: list[tuple[int, bytes, dict[str, str]]] = []
        self.empty = (0, 0)
        self.last = FIRST + 30 * 24 * HOUR_MS
        self.hold_at: int | None = None
        self.held = threading.Event()
        self.go_on = threading.Event()
        self.url = ""

    def reply(self, path: str, query: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
        """Return status, body and headers."""
        if query.get("apiKey") != KEY:
            return 401, b'{"error_code": "INVALID_KEY", "message": "no"}', {}
        if path == "/v4/sports":
            return 200, b"[]", self._credits(0)
        self.queries.append(query)
        if self.refusals:
            return self.refusals.pop(0)
        cost = 10 * len(query["markets"].split(",")) * len(query["regions"].split(","))
        if self.left < cost:
            body = b'{"error_code": "OUT_OF_USAGE_CREDITS", "message": "no credits"}'
            return 401, body, self._credits(0)
        at = min(parse_ms(query["date"]), self.last)
        snapshot = at - (at - FIRST - 2 * MINUTE_MS) % self.spacing_ms
        is_empty = self.empty[0] <= snapshot < self.empty[1]
        self.answered.append(snapshot)
        self.left -= 0 if is_empty else cost
        self.used += 0 if is_empty else cost
        later = snapshot + self.spacing_ms
        body = {
            "timestamp": format_ms(snapshot),
            "previous_timestamp": format_ms(snapshot - self.spacing_ms),
            "next_timestamp": format_ms(later) if later <= self.last else None,
            "data": [] if is_empty else [_game(snapshot)],
        }
        return 200, json.dumps(body).encode(), self._credits(0 if is_empty else cost)

    def _credits(self, cost: int) -> dict[str, str]:
        figures = {"remaining": self.left, "used": self.used, "last": cost}
        return {f"x-requests-{name}": str(figure) for name, figure in figures.items()}


def _game(snapshot: int) -> dict[str, Any]:
    day = snapshot // (24 * HOUR_MS)
    price = 2 + snapshot // HOUR_MS % 97 / 100
    sides = [{"name": "Arsenal", "price": price}, {"name": "Draw", "price": 3.4}]
    sides.append({"name": f"Rival {day}", "price": 3.9})
    market = {"key": "h2h", "last_update": format_ms(snapshot - MINUTE_MS), "outcomes": sides}
    return {
        "id": f"g{day}",
        "sport_key": "soccer_epl",
        "commence_time": format_ms((day + 1) * 24 * HOUR_MS),
        "home_team": "Arsenal",
        "away_team": f"Rival {day}",
        "bookmakers": [{"key": "pinnacle", "title": "Pinnacle", "markets": [market]}],
    }


@contextmanager
def serve_history(history: OddsHistory) -> Iterator[OddsHistory]:
    """Serve a history at its ``url``."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if "historical" in parts.path and len(history.queries) == history.hold_at:
                history.hold_at = None
                history.held.set()
                history.go_on.wait(30)
                return  # the client is gone, and nothing was charged
            query = {name: each[0] for name, each in parse_qs(parts.query).items()}
            status, body, headers = history.reply(parts.path, query)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    history.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield history
    finally:
        history.go_on.set()
        server.shutdown()
        thread.join()
        server.server_close()
