"""True EV next to the service's: whose formula adds margin, and whose method it is."""

from typing import Any

import msgspec

from oddsdesk.base.tasks import exhaust
from oddsdesk.desk.value_bets.panel import ValuesPanel, audit_text
from tests.kit.value_bets import bet


def test_a_service_that_adds_margin_is_told_once_in_plain_words(
    panel: ValuesPanel, quoted: Any
) -> None:
    published = 2.05 * 2 / (2 - 2.05 * (1 / 1.0197 - 1))
    exhaust(quoted.board.merge_value_bets([bet(quoted, fair=published)]))
    assert panel.messages.isVisible()
    assert panel.messages.message_text == audit_text(quoted.board.audit, "power")
    assert panel.messages.message_text.startswith("This service overstates EV")
    assert panel.messages.message_text.endswith("by its own EV.")
    panel.messages.hide()
    exhaust(quoted.board.merge_value_bets([bet(quoted, fair=published, bookmaker="Bwin")]))
    assert not panel.messages.isVisible()


def test_a_service_that_reckons_right_again_is_warned_of_no_more(
    panel: ValuesPanel, quoted: Any
) -> None:
    published = 2.05 * 2 / (2 - 2.05 * (1 / 1.0197 - 1))
    exhaust(quoted.board.merge_value_bets([bet(quoted, fair=published)]))
    assert panel.messages.isVisible()
    exhaust(quoted.board.merge_value_bets([bet(quoted)]))
    assert not panel.messages.isVisible()
    exhaust(quoted.board.merge_value_bets([bet(quoted, fair=published)]))
    assert panel.messages.isVisible()


def test_a_user_whose_own_method_adds_margin_is_told_so(panel: ValuesPanel, quoted: Any) -> None:
    quoted.board.set_method("published")
    published = 2.05 * 2 / (2 - 2.05 * (1 / 1.0197 - 1))
    exhaust(quoted.board.merge_value_bets([bet(quoted, fair=published)]))
    assert panel.messages.message_text.endswith("choose another one in Settings.")


def test_a_service_that_sends_the_return_rate_is_named_once(
    panel: ValuesPanel, quoted: Any
) -> None:
    honest = bet(quoted)
    turned = msgspec.structs.replace(honest, payout_rate=round(1 / honest.payout_rate, 4))
    exhaust(quoted.board.merge_value_bets([turned]))
    assert panel.messages.isVisible()
    assert "the sum of 1/odds" in panel.messages.message_text
    exhaust(quoted.board.merge_value_bets([honest]))
    assert not panel.messages.isVisible()
