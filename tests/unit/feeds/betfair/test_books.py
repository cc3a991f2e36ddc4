"""Betfair's books, as the stream changes them: equal to betfairlightweight's own."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.feeds.betfair.books import Book, Books, Runner
from oddsdesk.feeds.errors import FeedError

MARKET = "1.1"
HOME, DRAW, AWAY = 1, 3, 2
RUNNERS = [{"id": ident, "status": "ACTIVE"} for ident in (HOME, AWAY, DRAW)]
DEFINITION = {"status": "OPEN", "inPlay": False, "runners": RUNNERS}


def change(*runners: Any, **fields: Any) -> dict[str, Any]:
    return {"id": MARKET, "rc": list(runners)} | fields


def image(*runners: Any, **definition: Any) -> dict[str, Any]:
    return change(*runners, img=True, marketDefinition=DEFINITION | definition)


def message(*changes: Any, **fields: Any) -> bytes:
    return json.dumps({"op": "mcm", "pt": 1, "mc": list(changes)} | fields).encode()


def after(*messages: bytes) -> Books:
    books = Books()
    for line in messages:
        assert books.take_line(line).problems == []
    return books


def the_book(*messages: bytes) -> Book:
    book = after(*messages).book(MARKET)
    assert book is not None
    return book


def best(book: Book, ident: int = HOME) -> tuple[float | None, float | None]:
    return best_of(book.runners[ident, 0.0])


def best_of(runner: Runner) -> tuple[float | None, float | None]:
    return runner.best_back, next((price for price, _ in runner.lay), None)


def test_the_best_back_is_the_highest_and_the_best_lay_the_lowest() -> None:
    runner = {"id": HOME, "atb": [[2.0, 5], [2.2, 1]], "atl": [[2.6, 1], [2.4, 5]]}
    assert best(the_book(message(image(runner)))) == (2.2, 2.4)


def test_positions_are_changed_and_removed_one_by_one() -> None:
    first = image({"id": HOME, "batb": [[1, 2.0, 5], [0, 2.2, 1]], "batl": [[0, 2.4, 3]]})
    second = change({"id": HOME, "batb": [[0, 2.1, 4]], "batl": [[0, 0, 0]]})
    assert best(the_book(message(first), message(second))) == (2.1, None)
    third = change({"id": HOME, "batb": [[0, 2.1, 0]]})
    assert best(the_book(message(first), message(second), message(third))) == (2.0, None)


def test_an_image_takes_the_place_of_all_that_was_known() -> None:
    first = image({"id": HOME, "atb": [[2.2, 1]]}, {"id": AWAY, "atb": [[3.0, 1]]})
    book = the_book(message(first), message(image({"id": HOME, "atb": [[1.9, 1]]})))
    assert best(book) == (1.9, None)
    assert book.active()[AWAY, 0.0].best_back is None


def test_handicaps_of_one_team_are_runners_of_their_own() -> None:
    lines = [{"id": HOME, "hc": line, "atb": [[2 - line, 1]]} for line in (-0.5, 0.5)]
    book = the_book(message(image(*lines)))
    assert {line: runner.best_back for (_, line), runner in book.runners.items()} == {
        -0.5: 2.5,
        0.5: 1.5,
    }


def test_a_suspended_market_is_not_open_until_it_says_so() -> None:
    first = message(image({"id": HOME, "atb": [[2.2, 1]]}))
    stop = message(change(marketDefinition=DEFINITION | {"status": "SUSPENDED"}))
    go_on = message(change(marketDefinition=DEFINITION))
    assert the_book(first).is_open
    assert not the_book(first, stop).is_open
    assert the_book(first, stop, go_on).is_open


def test_a_removed_runner_is_not_active() -> None:
    runners = [RUNNERS[0] | {"status": "REMOVED"}, *RUNNERS[1:]]
    book = the_book(message(image({"id": HOME, "atb": [[2.2, 1]]}, runners=runners)))
    assert set(book.active()) == {(AWAY, 0.0), (DRAW, 0.0)}


def test_a_market_without_its_definition_is_not_open() -> None:
    assert not the_book(message(change({"id": HOME, "atb": [[2.2, 1]]}, img=True))).is_open


def test_a_heartbeat_changes_nothing_but_where_to_go_on() -> None:
    first = message(image(), ct="SUB_IMAGE", initialClk="a", clk="b")
    heartbeat = b'{"op":"mcm","id":2,"clk":"c","pt":1471370165625,"ct":"HEARTBEAT"}'
    books = after(first)
    assert books.resume == {"initialClk": "a", "clk": "b"}
    assert books.take_line(heartbeat).touched == set()
    assert books.resume == {"initialClk": "a", "clk": "c"}


def test_before_anything_came_there_is_nothing_to_resume() -> None:
    assert Books().resume == {}


def test_a_clock_that_is_not_taken_is_forgotten() -> None:
    books = after(message(image(), initialClk="a", clk="b"))
    status = {"op": "status", "statusCode": "FAILURE", "errorCode": "INVALID_CLOCK"}
    assert books.take_line(json.dumps(status).encode()).refused == "INVALID_CLOCK"
    assert books.resume == {}


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ({"op": "status", "statusCode": "SUCCESS"}, None),
        (
            {"op": "status", "statusCode": "FAILURE", "errorCode": "NOT_AUTHORIZED"},
            "NOT_AUTHORIZED",
        ),
        ({"op": "status", "statusCode": "FAILURE"}, "FAILURE"),
        ({"op": "connection", "connectionId": "x"}, None),
    ],
)
def test_refusals_are_told_by_their_code(line: dict[str, str], refused: str | None) -> None:
    taken = Books().take_line(json.dumps(line).encode())
    assert (taken.refused, taken.problems) == (refused, [])


def test_prices_are_late_for_as_long_as_the_stream_says_so() -> None:
    books = after(message(image()))
    assert not books.is_late
    books.take_line(b'{"op":"mcm","id":2,"status":503}')
    assert books.is_late
    books.take_line(message())
    assert not books.is_late


def test_a_delayed_key_is_known_by_how_long_prices_are_gathered() -> None:
    books = after(message(image(), conflateMs=180_000))
    books.take_line(message(change({"id": HOME, "atb": [[2.2, 1]]})))
    assert books.is_delayed(MARKET)


def test_conflated_changes_are_changes() -> None:
    first = message(image({"id": HOME, "batb": [[0, 2.2, 1]]}))
    again = message(change({"id": HOME, "batb": [[0, 2.3, 1]]}, con=True), ct="RESUB_DELTA")
    assert best(the_book(first, again)) == (2.3, None)


@pytest.mark.parametrize(
    ("broken", "field"),
    [
        ({"id": HOME, "batb": [[0, 2.2]]}, "batb"),
        ({"id": HOME, "atl": [[0, 2.2, 1]]}, "atl"),
        ({"id": HOME, "atb": [["dear", 1]]}, "atb"),
        ({"batb": []}, "id"),
    ],
)
def test_a_changed_shape_names_the_field_and_spoils_one_book_until_its_next_image(
    broken: dict[str, Any], field: str
) -> None:
    books = after(message(image({"id": HOME, "batb": [[0, 2.2, 1]]})))
    other = {"id": "1.2", "img": True, "marketDefinition": DEFINITION}
    taken = books.take_line(message(change(broken), other))
    (problem,) = taken.problems
    assert problem.startswith(f"market {MARKET}: ")
    assert field in problem
    assert taken.touched == {MARKET, "1.2"}
    spoilt, whole = books.book(MARKET), books.book("1.2")
    assert spoilt is not None
    assert whole is not None
    assert (spoilt.is_open, whole.is_open) == (False, True)
    books.take_line(message(image()))
    again = books.book(MARKET)
    assert again is not None
    assert again.is_open


@pytest.mark.parametrize("line", [b"", b"<html>", b"[]", b'{"op": 3}', b'{"op": "ocm"}'])
def test_a_line_that_is_no_message_is_a_problem(line: bytes) -> None:
    assert len(Books().take_line(line).problems) == 1


def asked(**fields: Any) -> dict[str, Any]:
    back = {"availableToBack": [{"price": 2.0, "size": 1}, {"price": 2.2, "size": 1}]}
    runner = {"selectionId": HOME, "status": "ACTIVE", "handicap": 0.0, "ex": back}
    heard = {"marketId": MARKET, "status": "OPEN", "inplay": True, "runners": [runner]}
    return heard | fields


def test_a_book_that_was_asked_for_is_one_as_well() -> None:
    books = Books()
    answer = {"jsonrpc": "2.0", "result": [{"marketId": 3}, asked(isMarketDataDelayed=True)]}
    taken = books.take_books(json.dumps(answer).encode())
    book = books.book(MARKET)
    assert book is not None
    assert (best(book), book.is_open, books.is_delayed(MARKET)) == ((2.2, None), True, True)
    assert len(taken.problems) == 1


@pytest.mark.parametrize(
    ("answer", "heard"),
    [
        ({"error": {"code": -32602, "message": "DSC-0018"}}, "DSC-0018"),
        (
            {"error": {"data": {"APINGException": {"errorCode": "INVALID_SESSION_INFORMATION"}}}},
            "INVALID_SESSION_INFORMATION",
        ),
        ({"result": {}}, "list of markets"),
    ],
)
def test_errors_of_answers_are_told(answer: Any, heard: str) -> None:
    with pytest.raises(FeedError, match=heard):
        Books().take_books(json.dumps(answer).encode())


Best = dict[str, dict[tuple[int, float], tuple[Any, ...]]]


def theirs(messages: list[dict[str, Any]]) -> Best:
    """Status, and the best prices of each runner, by betfairlightweight."""
    cache = pytest.importorskip("betfairlightweight.streaming.cache")
    books: dict[str, Any] = {}
    for each in messages:
        for heard in each.get("mc", []):
            if heard.get("img") or heard["id"] not in books:
                books[heard["id"]] = cache.MarketBookCache(
                    heard["id"], each["pt"], True, False, False
                )
            books[heard["id"]].update_cache(heard, each["pt"], True)
    return {
        ident: {
            (int(runner["selectionId"]), float(runner["handicap"])): (
                book.serialise["status"],
                *(
                    next((level["price"] for level in runner["ex"][side]), None)
                    for side in ("availableToBack", "availableToLay")
                ),
            )
            for runner in book.serialise["runners"]
        }
        for ident, book in books.items()
    }


def ours(messages: list[dict[str, Any]]) -> Best:
    """The same by ours."""
    return state(after(*(json.dumps(each).encode() for each in messages)), messages)


def state(books: Books, messages: list[dict[str, Any]]) -> Best:
    found: Best = {}
    for ident in {heard["id"] for each in messages for heard in each.get("mc", [])}:
        book = books.book(ident)
        assert book is not None
        status = None if book.definition is None else book.definition.status
        defined = [] if book.definition is None else book.definition.runners
        found[ident] = {(each.id, each.hc): (status, None, None) for each in defined}
        for runner, each in book.runners.items():
            found[ident][runner] = status, *best_of(each)
    return found


def recorded(shared_data: Path, name: str) -> list[dict[str, Any]]:
    text = (shared_data / "live" / "betfair" / name).read_text()
    if name.endswith(".json"):
        read = json.loads(text)
        return read if isinstance(read, list) else [read]
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(
    "names",
    [
        ("blw/BASIC-1.132153978",),
        ("blw/streaming_mcm_SUB_IMAGE_no_market_def.json",),
        ("blw/streaming_mcm_RESUB_DELTA.json",),
        (
            "blw/streaming_mcm_SUB_IMAGE.json",
            "blw/streaming_mcm_update.json",
            "blw/streaming_mcm_UPDATE_tv.json",
        ),
        ("nautilus/market_updates.json",),
        ("nautilus/mcm_BSP.json", "nautilus/mcm_BSP_settled.json"),
        ("nautilus/mcm_SUB_IMAGE.json",),
    ],
)
def test_recorded_markets_end_as_betfairlightweights_do(
    shared_data: Path, names: tuple[str, ...]
) -> None:
    messages = [each for name in names for each in recorded(shared_data, name)]
    assert ours(messages) == by_number(theirs(messages))


def by_number(found: Best) -> Best:
    """Runners of the recordings that write their numbers as texts."""
    return {
        ident: {(int(one), hc): each for (one, hc), each in runners.items()}
        for ident, runners in found.items()
    }


def test_the_recorded_market_cut_anywhere_and_resumed_equals_uncut(shared_data: Path) -> None:
    messages = recorded(shared_data, "blw/BASIC-1.132153978")
    messages[0]["initialClk"] = "as a stream has, and a file of the past has not"
    uncut = ours(messages)
    for cut in range(1, len(messages), 37):
        books = after(*(json.dumps(each).encode() for each in messages[:cut]))
        clks = [each["clk"] for each in messages]
        for each in messages[clks.index(books.resume["clk"]) + 1 :]:
            books.take_line(json.dumps(each | {"ct": "RESUB_DELTA"}).encode())
        assert state(books, messages) == uncut


PRICES = st.sampled_from([1.01, 1.5, 2.0, 2.02, 3.35, 1000.0])
SIZES = st.sampled_from([0, 0, 2.5, 100])
PAIRS = st.lists(st.tuples(PRICES, SIZES), max_size=3)
TRIPLES = st.lists(st.tuples(st.integers(0, 2), PRICES, SIZES), max_size=3)
CHANGES = st.fixed_dictionaries(
    {"id": st.sampled_from([HOME, DRAW, AWAY]), "hc": st.sampled_from([0, -0.5])},
    optional={"atb": PAIRS, "atl": PAIRS}
    | dict.fromkeys(("batb", "batl", "bdatb", "bdatl"), TRIPLES),
)
STREAMS = st.lists(st.tuples(st.booleans(), st.lists(CHANGES, max_size=4)), min_size=1, max_size=8)


def stream(drawn: list[tuple[bool, list[dict[str, Any]]]]) -> list[dict[str, Any]]:
    return [
        {
            "op": "mcm",
            "pt": at,
            "initialClk": "i",
            "clk": str(at),
            "mc": [image(*changes) if is_image or at == 0 else change(*changes)],
        }
        for at, (is_image, changes) in enumerate(json.loads(json.dumps(drawn)))
    ]


@given(drawn=STREAMS)
def test_any_stream_ends_as_betfairlightweights_does(drawn: Any) -> None:
    messages = stream(drawn)
    assert ours(messages) == theirs(messages)


@given(drawn=STREAMS, data=st.data())
def test_any_stream_cut_and_resumed_equals_uncut(drawn: Any, data: st.DataObject) -> None:
    messages = stream(drawn)
    cut = data.draw(st.integers(0, len(messages)))
    books = after(*(json.dumps(each).encode() for each in messages[:cut]))
    at = int(books.resume.get("clk", -1))
    for each in messages[at + 1 :]:
        books.take_line(json.dumps(each | {"ct": "RESUB_DELTA"}).encode())
    assert state(books, messages) == ours(messages)


def test_the_levels_of_positions_are_the_best_first() -> None:
    first = image({"id": HOME, "batb": [[1, 2.0, 5], [0, 2.2, 1], [2, 1.9, 7]]})
    runner = the_book(message(first)).runners[HOME, 0.0]
    assert runner.back == ((2.2, 1.0), (2.0, 5.0), (1.9, 7.0))
    moved = change({"id": HOME, "batb": [[1, 2.0, 0.5]]})
    runner = the_book(message(first), message(moved)).runners[HOME, 0.0]
    assert runner.back == ((2.2, 1.0), (2.0, 0.5), (1.9, 7.0))
