import json
import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.contract.quotes import (
    UNNAMED,
    BadQuoteError,
    Offer,
    Quote,
    bad_part_words,
    check_quote,
    odds_row,
    parse_quote,
    quote_line,
)
from oddsdesk.contract.times import format_ms, parse_ms

NOW = parse_ms("2026-11-20T18:30:00.000Z")
LINE = {
    "bookmaker": "bwin",
    "match_name": "Arsenal vs Chelsea",
    "competition": "EPL",
    "market_type": "moneyline",
    "period": 0,
    "odds": {"Arsenal": 2.05, "Draw": 3.5, "Chelsea": 3},
    "scraped_at": "2026-11-20T19:29:58.250+01:00",
}


def line(**fields: object) -> str:
    return json.dumps({**LINE, **fields})


def refusal(text: str | bytes) -> str:
    with pytest.raises(BadQuoteError) as refused:
        parse_quote(text, NOW)
    assert len(str(refused.value)) < 300
    return str(refused.value)


def dropped(text: str) -> str:
    """Return why a part of a line was left out; check that its prices are kept."""
    quote = parse_quote(text, NOW)
    said = json.loads(text, object_pairs_hook=dict)["odds"]
    assert quote.odds == said
    assert quote.unread is None
    assert (quote.url, quote.liquidity, quote.offers) == (None, None, None)
    [reason] = quote.dropped
    assert bad_part_words(quote) == reason
    assert len(reason) < 300
    return reason


def test_a_line_becomes_a_quote_with_what_it_leaves_out_filled_in() -> None:
    quote = parse_quote(line(), NOW)
    assert quote == Quote(
        bookmaker="bwin",
        match_name="Arsenal vs Chelsea",
        competition="EPL",
        market_type="moneyline",
        period=0,
        odds={"Arsenal": 2.05, "Draw": 3.5, "Chelsea": 3.0},
        scraped_at=NOW - 1_750,
        is_live=False,
        match_date=None,
        url=None,
        liquidity=None,
    )
    assert list(quote.odds) == ["Arsenal", "Draw", "Chelsea"]


def test_bytes_are_read_as_utf_8() -> None:
    quote = parse_quote(line(bookmaker="Köln").encode(), NOW)
    assert quote.bookmaker == "Köln"


def test_names_are_stored_in_their_folded_form() -> None:
    quote = parse_quote(
        line(bookmaker=" Be\u0301tclic ", match_name="A  vs\tB", odds={" A\u00a0 +1 ": 2.0}), NOW
    )
    assert (quote.bookmaker, quote.match_name, list(quote.odds)) == ("Bétclic", "A vs B", ["A +1"])


@pytest.mark.parametrize(
    ("market_type", "said", "stored"),
    [
        ("spread", "Schalke 04 \N{MINUS SIGN}0.5", "Schalke 04 -0.5"),
        ("spread", "Schalke 04 -0,5", "Schalke 04 -0.5"),
        ("games_handicap", "A +1.50", "A +1.5"),
        ("3way_handicap", "Draw -1.0", "Draw -1"),
        ("spread", "A 0.0", "A 0"),
        ("total", "Over 2,25", "Over 2.25"),
        ("total", "Over 20", "Over 20"),
        ("spread", "A -0.3", "A -0.3"),
        ("player_prop", "B Over 1,000", "B Over 1,000"),
        ("moneyline", "Schalke 0,50", "Schalke 0,50"),
    ],
)
def test_a_line_has_one_spelling(market_type: str, said: str, stored: str) -> None:
    quote = Quote("A", "A vs B", "EPL", market_type, 0, {said: 2.0}, NOW, offers={said: Offer("1")})
    checked = check_quote(quote, NOW)
    assert (list(checked.odds), list(checked.offers or ())) == ([stored], [stored])


def test_no_odds_withdraw_the_market() -> None:
    assert parse_quote(line(odds={}), NOW).odds == {}


def test_a_line_may_tell_the_sport_of_a_competition_that_the_table_lacks() -> None:
    told = parse_quote(line(competition="Friendlies", sport="Soccer"), NOW)
    row = odds_row(told)
    assert (told.sport, row.sport, row.source_sport) == ("Football", "Other", "Football")
    assert parse_quote(quote_line(told), NOW) == told
    assert parse_quote(line(competition="Friendlies", sport="Curling"), NOW).sport is None
    assert "source_sport" not in json.loads(quote_line(parse_quote(line(), NOW)))


def test_the_contracts_table_comes_before_what_a_line_says_of_the_sport() -> None:
    assert odds_row(parse_quote(line(sport="Curling"), NOW)).sport == "Football"
    assert parse_quote(line(sport=5, unheard_of=[1]), NOW) == parse_quote(line(), NOW)


names = st.text("abc é'-.&+/", min_size=1).filter(lambda name: any(map(str.isalnum, name)))
quotes = st.builds(
    Quote,
    bookmaker=names,
    match_name=names.map("1 {}".format),
    competition=names,
    market_type=st.sampled_from(MARKET_TYPES),
    period=st.integers(0, 9),
    odds=st.dictionaries(names.map(str.split).map(" ".join), st.floats(1.001, 1e5), max_size=4),
    scraped_at=st.integers(0, NOW),
    is_live=st.booleans(),
    match_date=st.none() | st.integers(0, NOW * 2),
    url=st.none() | st.just("https://example.org/?a=b#c"),
    liquidity=st.none() | st.floats(0, 1e9),
)


@given(quotes)
def test_what_the_service_answers_can_be_ingested_again(quote: Quote) -> None:
    stored = check_quote(quote, NOW)
    wire = msgspec.json.encode(odds_row(stored))
    assert parse_quote(wire, NOW) == stored
    assert check_quote(stored, NOW) == stored


@given(quotes, st.none() | st.builds("{}:{}".format, names, names))
def test_a_line_that_is_written_is_read_back_whole(quote: Quote, event: str | None) -> None:
    stored = check_quote(msgspec.structs.replace(quote, event=event), NOW)
    assert parse_quote(quote_line(stored), NOW) == stored


@pytest.mark.parametrize("field", sorted(LINE))
def test_a_missing_field_is_named(field: str) -> None:
    text = json.dumps({key: value for key, value in LINE.items() if key != field})
    assert refusal(text) == f"{field} is missing"


@pytest.mark.parametrize("field", sorted(LINE))
def test_a_field_of_another_type_is_named(field: str) -> None:
    for wrong in (None, True, [1]):
        assert refusal(line(**{field: wrong})).startswith((f"{field}: ", f"{field}, "))


DISABLED = ["0", "0.0", "-0", "1", "1.0", "null"]
SENSELESS = ["0.5", "-2.5", "100000.5", "true", '"2.05"', '"SUSP"', "[]", '{"a": 1}', "NaN"]
SENSELESS += ["-Infinity", "1e999", "-1e999", "9" * 5000]


@pytest.mark.parametrize("price", DISABLED)
def test_a_disabled_selection_is_withdrawn_and_the_rest_is_kept(price: str) -> None:
    quote = parse_quote(line().replace("2.05", price), NOW)
    assert (quote.odds, quote.unread) == ({"Draw": 3.5, "Chelsea": 3.0}, None)


@pytest.mark.parametrize("price", SENSELESS)
def test_odds_that_make_no_sense_cost_only_themselves(price: str) -> None:
    """D4: above 1. Such a selection is not withdrawn: nobody said that it is not offered."""
    text = line().replace("2.05", price)
    for each in (text, text.encode()):
        quote = parse_quote(each, NOW)
        assert quote.odds == {"Draw": 3.5, "Chelsea": 3.0}
        assert list(quote.unread or ()) == ["Arsenal"]
        assert quote.unread is not None
        assert "expected a number above 1" in quote.unread["Arsenal"]
        assert len(quote.unread["Arsenal"]) < 200


@pytest.mark.parametrize("price", SENSELESS)
def test_a_line_without_any_odds_that_make_sense_is_refused(price: str) -> None:
    text = line(odds={"Arsenal": 2.05}).replace("2.05", price)
    assert "expected a number above 1, at most 100,000, for 'Arsenal'" in refusal(text)


@pytest.mark.parametrize("price", ["+2", "2.", "0x2", "NULL"])
def test_numbers_that_json_does_not_have_are_refused(price: str) -> None:
    """D4. Python writes NaN and Infinity; it writes none of these."""
    assert "this is not JSON" in refusal(line().replace("2.05", price))


def test_a_fault_elsewhere_in_a_line_with_bad_odds_is_named() -> None:
    text = line(period=-1).replace("2.05", "NaN")
    assert refusal(text).startswith("period: expected 0 to 1000")
    assert refusal(line(period="0").replace("2.05", "NaN")).startswith("period: expected a whole")
    assert refusal(line(odds=[1.5])).startswith("odds: ")


cells = st.dictionaries(
    st.sampled_from([f"{side} {number}.5" for side in ("Over", "Under") for number in range(4)]),
    st.sampled_from(["2.05", "100000", "1.001", *DISABLED, *SENSELESS]),
    min_size=1,
)


@given(cells, st.booleans())
def test_each_selection_is_read_withdrawn_or_left_by_its_own_odds(
    said: dict[str, str], is_simple: bool
) -> None:
    """What one selection says bears on no other, however the line is read."""
    text = line(market_type="total", odds={"@": 0}).replace(
        '"@": 0', ", ".join(f'"{name}": {price}' for name, price in said.items())
    )
    good = {name: float(price) for name, price in said.items() if price in ("2.05", "100000")}
    good |= {name: 1.001 for name, price in said.items() if price == "1.001"}
    bad = {name for name, price in said.items() if price in SENSELESS}
    if len(bad) == len(said):
        refusal(text)
        return
    quote = parse_quote(text if is_simple else text.encode(), NOW)
    assert (quote.odds, set(quote.unread or ())) == (good, bad)
    again = check_quote(quote, NOW)
    assert again == quote
    if good:
        written = parse_quote(quote_line(quote), NOW)
        assert (written.odds, set(written.unread or ())) == (good, bad)


@pytest.mark.parametrize("price", [math.nan, math.inf, 0.5, -1.0, 1e9])
def test_an_importers_quote_is_checked_alike(price: float) -> None:
    quote = msgspec.structs.replace(parse_quote(line(), NOW), odds={"Arsenal": price, "Draw": 3.5})
    checked = check_quote(quote, NOW)
    assert checked.odds == {"Draw": 3.5}
    assert checked.unread == {
        "Arsenal": f"odds: expected a number above 1, at most 100,000, for 'Arsenal', got {price}"
    }


@pytest.mark.parametrize(
    ("competition", "price", "kept"),
    [
        ("NHL", "0", {}),
        ("NHL", "NaN", None),
        ("EPL", "0", {"Arsenal": 2.05, "Chelsea": 3.0}),
        ("EPL", "NaN", {"Arsenal": 2.05, "Chelsea": 3.0}),
    ],
)
def test_a_game_with_a_draw_never_loses_only_its_draw(
    competition: str, price: str, kept: dict[str, float] | None
) -> None:
    """What is left would look like a bet with overtime, but in football, where it never is."""
    text = line(competition=competition).replace("3.5", price)
    if kept is None:
        assert "for 'Draw'" in refusal(text)
    else:
        assert parse_quote(text, NOW).odds == kept


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"market_type": "Moneyline"}, ["market_type", "'Moneyline'"]),
        ({"market_type": ""}, ["market_type", "''"]),
        ({"period": -1}, ["period", "0 to 1000", "-1"]),
        ({"period": 1001}, ["period", "1001"]),
        ({"period": 10**30}, ["period"]),
        ({"period": 0.5}, ["period: expected a whole number"]),
        ({"bookmaker": " \t "}, ["bookmaker", "expected a name"]),
        ({"match_name": ""}, ["match_name", "expected a name"]),
        ({"competition": "E\x00PL"}, ["competition", r"'E\x00PL'"]),
        ({"odds": {"": 2.0}}, ["odds", "expected a name"]),
        ({"odds": {"A": 2.0, " A ": 2.1}}, ["odds", "'A' is given twice"]),
        ({"is_live": 1}, ["is_live: expected true or false"]),
        ({"odds": {"A": 100_000.5}}, ["odds", "at most 100,000", "100000.5"]),
        ({"odds": {"-": 2.0}}, ["odds", "expected a name", "'-'"]),
        ({"bookmaker": "..."}, ["bookmaker", "expected a name"]),
        ({"match_name": "-"}, ["match_name", "expected a name"]),
        ({"match_name": "PSG - psg"}, ["match_name", "two teams", "'PSG - psg'"]),
        ({"match_name": "PSG @ PSG (2026-05-01)"}, ["match_name", "two teams"]),
        ({"match_date": "0001-01-01T00:00:00Z"}, ["match_date", "1900 to 2199", "0001"]),
        ({"match_date": "2200-01-01T00:00:00Z"}, ["match_date", "1900 to 2199", "2200"]),
        ({"match_date": "9999-12-31T23:59:59Z"}, ["match_date", "9999"]),
        ({"scraped_at": "1899-12-31T23:59:59Z"}, ["scraped_at", "1900 to 2199"]),
        ({"event": "4711"}, ["event", "SOURCE:ID", "'4711'"]),
        ({"event": ":4711"}, ["event", "SOURCE:ID"]),
        ({"event": "source:"}, ["event", "SOURCE:ID"]),
        ({"match_date": "2026-11-21"}, ["match_date", "ISO-8601", "'2026-11-21'"]),
        ({"match_date": "2026-11-21T20:00:00"}, ["match_date", "needs an offset"]),
        ({"scraped_at": "yesterday"}, ["scraped_at", "'yesterday'"]),
        ({"scraped_at": "9999-12-31T23:59:59-12:00"}, ["scraped_at", "9999"]),
    ],
)
def test_the_field_and_what_was_expected_are_named(
    fields: dict[str, object], words: list[str]
) -> None:
    message = refusal(line(**fields))
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("once", "twice", "key"),
    [
        ('"odds":', '"odds": {"Arsenal": 9}, "odds":', "odds"),
        ('"period": 0', '"period": 0, "period": 1', "period"),
        ('"period": 0', '"period": 0, "more": {"a": 1, "a": 2}', "a"),
    ],
)
def test_what_is_given_twice_is_refused(once: str, twice: str, key: str) -> None:
    """Which of two prices holds is nobody's to guess."""
    assert once in line()
    text = line().replace(once, twice)
    assert refusal(text) == refusal(text.encode()) == f"'{key}' is given twice"


@pytest.mark.parametrize(
    "twice", ['"Draw": 3.5, "Draw": 50', '"Draw" : 3.5 , "Draw" : 50', '"Draw":3.5,"Dr\\u0061w":50']
)
def test_of_odds_that_are_given_twice_neither_is_read(twice: str) -> None:
    text = line().replace('"Draw": 3.5', twice)
    for each in (text, text.encode()):
        quote = parse_quote(each, NOW)
        assert quote.odds == {"Arsenal": 2.05, "Chelsea": 3.0}
        assert quote.unread == {"Draw": "odds: 'Draw' is given twice"}


def test_what_only_looks_like_a_key_is_none() -> None:
    names = {'A ":': 2.0, '":": "B': 3.0}
    for written in (line(odds=names), line(odds=names).replace(":", " : ", 3)):
        assert list(parse_quote(written, NOW).odds) == list(names)
    big = line(more=[1.5, {"": {"": "9" * 9}}]).replace('"999999999"', "9" * 6_000)
    assert parse_quote(big, NOW) == parse_quote(line(), NOW)


@pytest.mark.parametrize(
    "fields",
    [
        {"odds": {"A": 100_000}, "liquidity": 1e12},
        {"match_date": "1900-01-01T00:00:00Z"},
        {"match_date": "2199-12-31T23:59:59.999Z"},
        {"match_name": "Inter - Inter Miami", "odds": {"1": 3.0}},
        {"match_name": "Wimbledon 2026"},
    ],
)
def test_what_is_just_within_the_bounds_is_taken(fields: dict[str, object]) -> None:
    assert parse_quote(line(**fields), NOW)


def test_the_clock_may_be_five_minutes_behind_and_no_more() -> None:
    limit = NOW + 5 * 60_000
    assert parse_quote(line(scraped_at=format_ms(limit)), NOW).scraped_at == limit
    message = refusal(line(scraped_at=format_ms(limit + 1)))
    assert message == "scraped_at: 2026-11-20T18:35:00.001Z lies more than 5 minutes ahead"


def test_what_stands_next_to_prices_is_read_and_written_again() -> None:
    """F6.5: ids, limits and bet slips of selections, through `import --to` and `ingest`."""
    link = "https://book.example/slip?a=1"
    told = {"Arsenal": {"sid": "a1", "bet_limit": 250, "link": link}, " Draw ": {"sid": "d"}}
    quote = parse_quote(line(offers=told), NOW)
    assert quote.offers == {"Arsenal": Offer("a1", 250.0, link), "Draw": Offer("d")}
    assert parse_quote(quote_line(quote), NOW) == quote
    assert "offers" not in json.loads(quote_line(msgspec.structs.replace(quote, offers=None)))


@pytest.mark.parametrize(
    ("offer", "expected"),
    [
        ({"bet_limit": 0}, "above 0"),
        ({"bet_limit": "many"}, "offers"),
        ({"sid": ""}, "a name"),
        ({"link": "javascript:alert(1)"}, "http or https"),
        (3, "offers"),
    ],
)
def test_a_bad_offer_is_left_out_and_the_price_kept(offer: object, expected: str) -> None:
    said = dropped(line(offers={"Arsenal": offer}))
    assert "offers" in said
    assert expected in said


@pytest.mark.parametrize("url", ["https://example.org/a b?x=é", "HTTP://EXAMPLE.ORG:8080"])
def test_links_to_the_web_are_kept(url: str) -> None:
    assert parse_quote(line(url=url), NOW).url == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ftp://example.org",
        "//example.org",
        "https://",
        "https://:80/",
        "http://[",
        "http://example.org:99999/",
        "https://exam ple.org/",
        "https://example.org/\n",
    ],
)
def test_links_to_anything_else_are_left_out(url: str) -> None:
    assert "url: expected an http or https address" in dropped(line(url=url))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"liquidity": -1}, "liquidity: expected 0 or more, at most 1e12, got -1"),
        ({"liquidity": 1e308}, "liquidity: expected 0 or more, at most 1e12, got 1e+308"),
        ({"liquidity": math.nan}, "liquidity: expected a number, got 'nan'"),
        ({"liquidity": "500"}, "liquidity: expected a number, got '500'"),
        ({"liquidity": True}, "liquidity: expected a number, got 'True'"),
        ({"url": 5}, "url: expected a text, got '5'"),
        ({"offers": [5]}, "offers: expected an object, got '[5]'"),
        ({"offers": {"Draw": {"bet_limit": math.inf}}}, "offers: 'Draw': expected numbers, got"),
        ({"offers": {"Draw": {"lay": [[math.nan, 1]]}}}, "offers: 'Draw': expected numbers, got"),
    ],
)
def test_a_bad_limit_link_or_offer_costs_nothing_but_itself(
    fields: dict[str, object], words: str
) -> None:
    assert words in dropped(line(**fields))


def test_of_offers_the_good_ones_are_kept() -> None:
    told = {"Arsenal": {"sid": "a"}, "Draw": {"bet_limit": "x"}, "Chelsea": {"link": "ftp://a.b"}}
    quote = parse_quote(line(offers=told, liquidity=500, url="https://a.example/"), NOW)
    assert quote.offers == {"Arsenal": Offer("a")}
    assert (quote.liquidity, quote.url) == (500, "https://a.example/")
    assert len(quote.dropped) == 2
    twice = line().replace("{", '{"offers": {"Draw": {"sid": "1"}, "Draw": {}}, ', 1)
    assert dropped(twice) == "offers: 'Draw' is given twice"


def test_bad_odds_and_a_bad_limit_are_reported_together() -> None:
    quote = parse_quote(line(odds={"A": 2.0, "B": "x"}, liquidity="much"), NOW)
    assert quote.odds == {"A": 2.0}
    assert quote.unread is not None
    assert bad_part_words(quote).endswith("(and 1 more)")


def test_an_outcome_without_a_readable_name_withdraws_nothing() -> None:
    """It may be any outcome; those named as not offered are still withdrawn."""
    quote = parse_quote(line(odds={"Arsenal": 2.0, "Draw": None, "\u202e": 3.0}), NOW)
    assert quote.odds == {"Arsenal": 2.0}
    assert set(quote.unread or {}) == {UNNAMED}
    assert [quote.stays(name) for name in ("Arsenal", "Draw", "Chelsea")] == [False, False, True]
    written = parse_quote(quote_line(quote), NOW)
    assert (written.odds, set(written.unread or {})) == (quote.odds, {UNNAMED})
    assert written.gone == quote.gone == ("Draw",)
    assert check_quote(quote, NOW) == quote


@pytest.mark.parametrize(
    ("odds", "kept"),
    [
        ({"Arsenal": 2.0, "Chelsea": 3.0, "-": 3.5}, set()),
        ({"Arsenal": 2.0, "-": 3.0}, {"Arsenal"}),
    ],
)
def test_both_teams_and_an_outcome_without_a_name_may_lack_the_draw(
    odds: dict[str, float], kept: set[str]
) -> None:
    """Two teams alone would look like a bet with overtime."""
    quote = Quote("b", "Arsenal vs Chelsea", "NHL", "moneyline", 0, odds, scraped_at=NOW)
    checked = check_quote(quote, NOW)
    assert set(checked.odds) == kept
    assert all(checked.stays(name) for name in ({"Arsenal", "Chelsea", "Draw"} - kept))


@pytest.mark.parametrize(
    "text", ["", "{", "null", "[]", "5", '{"bookmaker": ', "\ufeff{}", line() + "}", line() * 2]
)
def test_a_line_that_is_no_object_is_refused(text: str) -> None:
    assert refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        line().replace("bwin", "\\ud800"),
        line().replace("bwin", "\ud800"),
        line().encode().replace(b"bwin", b"bw\xefn"),
    ],
)
def test_text_that_cannot_be_encoded_is_refused(text: str | bytes) -> None:
    message = refusal(text)
    assert "UTF-8" in message or "surrogate" in message


def test_half_surrogates_of_importers_are_refused() -> None:
    quote = msgspec.structs.replace(parse_quote(line(), NOW), bookmaker="bw\udcefn")
    with pytest.raises(BadQuoteError, match="bookmaker: expected a name"):
        check_quote(quote, NOW)


@pytest.mark.parametrize("field", ["bookmaker", "match_name", "competition"])
def test_a_name_of_more_than_200_characters_is_refused(field: str) -> None:
    kept = "é" * 200
    assert getattr(parse_quote(line(**{field: kept}), NOW), field) == kept
    said = refusal(line(**{field: "é" * 70_000}))
    assert f"{field}: expected a name of at most 200 characters, got 70,000" in said
    assert len(said) < 300


def test_a_selection_or_link_that_is_too_long_is_not_taken() -> None:
    assert "odds: expected a name of at most 200" in refusal(line(odds={"x" * 201: 2.0}))
    link = "https://b.example/"
    assert parse_quote(line(url=link.ljust(2_048, "x")), NOW).url is not None
    assert "url: expected at most 2,048 characters" in dropped(line(url=link.ljust(2_049, "x")))


@pytest.mark.parametrize("mark", ["\u202e", "\u2066", "\u200b\u202a"])
def test_a_name_that_turns_the_text_around_it_is_refused(mark: str) -> None:
    assert "bookmaker: expected a name" in refusal(line(bookmaker=f"bw{mark}in"))


def test_deep_and_long_lines_are_refused_in_a_short_message() -> None:
    assert "nested too deeply" in refusal(line(more=0).replace(": 0}", ": " + "[" * 100_000))
    refusal(line(odds={"x" * 100_000: 0.5}))
    refusal(line(market_type="x" * 100_000))
    dropped(line(url="x" * 100_000))


@given(st.binary(max_size=60) | st.text(max_size=60))
def test_nothing_but_a_refusal_comes_of_noise(text: str | bytes) -> None:
    with pytest.raises(BadQuoteError):
        parse_quote(text, NOW)


def book(**sides: object) -> dict[str, object]:
    return {"Arsenal": {"back": [[2.1, 4.5], [2.08, 30]], "currency": "GBP", **sides}}


def test_the_levels_of_a_book_stand_next_to_the_odds() -> None:
    """D104; the best ten of each side are kept."""
    long = [[round(2.1 - step / 100, 2), 1] for step in range(14)]
    quote = parse_quote(line(odds={"Arsenal": 2.1}, offers=book(lay=[[2.14, 9], [2.2, 1]])), NOW)
    offer = (quote.offers or {})["Arsenal"]
    assert (offer.back, offer.lay) == (((2.1, 4.5), (2.08, 30.0)), ((2.14, 9.0), (2.2, 1.0)))
    assert offer.currency == "GBP"
    assert parse_quote(quote_line(quote), NOW) == quote
    cut = parse_quote(line(odds={"Arsenal": 2.1}, offers=book(back=long)), NOW)
    assert [odds for odds, _ in (cut.offers or {})["Arsenal"].back] == [x for x, _ in long[:10]]


@pytest.mark.parametrize(
    ("sides", "words"),
    [
        ({"back": [[2.2, 4]]}, "first level at its odds, 2.1, got 2.2"),
        ({"back": [[2.1, 4], [2.1, 5]]}, "the best odds first"),
        ({"back": [[2.1, 4], [2.2, 5]]}, "the best odds first"),
        ({"lay": [[2.2, 4], [2.1, 5]]}, "the best odds first"),
        ({"back": [[2.1, -4]]}, "amount from 0 on"),
        ({"lay": [[1.0, 4]]}, "odds above 1"),
        ({"back": [[2.1, 1e13]]}, "amount from 0 on"),
        ({"back": [[2.1]]}, "offers"),
        ({"back": [["2.1", 4]]}, "offers"),
        ({"currency": "pounds"}, "three capital letters"),
    ],
)
def test_levels_that_make_no_sense_are_named(sides: dict[str, object], words: str) -> None:
    said = dropped(line(odds={"Arsenal": 2.1}, offers=book(**sides)))
    assert said.startswith("offers")
    assert words in said
