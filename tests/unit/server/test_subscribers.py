from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.contract.competitions import sport_of
from oddsdesk.contract.plans import Plan
from oddsdesk.server.subscribers import Interest, Subscriber, Subscribers
from oddsdesk.store.keys import Caller
from oddsdesk.store.values import Change

_caller = Caller(1, 1, Plan.PRO_LIVE, None, 0)
_few = st.sampled_from("abc")
_old_ids = st.sampled_from("xy")
_interests = st.builds(
    Interest, *[st.none() | _few] * 3, st.none() | _few | _old_ids, st.booleans()
)


def _change(sport: str, competition: str, bookmaker: str, game_id: str, is_live: bool) -> Change:
    return Change(
        seq=1,
        game=1,
        bookmaker=bookmaker,
        match_name="A - B",
        competition=competition,
        sport=sport,
        market_type="1X2",
        selection="A",
        odds=2.0,
        period=0,
        is_live=is_live,
        scraped_at=0,
        liquidity=None,
        game_id=game_id,
    )


def _meets(change: Change, interest: Interest, merged: dict[str, list[str]]) -> bool:
    """The rule said plainly (D22): every filter that is set equals the change's value.

    Or, for a game, an id that leads to it (D69).
    """
    said = (sport_of(change.competition), change.competition, change.bookmaker)
    filters = (interest.sport, interest.competition, interest.bookmaker)
    met = all(wanted in (None, value) for wanted, value in zip(filters, said, strict=True))
    games = (None, change.game_id, *merged.get(change.game_id, []))
    return met and interest.game_id in games and (interest.live or not change.is_live)


@given(
    st.lists(_interests, max_size=12),
    st.lists(st.integers(0, 11), max_size=12),
    st.builds(_change, _few, _few, _few, _few, st.booleans()),
    st.dictionaries(_few, st.lists(_old_ids, unique=True, max_size=2), max_size=2),
)
def test_a_change_finds_exactly_the_interests_of_those_who_stayed(
    interests, leaving, change, merged
):
    everyone = [Subscriber(None, interest, _caller) for interest in interests]
    subscribers = Subscribers()
    for each in everyone:
        subscribers.add(each)
    gone = {everyone[number] for number in leaving if number < len(everyone)}
    for each in gone:
        subscribers.discard(each)
        subscribers.discard(each)
    stayed = [each for each in everyone if each not in gone]

    found = [
        each for met in subscribers.interests_in(change, merged) for each in subscribers.of(met)
    ]

    assert len(found) == len(set(found))
    assert set(found) == {each for each in stayed if _meets(change, each.interest, merged)}
    assert set(subscribers) == set(stayed)
    assert bool(subscribers) == bool(stayed)
