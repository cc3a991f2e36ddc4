"""The chart of profit: what it says of its steps, by how many bets each stands for."""

from pytestqt.qtbot import QtBot

from oddsdesk.desk.ui.chart.course_chart import CourseChart
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.pricing.reports import SettledBet, Step, course


def test_a_step_lies_where_its_bets_end(theme: Theme, qtbot: QtBot) -> None:
    won = SettledBet(637.0, 1.58, 369.46, 1.0, 369.46, 1.0, None, game="one")
    lost = SettledBet(373.0, 2.70, -373.0, 1.0, -373.0, None, None, game="one")
    other = SettledBet(10.0, 2.0, 10.0, 1.0, 10.0, None, None, game="other")
    chart = CourseChart(theme)
    qtbot.addWidget(chart)
    chart.resize(600, 120)
    chart.show_steps(course([won, lost, other]))
    assert chart.accessibleDescription().startswith("After 3 bets: profit +6.46")
    left, right = chart._plot().left(), chart._plot().right()
    third = (right - left) / 3
    assert [chart.step_at(left + part * third) for part in (0.2, 1.2, 2, 2.8)] == [0, 1, 1, 2]
    chart.grab()


def test_a_bankroll_is_drawn_from_its_start(qtbot: QtBot, theme: Theme) -> None:
    chart = CourseChart(theme)
    qtbot.addWidget(chart)
    chart.resize(600, 120)
    chart.show_steps([Step(0, 0.0, 0.0, 0.0), Step(4, -12.5, 1.0, 9.0)], 1_000.0)
    assert chart.accessibleName() == "Bankroll bet by bet"
    assert chart.accessibleDescription().startswith(
        "After 4 bets: bankroll 987.50, expected 1,001.00, "
    )
    chart.grab()
    chart.show_steps([Step(0, 0.0, 0.0, 0.0), Step(1, -1.0, 0.1, 2.0)])
    assert chart.accessibleName() == "Profit bet by bet"
    assert "profit −1.00" in chart.accessibleDescription()
