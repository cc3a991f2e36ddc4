"""Asks for a bet: one that was placed elsewhere, or one to be corrected."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QDialogButtonBox, QLineEdit, QWidget

from oddsdesk.board.games import GameEntry
from oddsdesk.contract.competitions import SPORTS, sport_title
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.markets import MARKET_TYPES, market_title
from oddsdesk.desk.bets.listed_game import on_listed_game
from oddsdesk.desk.ui.controls.choice_box import ChoiceBox
from oddsdesk.desk.ui.controls.form_dialog import FormDialog, side_by_side
from oddsdesk.desk.ui.controls.message_bar import sentence
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.formatting import odds_style, read_odds, typed_text
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.time_format import local_time
from oddsdesk.ledger.bets import BadBetError, PlacedBet, check_bet
from oddsdesk.ledger.cells import CellError, read_stake
from oddsdesk.pricing.formats import DECIMAL, OddsFormatError
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.rules import safety_floor

_LONGEST_CURRENCY: Final = 8
_TIME: Final = "%Y-%m-%d %H:%M"
_WIDTH: Final = 520


class BetDialog(FormDialog):
    """Fields of one bet; what makes no sense is said, and keeps it from being recorded."""

    recorded = Signal(object)
    """The ``PlacedBet``."""

    def __init__(
        self,
        theme: Theme,
        bet: PlacedBet | None,
        profiles: Profiles,
        bookmakers: Iterable[str],
        games: Callable[[], Iterable[GameEntry]],
        now_ms: int,
        parent: QWidget,
        above_caps: Callable[[PlacedBet], str] = lambda _: "",
    ) -> None:
        """Ask for a new bet, or how ``bet`` really was.

        ``games`` are those that the service lists: what is typed of one of them is on that, by its
        name. ``above_caps`` says of what is typed where it is more than the user's plan stakes.
        """
        super().__init__(theme, "Bet by hand" if bet is None else "Edit bet", parent)
        self.setMinimumWidth(theme.fonts.scaled(_WIDTH))
        self._bet, self._profiles, self._games = bet, profiles, games
        held = PlacedBet("", "", "", "", "", 0, "", "", 0.0, 0.0, now_ms) if bet is None else bet
        self._held = held
        self.game = QLineEdit(held.match_name, placeholderText="Arsenal - Chelsea")
        self.competition = QLineEdit(held.competition, placeholderText="EPL")
        self.sport = _choice([("", "–"), *((each, sport_title(each)) for each in SPORTS)])
        self.market = _choice([("", "–"), *((each, market_title(each)) for each in MARKET_TYPES)])
        self.period = _choice([("0", "whole game"), *((str(i), f"part {i}") for i in range(1, 10))])
        self.selection = QLineEdit(held.selection, placeholderText="Arsenal −0.75, Over 2.5")
        self.bookmaker = ChoiceBox(editable=True)
        self.bookmaker.addItems(sorted({*bookmakers, held.bookmaker} - {""}, key=str.casefold))
        self.bookmaker.setCurrentText(held.bookmaker)
        self.account = QLineEdit(held.account, placeholderText="Account, if any")
        self.odds = QLineEdit(typed_text(held.odds) if bet else "")
        self.stake = QLineEdit(f"{held.stake:.12g}" if bet else "")
        self.currency = QLineEdit(held.currency, maxLength=_LONGEST_CURRENCY)
        self.currency.setPlaceholderText("Your currency")
        self.kick_off = QLineEdit(_time_text(held.kick_off), placeholderText="2026-04-16 20:45")
        self.placed_at = QLineEdit(_time_text(held.placed_at))
        self.note = QLineEdit(held.note)
        self._above_caps = above_caps
        self.doubt = Label(wordWrap=True)
        self.doubt.setProperty("variant", "down")
        self._lay_out()
        for box, value in (
            (self.sport, held.sport),
            (self.market, held.market_type),
            (self.period, str(held.period)),
        ):
            box.setCurrentIndex(max(0, box.findData(value)))
        self.begin()
        for line in self.findChildren(QLineEdit):
            line.textChanged.connect(self._show_doubt)
        for box in self.findChildren(QComboBox):
            box.currentIndexChanged.connect(self._show_doubt)
        self._show_doubt()

    def values(self) -> object:
        """Return what the fields say, to be compared."""
        lines = [each.text() for each in self.findChildren(QLineEdit)]
        return lines, [each.currentText() for each in self.findChildren(QComboBox)]

    def bet(self) -> PlacedBet:
        """Return the bet as it is typed.

        Raises:
            BadBetError: a field makes no sense; says which, and what was expected.
        """
        game, selection = self.game.text().strip(), self.selection.text().strip()
        bookmaker = self.bookmaker.currentText().strip()
        if not selection or not bookmaker:
            raise BadBetError("expected a selection and a bookmaker")
        odds, stake = self._odds(), self._stake()
        competition = self.competition.text().strip()
        changed = msgspec.structs.replace(
            self._held,
            game_id=self._game_id(competition, game),
            match_name=game,
            competition=competition,
            sport=self.sport.currentData(),
            market_type=self.market.currentData(),
            period=int(self.period.currentData()),
            selection=selection,
            bookmaker=bookmaker,
            account=self.account.text().strip(),
            odds=odds,
            net_odds=self._net_odds(bookmaker, odds),
            stake=stake,
            currency=self.currency.text().strip().upper(),
            kick_off=self._time(self.kick_off, "kick-off"),
            placed_at=self._time(self.placed_at, "placed") or self._held.placed_at,
            note=self.note.text().strip(),
        )
        if changed.game_id != self._held.game_id:
            changed = on_listed_game(changed, self._games())
        return check_bet(_judged_again(self._held, changed))

    def _game_id(self, competition: str, game: str) -> str:
        held = self._held
        if (competition, game) == (held.competition, held.match_name):
            return held.game_id
        return game_id(competition, game) if game else ""

    def _odds(self) -> float:
        text = self.odds.text().strip()
        if self._bet is not None and text == typed_text(self._held.odds):
            return self._held.odds
        try:
            return read_odds(text)
        except OddsFormatError as error:
            raise BadBetError(f"odds: {error}") from None

    def _net_odds(self, bookmaker: str, odds: float) -> float | None:
        """Return what odds pay net: as it was known of the bet, while they are the same there."""
        held = self._held
        if self._bet is not None and (bookmaker, odds) == (held.bookmaker, held.odds):
            return held.net_odds
        return self._profiles.of(bookmaker).net(odds)

    def _stake(self) -> float:
        try:
            return read_stake(self.stake.text())
        except CellError as error:
            raise BadBetError(f"stake: {error}") from None

    def _time(self, field: QLineEdit, name: str) -> int | None:
        text = field.text().strip()
        if not text:
            return None
        held = self._held.kick_off if field is self.kick_off else self._held.placed_at
        if text == _time_text(held):
            return held
        try:
            moment = datetime.strptime(text, _TIME).astimezone()
            return round(moment.timestamp() * 1000)
        except (ValueError, OverflowError, OSError):
            raise BadBetError(f"{name}: expected a time such as 2026-04-16 20:45") from None

    def _lay_out(self) -> None:
        style = odds_style()
        self.add_row("&Game", self.game)
        self.sport.setAccessibleName("Sport")
        self.add_row("Com&petition", side_by_side(self.competition, self.sport))
        self.competition.setAccessibleName("Competition")
        self.period.setAccessibleName("Part of the game")
        self.add_row("&Market", side_by_side(self.market, self.period))
        self.add_row("Se&lection", self.selection)
        self.account.setAccessibleName("Account")
        self.add_row("&Bookmaker", side_by_side(self.bookmaker, self.account))
        odds = "&Odds taken" if style == DECIMAL else f"&Odds taken, {style.replace('_', ' ')}"
        self.add_row(odds, self.odds)
        self.currency.setAccessibleName("Currency")
        self.add_row("&Stake", side_by_side(self.stake, self.currency))
        self.add_row("&Kick-off", self.kick_off)
        self.add_row("Pl&aced", self.placed_at)
        self.add_row("&Note", self.note)
        self.below.addWidget(self.doubt)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        text = "Record" if self._bet is None else "Save"
        save = self.buttons.addButton(text, QDialogButtonBox.ButtonRole.AcceptRole)
        save.setProperty("variant", "primary")
        self.buttons.accepted.connect(self._on_buttons_accepted)
        self.buttons.rejected.connect(self.reject)
        self.close_form()

    def _show_doubt(self) -> None:
        """Say where the stake is beyond the caps; what makes no sense is said when it is saved."""
        try:
            self.doubt.setText(self._above_caps(self.bet()))
        except BadBetError:
            self.doubt.setText("")
        self.doubt.setVisible(bool(self.doubt.text()))

    def _on_buttons_accepted(self) -> None:
        try:
            bet = self.bet()
        except BadBetError as error:
            self.say_trouble(sentence(str(error)))
            return
        self.hand_over()
        self.recorded.emit(bet)


def _judged_again(held: PlacedBet, changed: PlacedBet) -> PlacedBet:
    """Return a bet whose EV is that of the odds as they are now, in the way it was reckoned.

    On another outcome nothing that was thought then holds.
    """
    if held.outcome != changed.outcome:
        return msgspec.structs.replace(
            changed, fair_odds=None, true_ev=None, per="", method="", age_ms=None, cautions=()
        )
    if changed.net == held.net or held.true_ev is None or held.fair_odds is None:
        return changed
    fair = held.fair_odds * safety_floor(held.market_type)
    before = held.net / fair - 1
    decided = held.true_ev / 100 / before if before else 1.0
    return msgspec.structs.replace(changed, true_ev=(changed.net / fair - 1) * 100 * decided)


def _choice(entries: Iterable[tuple[str, str]]) -> QComboBox:
    box = ChoiceBox()
    for value, text in entries:
        box.addItem(text, value)
    return box


def _time_text(ms: int | None) -> str:
    return "" if ms is None else f"{local_time(ms):{_TIME}}"
