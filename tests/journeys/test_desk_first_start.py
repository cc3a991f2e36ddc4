"""At the desk for the first time: it runs by itself and says that its odds are made up."""

from tests.kit.program import Launch


def test_a_first_start_needs_nothing_and_says_that_its_odds_are_simulated(
    launch: Launch, screen: str
):
    desk = launch("desk", "--verbose", DISPLAY=screen)
    desk.wait_for_log("using Built-in server at http://127.0.0.1:")
    desk.wait_for_log("these odds are simulated")
    status, _, err = desk.finish()
    assert status == 0
    assert "ERROR" not in err
