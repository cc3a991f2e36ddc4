"""The envelope and the Error object as they stand on the wire."""

import json

import pytest

from oddsdesk.contract.errors import ErrorCode
from oddsdesk.server.answers import Bare, Payload, Refusal, encode, encode_data, refuse


def test_meta_holds_what_an_answer_has() -> None:
    """service.md, Response envelope; D14."""
    assert json.loads(encode(Payload({}), 7).body)["meta"] == {"rate_limit_remaining": 7}
    assert json.loads(encode(Payload([], 0), 7).body)["meta"] == {
        "rate_limit_remaining": 7,
        "count": 0,
    }
    assert json.loads(encode(Payload([], 0, "c"), 7).body)["meta"]["next_cursor"] == "c"


def test_kept_data_stands_in_the_envelope_as_it_was() -> None:
    data = [{"name": "Ç", "odds": 1.5}]
    assert json.loads(encode(Payload(encode_data(data)), 7).body)["data"] == data


def test_what_is_bare_has_no_envelope() -> None:
    reply = encode(Bare({"status": "unavailable"}, 503), 7)
    assert (reply.status, json.loads(reply.body)) == (503, {"status": "unavailable"})


@pytest.mark.parametrize("code", ErrorCode)
def test_an_upgrade_stands_on_403_only(code: ErrorCode) -> None:
    """D21."""
    reply = refuse(Refusal(code, "why", [(b"allow", b"GET")]), "https://here")
    assert reply.status == code.status
    assert reply.headers == [(b"allow", b"GET")]
    error = json.loads(reply.body)["error"]
    assert error["code"] == code.value
    assert error.get("upgrade_url") == ("https://here" if code.status == 403 else None)
    assert ("upgrade_url" in error) == (code.status == 403)
