"""GET /asyncapi.json: the stream's description, and what a real stream sends."""

import json
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.contract.resources import Offer, PriceMessage
from oddsdesk.server.endpoints.asyncapi import asyncapi_document
from tests.kit.live_service import LiveService

jsonschema = pytest.importorskip("jsonschema")

pytestmark = pytest.mark.one_engine


@pytest.fixture
async def service(tmp_path: Path):
    made = LiveService(tmp_path / "odds.db")
    await made.start()
    yield made
    await made.stop()


async def described(service: LiveService) -> dict[str, Any]:
    answer = await service.http.get("/asyncapi.json")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    document: dict[str, Any] = answer.json()
    return document


def validator(document: dict[str, Any], message: str) -> Any:
    payload = document["components"]["messages"][message]["payload"]
    schema = {**payload, "components": document["components"]}
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


async def test_every_message_of_a_stream_is_as_described(
    service: LiveService, listening: Any
) -> None:
    document = await described(service)
    price = validator(document, "price")
    offer = Offer(back=((2.1, 50.0),), lay=((2.14, 20.0),), currency="EUR")
    stream = await service.stream()
    await service.record(service.quote())
    await service.record(service.quote(bookmaker="Pinnacle", liquidity=500.0))
    await service.record(service.quote(bookmaker="Exchange", offers={"Arsenal": offer}))
    messages = await listening.all_before_pong(stream)
    while len(messages) < 9:
        messages += await listening.all_before_pong(stream)
    for each in messages:
        price.validate(each)
    fields = set[str]().union(*messages)
    assert fields >= {"liquidity", "offer"}
    assert fields <= set(document["components"]["schemas"]["PriceMessage"]["properties"])
    with pytest.raises(jsonschema.ValidationError):
        price.validate({**messages[0], "odds": "2.1"})
    without = {name: each for name, each in messages[0].items() if name != "odds"}
    with pytest.raises(jsonschema.ValidationError):
        price.validate(without)
    broken = {**messages[0], "offer": {"back": [[2.1, 50.0, 1.0]]}}
    with pytest.raises(jsonschema.ValidationError):
        price.validate(broken)
    validator(document, "pong").validate("pong")
    validator(document, "ping").validate("ping")
    await stream.close()


async def test_examples_fit_and_references_lead_somewhere(service: LiveService) -> None:
    document = await described(service)
    for name, message in document["components"]["messages"].items():
        for example in message.get("examples", ()):
            validator(document, name).validate(example["payload"])
    text, found = json.dumps(document), 0
    for reference in {each.split('"')[0] for each in text.split('"$ref": "')[1:]}:
        node: Any = document
        for part in reference.removeprefix("#/").split("/"):
            node = node[part]
        found += 1
    assert found >= 8


async def test_it_names_every_parameter_code_and_field(service: LiveService) -> None:
    document = await described(service)
    channel = document["channels"]["stream"]
    query = channel["bindings"]["ws"]["query"]
    assert channel["address"] == "/api/stream"
    assert set(query["properties"]) == {"token", "sport", "competition", "bookmaker", "game_id"}
    assert query["required"] == ["token"]
    assert all(each["description"] for each in query["properties"].values())
    for code in (1000, 1001, 1003, 1007, 1009, 1013, 4000, 4001, 4003, 4008, 4029):
        assert str(code) in channel["description"]
    fields = document["components"]["schemas"]["PriceMessage"]["properties"]
    assert list(fields) == list(PriceMessage.__struct_fields__)


@pytest.mark.parametrize(
    ("address", "server"),
    [
        ("http://127.0.0.1:8765", {"host": "127.0.0.1:8765", "protocol": "ws"}),
        ("https://odds.example.org", {"host": "odds.example.org", "protocol": "wss"}),
        (
            "https://example.org/odds",
            {"host": "example.org", "protocol": "wss", "pathname": "/odds"},
        ),
    ],
)
def test_its_server_is_the_public_address(address: str, server: dict[str, str]) -> None:
    assert asyncapi_document(address)["servers"] == {"service": server}
