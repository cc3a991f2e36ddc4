"""The envelope and the Error object as they stand on the wire."""

import json
import uuid
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.contract.access import ErrorCode
from oddsdesk.server.rest import (
    BadParameterError,
    Bare,
    Payload,
    Refusal,
    Wanted,
    boolean,
    encode,
    encode_bare,
    encode_data,
    game_id,
    integer,
    market_type,
    number,
    read_query,
    read_uuid,
    refuse,
    sport_parameter,
    text_parameter,
)

WANTED = Wanted(is_table=False, packs=False, unless=b"", whose=())


def said_of(payload: Payload) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(encode(payload, 7, Any, WANTED).body)
    return said


def test_meta_holds_what_an_answer_has() -> None:
    """service.md, Response envelope; D14."""
    assert said_of(Payload({}))["meta"] == {"rate_limit_remaining": 7}
    assert said_of(Payload([], 0))["meta"] == {"rate_limit_remaining": 7, "count": 0}
    assert said_of(Payload([], 0, "c"))["meta"]["next_cursor"] == "c"


def test_kept_data_stands_in_the_envelope_as_it_was() -> None:
    data = [{"name": "Ç", "odds": 1.5}]
    assert said_of(Payload(encode_data(data)))["data"] == data


def test_what_is_bare_has_no_envelope() -> None:
    reply = encode_bare(Bare({"status": "unavailable"}, 503))
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


EVERY = [
    sport_parameter(),
    text_parameter("bookmaker"),
    market_type(),
    boolean("is_live"),
    integer("limit", "", 100, minimum=1, maximum=500),
    number("min_ev", "", 1.0, minimum=0, maximum=20),
    game_id(),
]


def read_or_refuse(query: bytes) -> tuple[dict[str, Any], str]:
    """Return the values, or why there are none."""
    try:
        return read_query(query, EVERY), ""
    except BadParameterError as error:
        return {}, str(error)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(query: bytes) -> None:
    names = {each.name for each in EVERY}
    values, refusal = read_or_refuse(query)
    assert set(values) == names or refusal.partition(": ")[0] in names | {"query"}


@given(
    st.sampled_from([each.name for each in EVERY]), st.text(max_size=300), st.sampled_from("=&+%")
)
def test_any_value_of_a_parameter_is_read_or_refused(name: str, value: str, mark: str) -> None:
    raw = f"{name}={value}{mark}".encode("utf-8", "surrogatepass")
    _, refusal = read_or_refuse(raw)
    assert len(refusal.encode()) < 600


@given(st.text(min_size=1).filter(lambda name: not any("\ud800" <= c <= "\udfff" for c in name)))
def test_a_name_arrives_as_it_was_sent(name: str) -> None:
    query = f"bookmaker={quote(name, safe='')}".encode()
    assert read_query(query, EVERY)["bookmaker"] == name


@given(st.integers())
def test_whole_numbers_are_read_within_their_bounds(value: int) -> None:
    query = f"limit={value}".encode()
    if 1 <= value <= 500:
        assert read_query(query, EVERY)["limit"] == value
    else:
        with pytest.raises(BadParameterError, match="limit: expected a whole number from 1 to 500"):
            read_query(query, EVERY)


@given(st.decimals(0, 20, places=4))
def test_decimal_numbers_are_read(value: object) -> None:
    assert read_query(f"min_ev={value}".encode(), EVERY)["min_ev"] == float(str(value))


def test_what_is_absent_has_its_default() -> None:
    assert read_query(b"", EVERY) == {
        "sport": None,
        "bookmaker": None,
        "market_type": None,
        "is_live": None,
        "limit": 100,
        "min_ev": 1.0,
        "game_id": None,
    }


def test_a_sport_is_read_in_its_own_case() -> None:
    assert read_query(b"sport=AMERICANfootball", EVERY)["sport"] == "AmericanFootball"
    assert read_query(b"sport=Quidditch", EVERY)["sport"] == "Quidditch"


@given(st.uuids())
def test_a_uuid_is_read_in_either_case_with_or_without_dashes(value: uuid.UUID) -> None:
    """D38."""
    for written in (str(value), value.hex, str(value).upper(), value.hex.upper()):
        assert read_uuid(written) == str(value)
    with pytest.raises(ValueError, match="not a UUID"):
        read_uuid(f"{{{value}}}")
