"""A game is asked for once, however many panels show it."""

from oddsdesk.desk.shell.assembly import Subscriptions


class Asked:
    """What was asked of the service's side, in order."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def subscribe_game(self, game_id: str) -> None:
        self.said.append(f"+{game_id}")

    def unsubscribe_game(self, game_id: str) -> None:
        self.said.append(f"-{game_id}")


def test_an_open_game_is_subscribed_until_it_is_closed() -> None:
    asked = Asked()
    subscriptions = Subscriptions(asked)
    subscriptions.note_game_opened("a")
    subscriptions.note_game_closed("a")
    assert asked.said == ["+a", "-a"]


def test_a_game_that_is_explained_is_subscribed_until_another_is() -> None:
    asked = Asked()
    subscriptions = Subscriptions(asked)
    for game in ("a", "a", "b", ""):
        subscriptions.explain(game)
    assert asked.said == ["+a", "-a", "+b", "-b"]


def test_a_game_that_is_open_and_explained_is_asked_for_once() -> None:
    asked = Asked()
    subscriptions = Subscriptions(asked)
    subscriptions.note_game_opened("a")
    subscriptions.explain("a")
    subscriptions.note_game_closed("a")
    assert asked.said == ["+a"]
    subscriptions.explain("")
    assert asked.said == ["+a", "-a"]


def test_a_game_that_is_opened_while_explained_stays_when_the_explanation_leaves() -> None:
    asked = Asked()
    subscriptions = Subscriptions(asked)
    subscriptions.explain("a")
    subscriptions.note_game_opened("a")
    subscriptions.explain("b")
    assert asked.said == ["+a", "+b"]


def test_a_game_that_is_followed_stays_until_nobody_wants_it() -> None:
    asked = Asked()
    subscriptions = Subscriptions(asked)
    subscriptions.follow_games(frozenset("ab"))
    subscriptions.note_game_opened("a")
    subscriptions.follow_games(frozenset())
    assert asked.said == ["+a", "+b", "-b"]
    subscriptions.note_game_closed("a")
    assert asked.said[-1] == "-a"
