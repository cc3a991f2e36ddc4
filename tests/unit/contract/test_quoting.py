import pytest

from oddsdesk.contract.quoting import shown


@pytest.mark.parametrize(("value", "text"), [("bwin", "'bwin'"), ("a\nb", r"'a\nb'"), (-1, "-1")])
def test_short_values_are_shown_whole_and_on_one_line(value: object, text: str) -> None:
    assert shown(value) == text


@pytest.mark.parametrize("value", ["x" * 10**6, 10**4000, [["x" * 10**6]] * 50])
def test_long_values_are_cut(value: object) -> None:
    assert "..." in shown(value)
    assert len(shown(value)) < 600
