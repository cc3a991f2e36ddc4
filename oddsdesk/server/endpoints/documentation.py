"""GET /openapi.json and /docs: how to use the service, for programs and for people; no key."""

import asyncio
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from oddsdesk.server.answers import JSON, Headers, Reply
from oddsdesk.server.gate import GET, Endpoint, Gate, RequestContext
from oddsdesk.server.service import Service

OPENAPI_PATH = "/openapi.json"
DOCS_PATH = "/docs"
MOST_ADDRESSES: Final = 8
"""Documents that are kept: one for each address that people ask at."""

_POLICY = (
    b"content-security-policy",
    b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
)


class _Documentation(Gate):
    """Answers with a document that is made at the first request, so that no start waits for it."""

    content_type = JSON
    headers: Headers = ()

    def __init__(self, service: Service, endpoints: Sequence[Endpoint]) -> None:
        super().__init__(service)
        self._endpoints = endpoints
        self._made: dict[str, bytes] = {}
        """By the address that it says."""
        self._making = asyncio.Lock()

    async def reply(self, request: RequestContext) -> Reply:
        """Return the documentation to anyone."""
        if not request.has_method(GET):
            raise request.not_allowed(GET)
        address = self.address(request.scope)
        async with self._making:  # it is made once, however many ask meanwhile
            body = self._made.get(address)
            if body is None:
                if len(self._made) == MOST_ADDRESSES:
                    self._made.clear()
                body = self._made[address] = await asyncio.to_thread(self._make, address)
        return Reply(200, body, [*self.headers], self.content_type)

    def _document(self) -> dict[str, Any]:
        from oddsdesk.server.openapi import openapi_document  # noqa: PLC0415 - few starts need it

        return openapi_document(self._endpoints, self._service.base_url or "/")

    @abstractmethod
    def _make(self, address: str) -> bytes:
        """Return the document as it is for whom asks at an address."""


class OpenApiGate(_Documentation):
    """The OpenAPI document."""

    def _make(self, address: str) -> bytes:
        return msgspec.json.encode(self._document())


class DocsGate(_Documentation):
    """The page for people; its examples use the address that the request was sent to."""

    content_type = b"text/html; charset=utf-8"
    headers = (_POLICY,)

    def _make(self, address: str) -> bytes:
        from oddsdesk.server.docs_page import docs_page  # noqa: PLC0415 - few starts need it

        return docs_page(self._document(), address).encode()
