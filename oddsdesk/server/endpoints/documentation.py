"""GET /openapi.json and /docs: how to use the service, for programs and for people; no key."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import msgspec

from oddsdesk.server.answers import Reply
from oddsdesk.server.docs_page import docs_page
from oddsdesk.server.gate import GET, Endpoint, Gate, RequestContext
from oddsdesk.server.openapi import openapi_document
from oddsdesk.server.service import Service

OPENAPI_PATH = "/openapi.json"
DOCS_PATH = "/docs"

_POLICY = (
    b"content-security-policy",
    b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
)


class _Documentation(Gate):
    """Answers with a document that is made at the first request, so that no start waits for it."""

    def __init__(self, service: Service, endpoints: Sequence[Endpoint]) -> None:
        super().__init__(service)
        self._endpoints = endpoints

    @cached_property
    def _document(self) -> dict[str, Any]:
        return openapi_document(self._endpoints, self._service.base_url or "/")

    async def reply(self, request: RequestContext) -> Reply:
        """Return the documentation to anyone."""
        if not request.has_method(GET):
            raise request.not_allowed(GET)
        return self._shown(request)

    def _shown(self, request: RequestContext) -> Reply:
        raise NotImplementedError


class OpenApiGate(_Documentation):
    """The OpenAPI document."""

    def _shown(self, request: RequestContext) -> Reply:
        return Reply(200, msgspec.json.encode(self._document))


class DocsGate(_Documentation):
    """The page for people; its examples use the address that the request was sent to."""

    def _shown(self, request: RequestContext) -> Reply:
        page = docs_page(self._document, self.address(request.scope))
        return Reply(200, page.encode(), [_POLICY], content_type=b"text/html; charset=utf-8")
