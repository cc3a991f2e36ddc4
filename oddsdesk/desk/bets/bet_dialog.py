"""The dialogs to record or edit a bet, and to cash one out."""

import contextlib
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from oddsdesk.base.figures import FigureError, read_stake, read_typed_amount, read_typed_time
from oddsdesk.base.market_words import market_text, selection_text, shown_game, typed_selection
from oddsdesk.base.numbers import num, typed_number, with_marks
from oddsdesk.base.texts import _, pgettext, translated
from oddsdesk.board.model.matrix import GameEntry
from oddsdesk.contract.competitions import SPORTS, sport_title
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.desk.bet_cells import at_bookmaker, stake_text
from oddsdesk.desk.kind_fields import KindFields, pays_text
from oddsdesk.desk.ui.controls.fields import ChoiceBox, date_habit
from oddsdesk.desk.ui.controls.form_dialog import FormDialog, side_by_side
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.controls.messages import sentence
from oddsdesk.desk.ui.formatting import (
    example_moment,
    local_time,
    moment_text,
    odds_title,
    read_odds,
    typed_text,
    typed_time_text,
)
from oddsdesk.desk.ui.spacing import STEP
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.bet_kinds import BetKind, BetLeg, result_of_legs
from oddsdesk.ledger.bets import BadBetError, PlacedBet, cashed_out, check_bet
from oddsdesk.ledger.games import is_on_listed, teams_of
from oddsdesk.ledger.legs import ended_by_legs
from oddsdesk.pricing.formats import OddsFormatError, format_odds
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.selections import Result, guess_market, read_selection

_LONGEST_CURRENCY: Final = 8
_WIDTH: Final = 520


class BetDialog(FormDialog):
    """Edits one bet; an invalid bet is explained and cannot be recorded."""

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
        """Ask for a new bet, or edit ``bet``.

        A bet on one of the service's ``games`` is linked to it. ``above_caps`` returns a warning if
        a stake is above the user's limits.
        """
        super().__init__(theme, _("Record bet") if bet is None else _("Edit bet"), parent)
        self.setMinimumWidth(theme.fonts.scaled(_WIDTH))
        self._bet, self._profiles, self._games = bet, profiles, games
        self._now_ms = now_ms
        held = PlacedBet("", "", "", "", "", 0, "", "", 0.0, 0.0, now_ms) if bet is None else bet
        self._held = held
        self.game = QLineEdit(held.match_name, placeholderText=shown_game("Arsenal v Chelsea"))
        self.competition = QLineEdit(held.competition, placeholderText="EPL")
        self.sport = _choice(
            [("", "–"), *((each, translated(sport_title(each))) for each in SPORTS)]
        )
        self.market = _choice([("", "–"), *((each, market_text(each)) for each in MARKET_TYPES)])
        self.period = _choice(
            [
                ("0", _("Full game")),
                *((str(i), _("Part {number}").format(number=i)) for i in range(1, 10)),
            ]
        )
        self.selection = QLineEdit(
            selection_text(held.selection),
            placeholderText=" · ".join(
                ("Arsenal " + with_marks("−0.75"), selection_text("Over 2.5"))
            ),
        )
        self.bookmaker = ChoiceBox(editable=True)
        self.bookmaker.addItems(sorted({*bookmakers, held.bookmaker} - {""}, key=str.casefold))
        self.bookmaker.setCurrentText(held.bookmaker)
        self.account = QLineEdit(held.account, placeholderText=_("Account (optional)"))
        self.kind = KindFields(held, BetKind, self)
        self.odds = QLineEdit(typed_text(held.odds) if bet else "")
        self._stake_shown = typed_number(self.kind.stake_shown()) if bet else ""
        self.stake = QLineEdit(self._stake_shown)
        self.currency = QLineEdit(held.currency, maxLength=_LONGEST_CURRENCY)
        self.currency.setPlaceholderText(_("Currency (optional)"))
        self.kick_off = QLineEdit(typed_time_text(held.kick_off), placeholderText=example_moment())
        self.placed_at = QLineEdit(typed_time_text(held.placed_at))
        self.note = QLineEdit(held.note)
        self._above_caps = above_caps
        self._confirmed: tuple[int | None, int] | None = None
        """The times, kick-off first, that the user was asked about."""
        self.reading = _room(lines=4)
        """What it pays, how figures and times are read, and what it lacks to settle by itself."""
        self.doubt = Label(wordWrap=True)
        self.doubt.setProperty("variant", "down")
        self._lay_out()
        for box, value in (
            (self.sport, held.sport),
            (self.market, held.market_type),
            (self.period, str(held.period)),
        ):
            box.setCurrentIndex(max(0, box.findData(value)))
        self._guessed = ""
        """The market that was chosen by the selection."""
        self._guess_market()
        for line in (self.game, self.selection):
            line.textChanged.connect(self._guess_market)
        self.mark_unchanged()
        for line in self.findChildren(QLineEdit):
            line.textChanged.connect(self._show_doubt)
        for box in self.findChildren(QComboBox):
            box.currentIndexChanged.connect(self._show_doubt)
        self.kind.changed.connect(self._show_kind)
        self._show_kind()

    def values(self) -> object:
        lines = [each.text() for each in self.findChildren(QLineEdit)]
        return lines, [each.currentText() for each in self.findChildren(QComboBox)]

    def bet(self) -> PlacedBet:
        """Return the bet as entered.

        Raises:
            BadBetError: A field is invalid; names it and what was expected.
        """
        if self.kind.kind is BetKind.MULTIPLE:
            return self._multiple()
        game, selection = self.game.text().strip(), self._selection()
        bookmaker = self.bookmaker.currentText().strip()
        if not selection and not bookmaker:
            raise BadBetError(_("enter a selection and a bookmaker"))
        if not selection:
            raise BadBetError(_("enter a selection"))
        if not bookmaker:
            raise BadBetError(_("enter a bookmaker"))
        competition = self.competition.text().strip()
        changed = msgspec.structs.replace(
            self._priced(self._odds()),
            game_id=self._game_id(competition, game),
            match_name=game,
            competition=competition,
            sport=self.sport.currentData(),
            market_type=self.market.currentData(),
            period=int(self.period.currentData()),
            selection=selection,
            kick_off=self._kick_off(game),
        )
        if changed.game_id != self._held.game_id:
            changed = on_listed_game(changed, self._games())
        return check_bet(_judged_again(self._held, changed))

    def _priced(self, odds: float) -> PlacedBet:
        """Return the bet without its selection."""
        bookmaker = self.bookmaker.currentText().strip()
        stake = self._stake()
        return msgspec.structs.replace(
            self._held,
            **self.kind.fields(stake),
            bookmaker=bookmaker,
            account=self.account.text().strip(),
            odds=odds,
            net_odds=self._net_odds(bookmaker, odds),
            stake=stake,
            currency=self.currency.text().strip().upper(),
            placed_at=self._time(self.placed_at, pgettext("time of a bet", "placed"))
            or self._held.placed_at,
            note=self.note.text().strip(),
        )

    def _multiple(self) -> PlacedBet:
        """Return a multiple as entered; its selection is named by its legs.

        Raises:
            BadBetError: A field is invalid.
        """
        legs = self.kind.legs.legs()
        if not self.bookmaker.currentText().strip():
            raise BadBetError(_("enter a bookmaker"))
        held, games = self._held, list(self._games())
        legs = tuple(leg if leg in held.legs else _leg_on_listed(leg, games) for leg in legs)
        names = [leg.selection for leg in legs]
        is_same = names == [leg.selection for leg in held.legs]
        typed = self.odds.text().strip()
        kick_offs = [leg.kick_off for leg in legs if leg.kick_off is not None]
        bet = self._priced(self._odds() if typed else math.prod(leg.odds for leg in legs))
        changed = msgspec.structs.replace(
            bet,
            game_id="",
            match_name="",
            market_type="",
            period=0,
            selection=held.selection if is_same and held.selection else " + ".join(names),
            kick_off=self._time(self.kick_off, _("kick-off")) or max(kick_offs, default=None),
            legs=legs,
        )
        changed = check_bet(_judged_again(held, changed))
        is_same = [leg.result for leg in legs] == [leg.result for leg in held.legs]
        if is_same or held.result is Result.CASHED_OUT:
            return changed
        return ended_by_legs(changed, held, self._now_ms)

    def _selection(self) -> str:
        """Return the selection in English; the held one unless another is typed."""
        text, held = self.selection.text().strip(), self._held.selection
        return held if text in (held, selection_text(held)) else typed_selection(text)

    def _guess_market(self) -> None:
        """Choose the market that the selection names, unless the user chose one."""
        if self.market.currentData() not in ("", self._guessed):
            return
        self._guessed = guess_market(self.game.text().strip(), self._selection())
        self.market.setCurrentIndex(max(0, self.market.findData(self._guessed)))

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
            raise BadBetError(_("odds: {error}").format(error=translated(str(error)))) from None

    def _net_odds(self, bookmaker: str, odds: float) -> float | None:
        """Return the odds after commission; unchanged odds keep the figure recorded with the
        bet."""
        held, is_lay = self._held, self.kind.kind is BetKind.LAY
        is_same = (bookmaker, odds, is_lay) == (held.bookmaker, held.odds, _is_lay(held))
        if self._bet is not None and is_same:
            return held.net_odds
        profile = self._profiles.profile_of(bookmaker)
        return profile.net_lay(odds) if is_lay else profile.net(odds)

    def _stake(self) -> float:
        """Return the whole stake."""
        is_same = self.kind.kind is self._held.kind and self.stake.text() == self._stake_shown
        if self._bet is not None and is_same:
            return self._held.stake
        try:
            typed = read_stake(self.stake.text(), self.currency.text().strip().upper())
            return self.kind.stake_typed(typed)
        except FigureError as error:
            raise BadBetError(_("stake: {error}").format(error=translated(str(error)))) from None

    def _kick_off(self, game: str) -> int | None:
        """Return the kick-off; if only a day is typed, that of the listed game on it."""
        kick_off = self._time(self.kick_off, _("kick-off"))
        text = self.kick_off.text().strip()
        if kick_off is None or text == typed_time_text(self._held.kick_off):
            return kick_off
        if read_typed_time(_("kick-off"), text, self._now_ms, None, date_habit()).has_hour:
            return kick_off
        day, teams = local_time(kick_off).date(), teams_of(game)
        listed = {
            each.kick_off
            for each in self._games()
            if each.kick_off is not None
            and teams_of(each.match_name) == teams
            and local_time(each.kick_off).date() == day
        }
        return listed.pop() if game and len(listed) == 1 else kick_off

    def _time(self, field: QLineEdit, name: str) -> int | None:
        text = field.text().strip()
        if not text:
            return None
        held = self._held.kick_off if field is self.kick_off else self._held.placed_at
        if text == typed_time_text(held):
            return held
        try:
            return self._moment(name, text, is_past=field is self.placed_at)
        except FigureError as error:
            raise BadBetError(translated(str(error))) from None

    def _moment(self, name: str, text: str, *, is_past: bool) -> int:
        """Return a typed time; a day alone is noon, or now where noon is still to come."""
        typed = read_typed_time(name, text, self._now_ms, None, date_habit())
        return min(typed.ms, self._now_ms) if is_past and not typed.has_hour else typed.ms

    def _lay_out(self) -> None:
        self.add_row(_("&Game"), self.game)
        self.sport.setAccessibleName(_("Sport"))
        competition = self.add_row(_("Com&petition"), side_by_side(self.competition, self.sport))
        self.competition.setAccessibleName(_("Competition"))
        self.period.setAccessibleName(_("Period"))
        market = self.add_row(_("&Market"), side_by_side(self.market, self.period))
        self.add_row(_("Se&lection"), self.selection)
        self.account.setAccessibleName(_("Account"))
        self.add_row(_("&Bookmaker"), side_by_side(self.bookmaker, self.account))
        self.add_row(_("K&ind"), self.kind.box)
        self.add_row(odds_title(_("&Odds taken")), self.odds)
        self.currency.setAccessibleName(_("Currency"))
        stake = self.add_row(_("&Stake"), side_by_side(self.stake, self.currency))
        self.kind.add_rows(self.form, stake)
        self._of_single = (self.game, competition, market, self.selection)
        placed = Label(_("Pl&aced"))
        placed.setBuddy(self.placed_at)
        self.placed_at.setAccessibleName(_("Placed"))
        for field in (self.kick_off, self.placed_at):
            longest = field.fontMetrics().horizontalAdvance(typed_time_text(self._now_ms))
            field.setMinimumWidth(longest + 4 * STEP)
        times = side_by_side(self.kick_off, placed, self.placed_at)
        self.add_row(_("&Kick-off"), times)
        self.add_row(_("&Note"), self.note)
        self.below.addWidget(self.reading)
        self.below.addWidget(self.doubt)
        verb = _("Record") if self._bet is None else _("Save")
        self.close_with(verb, self._on_buttons_accepted)

    def _show_kind(self) -> None:
        """Show what a multiple needs, or else what a single bet needs."""
        is_multiple = self.kind.kind is BetKind.MULTIPLE
        for row in self._of_single:
            self.form.setRowVisible(row, not is_multiple)
        product = self.kind.legs.product() if is_multiple else None
        self.odds.setPlaceholderText("" if product is None else typed_text(product))
        self._show_doubt()

    def _show_doubt(self) -> None:
        """Show how the input is read, and warn if the stake is above the limits.

        Invalid input is reported on saving.
        """
        try:
            bet = self.bet()
        except BadBetError:
            self.reading.clear()
            self.doubt.clear()
        else:
            self.reading.setText(_reading(bet, self._now_ms))
            self.doubt.setText(self._above_caps(bet))
        self.doubt.setVisible(bool(self.doubt.text()))

    def _on_buttons_accepted(self) -> None:
        try:
            bet = self.bet()
        except BadBetError as error:
            self.say_trouble(sentence(translated(str(error))))
            return
        if self._is_late(bet):
            self._confirmed = bet.kick_off, bet.placed_at
            verb = _("Record") if self._bet is None else _("Save")
            text = _("Placed after kick-off. Check the times, or press {button} again.")
            self.say_trouble(text.format(button=verb))
            return
        self.hand_over()
        self.recorded.emit(bet)

    def _is_late(self, bet: PlacedBet) -> bool:
        """Return whether to ask, once, as the bet was placed after kick-off."""
        times = bet.kick_off, bet.placed_at
        if bet.kick_off is None or bet.placed_at < bet.kick_off or times == self._confirmed:
            return False
        held = self._held
        return self._bet is None or times != (held.kick_off, held.placed_at)


def _reading(bet: PlacedBet, now_ms: int) -> str:
    """Return what a bet pays and how it is read: the stake, decimal odds, the times."""
    money = f" {bet.currency}" if bet.currency else ""
    is_each_way = bet.kind is BetKind.EACH_WAY
    stake = f"{num(bet.stake / 2 if is_each_way else bet.stake):,.2f}{money}"
    text = _("{stake} each way at {odds}") if is_each_way else _("{stake} at {odds}")
    said = [text.format(stake=stake, odds=with_marks(format_odds(bet.odds)))]
    if bet.kick_off is not None:
        said.append(_("kick-off {time}").format(time=moment_text(bet.kick_off)))
    if abs(bet.placed_at - now_ms) >= MINUTE_MS:
        said.append(_("placed {time}").format(time=moment_text(bet.placed_at)))
    by_legs = result_of_legs(bet.legs) if bet.legs else None
    if by_legs is not None:
        said.append(_("{result} by its legs").format(result=translated(by_legs.words)))
    read_as = _("Read as {facts}.").format(facts=", ".join(said))
    return "\n".join(filter(None, (f"{pays_text(bet)}.", read_as, _unsettled_text(bet))))


def _unsettled_text(bet: PlacedBet) -> str:
    """Return what an open bet lacks to settle by itself; empty if nothing."""
    if bet.result is not None or bet.kind in (BetKind.MULTIPLE, BetKind.EACH_WAY):
        return ""
    needed = (
        (len(teams_of(bet.match_name)) > 1, _("both teams")),
        (bool(bet.sport or bet.competition), _("sport")),
        (bool(bet.market_type), _("market")),
        (bet.kick_off is not None, _("kick-off")),
    )
    lacking = [name for is_there, name in needed if not is_there]
    text = _("It will not settle by itself without: {lacking}.")
    return text.format(lacking=", ".join(lacking)) if lacking else ""


def _is_lay(bet: PlacedBet) -> bool:
    return bet.kind is BetKind.LAY


def _judged_again(held: PlacedBet, changed: PlacedBet) -> PlacedBet:
    """Return the changed bet with its EV recalculated for the new odds.

    On another outcome the EV and fair odds are dropped.
    """
    if held.side != changed.side or held.legs != changed.legs:
        return msgspec.structs.replace(
            changed, fair_odds=None, true_ev=None, per="", method="", age_ms=None, cautions=()
        )
    if changed.net == held.net or held.true_ev is None or held.fair_odds is None:
        return changed
    return msgspec.structs.replace(changed, true_ev=held.ev_pct_at(changed.net))


def _room(*, lines: int) -> Label:
    """Return an empty label with room for lines, so that buttons stay where they are."""
    label = Label(wordWrap=True)
    label.setAlignment(Qt.AlignmentFlag.AlignTop)
    label.setMinimumHeight(label.fontMetrics().lineSpacing() * lines)
    return label


def _choice(entries: Iterable[tuple[str, str]]) -> QComboBox:
    box = ChoiceBox()
    for value, text in entries:
        box.addItem(text, value)
    return box


def on_listed_game(bet: PlacedBet, games: Iterable[GameEntry]) -> PlacedBet:
    """Return a bet linked to the service's game between the same teams, if there is one.

    Without this link, stakes and closing lines would miss the bet. It stays unchanged if several
    games match, if competition or kick-off differ, or if the selection does not fit the game.
    """
    teams = teams_of(bet.match_name)
    found = [game for game in games if teams_of(game.match_name) == teams and _fits(bet, game)]
    if not bet.match_name or len(found) != 1:
        return bet
    (game,) = found
    return msgspec.structs.replace(
        bet,
        game_id=game.game_id,
        match_name=game.match_name,
        competition=game.competition,
        sport=bet.sport or game.sport,
        kick_off=game.kick_off if bet.kick_off is None else bet.kick_off,
    )


def _leg_on_listed(leg: BetLeg, games: Sequence[GameEntry]) -> BetLeg:
    """Return a typed leg with its market, linked to the service's game if one is listed."""
    market = leg.market_type or guess_market(leg.match_name, leg.selection)
    single = PlacedBet(
        game_id=game_id("", leg.match_name) if leg.match_name else "",
        match_name=leg.match_name,
        competition="",
        sport="",
        market_type=market,
        period=0,
        selection=leg.selection,
        bookmaker="",
        odds=leg.odds,
        stake=0.0,
        placed_at=0,
        kick_off=leg.kick_off,
    )
    found = on_listed_game(single, games)
    names = ("game_id", "match_name", "competition", "sport", "market_type", "kick_off")
    return msgspec.structs.replace(leg, **{name: getattr(found, name) for name in names})


def _fits(bet: PlacedBet, game: GameEntry) -> bool:
    # Without a kick-off, the teams alone decide.
    if not is_on_listed(msgspec.structs.replace(bet, game_id=game.game_id), game):
        return False
    market = bet.market_type
    return not market or read_selection(market, game.match_name, bet.selection) is not None


_CASH_WIDTH: Final = 420
_LOOK_MS: Final = 500
"""How often the fair value is looked up again while the dialog is open."""


class CashDialog(FormDialog):
    """Cashes out a bet; filled in with the open stake."""

    recorded = Signal(object)
    """The ``PlacedBet`` with the cash-out applied."""

    def __init__(
        self,
        theme: Theme,
        bet: PlacedBet,
        now_ms: int,
        parent: QWidget,
        value: Callable[[float], float | None] = lambda _: None,
    ) -> None:
        """``value`` returns the fair value now of a part of the bet; None if unknown."""
        super().__init__(theme, _("Cash out"), parent)
        self.setMinimumWidth(theme.fonts.scaled(_CASH_WIDTH))
        self._bet, self._now_ms, self._value = bet, now_ms, value
        self.part = QLineEdit(typed_number(bet.open_size))
        self.back = QLineEdit(placeholderText="7.50")
        self.below.addWidget(
            Label(
                f"{selection_text(bet.selection)}{at_bookmaker(bet)}, {stake_text(bet)}",
                wordWrap=True,
            )
        )
        if _is_lay(bet):
            rest = _("The rest of the liability stays open")
            self.add_row(_("&Liability cashed out"), self.part, rest)
            paid = _("What the bookmaker pays, the liability included")
        else:
            rest = _("The rest of the stake stays open")
            self.add_row(_("&Stake cashed out"), self.part, rest)
            paid = _("What the bookmaker pays, the stake included")
        self.add_row(_("&Payout"), self.back, paid if bet.staked else _("What the bookmaker pays"))
        self.fair = _room(lines=2)
        """What the part is worth now, and how much of that the offer is."""
        self.reading = _room(lines=1)
        self.below.addWidget(self.fair)
        self.below.addWidget(self.reading)
        self._looks = QTimer(self, interval=_LOOK_MS)
        self._looks.timeout.connect(self._show_fair)
        self._looks.start()
        for line in (self.part, self.back):
            line.textChanged.connect(self._show_reading)
        self._show_fair()
        self.close_with(_("Record"), self._on_buttons_accepted)
        self.back.setFocus()

    def values(self) -> object:
        return self.part.text(), self.back.text()

    def _on_buttons_accepted(self) -> None:
        try:
            bet = self._cashed()
        except (BadBetError, FigureError) as error:
            self.say_trouble(sentence(translated(str(error))))
            return
        self.hand_over()
        self.recorded.emit(bet)

    def _cashed(self) -> PlacedBet:
        """Return the bet with the cash-out as typed.

        Raises:
            BadBetError: the cash-out makes no sense.
            FigureError: an amount cannot be read.
        """
        paid = read_typed_amount(_("payout"), self.back.text())
        return cashed_out(self._bet, self._part(), paid, self._now_ms)

    def _part(self) -> float:
        """Return the part as typed.

        Raises:
            FigureError: it cannot be read.
        """
        is_all = self.part.text().strip() == typed_number(self._bet.open_size)
        return self._bet.open_size if is_all else read_typed_amount(_("stake"), self.part.text())

    def _show_fair(self) -> None:
        """Show what the typed part is worth now next to the offer; prices move meanwhile."""
        try:
            part = self._part()
        except FigureError:
            self.fair.clear()
            return
        value = self._value(part) if 0 < part <= self._bet.open_size else None
        if value is None:
            self.fair.setText(_("Fair value now: unknown, as this bet has no fair odds now."))
            return
        said = _("Fair value now: {value}.").format(value=f"{num(value):,.2f}")
        with contextlib.suppress(FigureError):
            more = read_typed_amount(_("payout"), self.back.text()) - value
            text = _("The offer is {sum} more") if more >= 0 else _("The offer is {sum} less")
            offer = text.format(sum=f"{num(abs(more)):,.2f}")
            if value > 0:
                share = f"{num((value + more) / value * 100):.1f}"
                offer = _("{offer} ({share} % of it)").format(offer=offer, share=share)
            said += f" {offer}."
        self.fair.setText(said)

    def _show_reading(self) -> None:
        """Show how the amounts are read; invalid input is reported on saving."""
        self._show_fair()
        try:
            bet = self._cashed()
        except (BadBetError, FigureError):
            self.reading.clear()
            return
        part = bet.cashed_stake - self._bet.cashed_stake
        paid = bet.cashed_back - self._bet.cashed_back
        text = (
            _("Read as {part} of the liability for {paid}.")
            if _is_lay(bet)
            else _("Read as {part} of the stake for {paid}.")
        )
        self.reading.setText(text.format(part=f"{num(part):,.2f}", paid=f"{num(paid):,.2f}"))
