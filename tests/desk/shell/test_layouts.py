"""Named layouts: kept, exported, read again."""

import pytest

from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell.layouts import LayoutError, Layouts, NamedLayout


def test_layouts_are_kept_by_name(layout: Layout) -> None:
    Layouts(layout).save_layout(NamedLayout("Évening / two", b"\x00docks"))
    kept = Layouts(layout)
    assert kept.current_layout == "Évening / two"
    assert kept["Évening / two"].docks == b"\x00docks"
    kept.delete_layout("Évening / two")
    assert (Layouts(layout).layout_names, Layouts(layout).current_layout) == ([], "")


def test_a_layout_survives_a_file() -> None:
    named = NamedLayout("Evening", b"\xff\x00")
    assert NamedLayout.from_text(named.to_text()) == named


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": "oddsdesk layout"}', "\x00"])
def test_a_file_that_is_no_layout_is_refused(text: str) -> None:
    with pytest.raises(LayoutError, match="expected"):
        NamedLayout.from_text(text)
