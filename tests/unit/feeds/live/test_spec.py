"""How a live feed is written (D65)."""

from pathlib import Path

import pytest

from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.spec import read_spec


def test_a_feed_has_a_name_what_to_read_and_options() -> None:
    spec = read_spec("the-odds-api:soccer_epl,basketball_nba?regions=uk,eu&markets=h2h%2Ctotals")
    assert (spec.name, spec.what) == ("the-odds-api", ("soccer_epl", "basketball_nba"))
    assert spec.options == {"regions": "uk,eu", "markets": "h2h,totals"}
    assert (spec.url, spec.every_s, spec.key_file) == (None, None, None)


def test_every_adapter_has_an_address_a_pace_and_a_key_file() -> None:
    spec = read_spec("kalshi:KXEPLGAME?url=http://127.0.0.1:5/x/&every=2.5&key-file=/k.txt")
    assert spec.url == "http://127.0.0.1:5/x"
    assert (spec.every_s, spec.key_file, spec.options) == (2.5, Path("/k.txt"), {})


def test_what_is_said_twice_is_read_once() -> None:
    assert read_spec("x:a, b,a").what == ("a", "b")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x", "expected NAME:WHAT"),
        ("X!:a", "expected NAME:WHAT"),
        ("x:", "say after the colon what to read"),
        ("x:,?every=1", "say after the colon what to read"),
        ("x:a?every", "expected option=value"),
        ("x:a?every=", "every has no value"),
        ("x:a?every=0", "every: expected seconds, above 0"),
        ("x:a?every=nan", "every: expected seconds"),
        ("x:a?every=1&every=2", "every is given twice"),
        ("x:a?url=ftp://x", "url: expected an address such as https://host"),
        ("x:a?url=https://me:secret@host", "without user"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(FeedError, match=reason) as caught:
        read_spec(text)
    assert "secret" not in str(caught.value)


def test_an_unknown_option_is_named_without_its_value() -> None:
    spec = read_spec("x:a?apikey=9f8e7d6c5b4a")
    with pytest.raises(
        FeedError, match=r"unknown option 'apikey'; there are markets, url"
    ) as caught:
        spec.refuse_unknown({"markets"})
    assert "9f8e" not in str(caught.value)
