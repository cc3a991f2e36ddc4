"""A service of others on loopback, as a live feed asks it: answers by path, and what was asked."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from tests.kit.loopback import loopback_server

Answering = Callable[[Request], Awaitable[Response]]


class FakeSource:
    """Answers each path as it is told; what nobody told it is 404."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[Request] = []
        self.behave: Answering | None = None
        """Answers everything while it is set."""
        self.play: Callable[[WebSocket], Awaitable[None]] | None = None
        self._answers: dict[str, list[Response]] = {}
        routes = [
            WebSocketRoute("/{path:path}", self._stream),
            Route("/{path:path}", self._answer, methods=["GET", "POST"]),
        ]
        self._server = loopback_server(Starlette(routes=routes))
        self._serving: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Serve at ``url``."""
        self._serving = asyncio.get_running_loop().create_task(self._server.serve())
        async with asyncio.timeout(10):
            while not self._server.started:
                await asyncio.sleep(0.005)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"

    async def stop(self) -> None:
        """Go away."""
        self._server.end()
        if self._serving is not None:
            await self._serving

    def say(
        self, path: str, *answers: Any, status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        """Answer a path with these, one after the other, the last for ever."""
        self._answers[path] = [
            answer if isinstance(answer, Response) else as_response(answer, status, headers)
            for answer in answers
        ]

    def paths(self) -> list[str]:
        """Return what was asked."""
        return [request.url.path for request in self.asked]

    async def _answer(self, request: Request) -> Response:
        await request.body()
        self.asked.append(request)
        if self.behave is not None:
            return await self.behave(request)
        answers = self._answers.get(request.url.path)
        if answers is None:
            return Response("nothing here", 404)
        return answers.pop(0) if len(answers) > 1 else answers[0]

    async def _stream(self, socket: WebSocket) -> None:
        assert self.play is not None, "nobody said what to stream"
        await socket.accept()
        await self.play(socket)


def as_response(answer: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return bytes as they are, and all else as JSON."""
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return Response(body, status, {"content-type": "application/json", **(headers or {})})


def recorded_answer(text: str) -> Response:
    """Return an answer as it was written down: status line, headers, blank line, body."""
    head, _, body = text.replace("\r\n", "\n").partition("\n\n")
    status, *lines = head.split("\n")
    headers = dict(line.split(": ", 1) for line in lines if line)
    return as_response(body.strip().encode(), int(status.split()[1]), headers)
