"""A game is asked for once, whoever looks at it."""

from oddsdesk.desk.shell.subscriptions import Subscriptions


class Asked:
    """What was asked of the service's side, in order."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def watch(self, game_id: str) -> None:
        self.said.append(f"+{game_id}")

    def unwatch(self, game_id: str) -> None:
        self.said.append(f"-{game_id}")


def test_an_open_game_is_watched_until_it_is_closed() -> None:
    asked = Asked()
    watching = Subscriptions(asked)
    watching.open("a")
    watching.close("a")
    assert asked.said == ["+a", "-a"]


def test_a_game_that_is_explained_is_watched_until_another_is() -> None:
    asked = Asked()
    watching = Subscriptions(asked)
    for game in ("a", "a", "b", ""):
        watching.explain(game)
    assert asked.said == ["+a", "-a", "+b", "-b"]


def test_a_game_that_is_open_and_explained_is_asked_for_once() -> None:
    asked = Asked()
    watching = Subscriptions(asked)
    watching.open("a")
    watching.explain("a")
    watching.close("a")
    assert asked.said == ["+a"]
    watching.explain("")
    assert asked.said == ["+a", "-a"]


def test_a_game_that_is_opened_while_explained_stays_when_the_explanation_leaves() -> None:
    asked = Asked()
    watching = Subscriptions(asked)
    watching.explain("a")
    watching.open("a")
    watching.explain("b")
    assert asked.said == ["+a", "+b"]
