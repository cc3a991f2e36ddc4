"""Sources on loopback that serve recordings: each returns its feed's text, and what it holds.

What it holds is counted by ``recordings``, without code of the adapters.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from tests.kit import recordings
from tests.kit.fake_source import FakeSource, as_response
from tests.kit.recordings import Prices

WNBA = "basketball_wnba"
_FOOTBALL = "10932509"
_LATER = "2036-04-11T11:30:00Z"
_OPEN = {"closed": False, "active": True, "acceptingOrders": True, "gameStartTime": _LATER}
"""The recorded markets of a game were closed."""


def odds_api(source: FakeSource, folder: Path) -> tuple[str, Prices]:
    """Two games with all their bookmakers, and one with players' markets, read by itself."""
    games = recordings.odds_api_of_now(folder / "the_odds_api/ostepan8/odds_api_current_odds.json")
    props = recordings.odds_api_of_now(folder / "the_odds_api/ostepan8/odds_api_player_props.json")
    listed = [{**each, "bookmakers": None} for each in (*games, props)]
    source.say(f"/v4/sports/{WNBA}/events", listed)
    source.say(f"/v4/sports/{WNBA}/odds", games)
    for game in games:
        source.say(f"/v4/sports/{WNBA}/events/{game['id']}/odds", {**game, "bookmakers": []})
    source.say(f"/v4/sports/{WNBA}/events/{props['id']}/odds", props)
    markets = "h2h,spreads,totals,player_points"
    spec = f"the-odds-api:{WNBA}?url={source.url}&markets={markets}"
    return spec, recordings.of_odds_api([*games, props])


def kalshi(source: FakeSource, folder: Path) -> tuple[str, Prices]:
    """The three markets of a game, next to parlays."""
    files = ("brianlee7281/kalshi_markets.json", "dr-manhattan/kalshi_markets.json")
    markets = [each for file in files for each in recordings.read(folder / "kalshi" / file)]
    source.say("/trade-api/v2/markets", {"markets": markets, "cursor": ""})
    return f"kalshi:KXEPLGAME?url={source.url}", recordings.of_kalshi(markets)


class _Polymarket:
    """A recorded game and handicap, the shape of a football game, and recorded books of them."""

    def __init__(self, folder: Path) -> None:
        recorded = folder / "nautilus"
        self.winner, self.handicap = (
            {**recordings.read(recorded / f"gamma_market_sports_market_{name}.json"), **_OPEN}
            for name in ("money_line", "map_handicap")
        )
        names = ("response", "response_empty_ask")
        some, empty = (recordings.read(recorded / f"clob_book_{name}.json") for name in names)
        snapshot = recordings.read(recorded / "ws_book_snapshot.json")
        self.sides, spread = (
            json.loads(each["clobTokenIds"]) for each in (self.winner, self.handicap)
        )
        tokens = (*self.sides, *spread, "mex-yes", "draw-yes", "rsa-yes")
        books = (some, snapshot, empty, some, snapshot, some, some)
        self.books = [
            {**book, "asset_id": token} for book, token in zip(books, tokens, strict=True)
        ]
        burst = "ws_market_price_change_crossing_burst.excerpt.json"
        self.burst = recordings.read(recorded / burst)
        self.last = self.burst[-1]["price_changes"]

    @property
    def event(self) -> dict[str, Any]:
        """The recorded markets of one game, as an event holds them."""
        return {
            "slug": self.winner["slug"],
            "title": self.winner["question"],
            "startTime": _LATER,
            "markets": [self.winner, self.handicap],
        }

    @property
    def frames(self) -> tuple[str, str]:
        """The books, then the burst of changes, said of this game's tokens."""
        changes = json.dumps(self.burst)
        for change, side in zip(self.last, self.sides, strict=True):
            changes = changes.replace(change["asset_id"], side)
        return json.dumps([{**each, "event_type": "book"} for each in self.books]), changes

    @property
    def held(self) -> Prices:
        """What can be had in the end: the burst says the best asks of the game's sides."""
        sides = json.loads(self.winner["outcomes"])
        line = float(self.handicap["line"])
        game, asks = " vs ".join(sides), list(map(recordings.best_ask, self.books))
        first, second = json.loads(self.handicap["outcomes"])
        ended = [float(change["best_ask"]) for change in self.last]
        three = ("Mexico", "Draw", "South Africa")
        keys = [
            *((game, "moneyline", side) for side in sides),
            (game, "spread", f"{first} {line:+g}"),
            (game, "spread", f"{second} {-line:+g}"),
            *(("Mexico vs South Africa", "moneyline", side) for side in three),
        ]
        return {
            (name, self._bookmaker if name == game else "Polymarket", kind, text): 1 / ask
            for (name, kind, text), ask in zip(keys, [*ended, *asks[2:]], strict=True)
            if ask is not None
        }

    @property
    def _bookmaker(self) -> str:
        """Both recorded markets have a fee, which is then in the name."""
        percents = {each["feeSchedule"]["rate"] * 100 for each in (self.winner, self.handicap)}
        (percent,) = percents
        return f"Polymarket ({percent:g} % fee)"


def polymarket(source: FakeSource, folder: Path) -> tuple[str, Prices]:
    """Books are read, then streamed; events that are no games and unknown messages between."""
    folder = folder / "polymarket"
    made = _Polymarket(folder)
    shape = recordings.read(folder / "three_way_shape/world_cup_three_way.shape.json")
    others = recordings.read(folder / "nautilus/gamma_event.json")
    source.say("/gamma/events", [*others, made.event, shape])
    source.say("/clob/books", made.books)
    mixed = (folder / "nautilus/ws_market_mixed_known_unknown.json").read_text()
    source.play = streaming(*made.frames, mixed)
    return f"polymarket:745?url={source.url}&every=3600", made.held


def streaming(*frames: str) -> Callable[[WebSocket], Awaitable[None]]:
    """Return what sends frames to each client that connects, and then listens."""

    async def play(socket: WebSocket) -> None:
        with contextlib.suppress(WebSocketDisconnect):
            for frame in frames:
                await socket.send_text(frame)
            while True:
                await socket.receive_text()

    return play


def betfair(source: FakeSource, folder: Path, stream: str) -> tuple[str, Prices]:
    """The recorded markets are of races: three runners of each stand for a game's sides."""
    folder = folder / "betfair/blw"
    book = {**recordings.read(folder / "list_market_book.json")["result"][0], "status": "OPEN"}
    backed = [each for each in book["runners"] if each["ex"]["availableToBack"]][:3]
    image = recordings.read(folder / "streaming_mcm_SUB_IMAGE.json")["mc"][0]
    moved = recordings.read(folder / "streaming_mcm_update.json")["mc"][0]["rc"][0]
    told = {each["id"]: each["batb"][0][1] for each in (*image["rc"], moved)}
    streamed = [moved["id"], *(each for each in told if each != moved["id"])][:3]
    read, heard = ("Leeds", "Luton", "Draw"), ("Hull", "Derby", "Draw")
    catalogue = [
        _market(book["marketId"], read, [each["selectionId"] for each in backed]),
        _market(image["id"], heard, streamed),
    ]

    async def behave(request: Request) -> Response:
        asked = await request.json()
        is_list = asked["method"].endswith("listMarketCatalogue")
        return as_response({"result": catalogue if is_list else [book]})

    source.behave = behave
    held = dict(zip(read, map(recordings.best_back, backed), strict=True))
    more = dict(zip(heard, (told[each] for each in streamed), strict=True))
    prices = {
        (f"{sides[0]} vs {sides[1]}", "Betfair Exchange", "moneyline", side): float(odds[side])
        for sides, odds in ((read, held), (heard, more))
        for side in sides
    }
    return f"betfair:{_FOOTBALL}?url={source.url}&stream={stream}", prices


def _market(ident: str, sides: tuple[str, str, str], runners: list[int]) -> dict[str, Any]:
    names = (*sides[:2], "The Draw")
    return {
        "marketId": ident,
        "marketStartTime": _LATER,
        "description": {"marketType": "MATCH_ODDS"},
        "event": {"id": "7", "name": f"{sides[0]} v {sides[1]}"},
        "eventType": {"id": "1", "name": "Soccer"},
        "competition": {"id": _FOOTBALL, "name": "English Championship"},
        "runners": [
            {"selectionId": runner, "runnerName": name, "sortPriority": place}
            for place, (runner, name) in enumerate(zip(runners, names, strict=True))
        ],
    }


@contextlib.asynccontextmanager
async def betfair_stream(folder: Path) -> AsyncIterator[str]:
    """Serves a recorded image and the recorded change of it to who subscribes."""
    names = ("connection", "status", "status", "mcm_SUB_IMAGE", "mcm_update")
    frames = [recordings.read(folder / f"betfair/blw/streaming_{name}.json") for name in names]
    writers: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        for place, frame in enumerate(frames):
            if place in (1, 2):
                await reader.readuntil(b"\r\n")
            writer.write(json.dumps(frame).encode() + b"\r\n")
        await reader.read()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()
    for writer in writers:
        writer.close()
