"""Which column of a list holds what: titles, languages, repeated columns, units, choices."""

import csv
from collections import defaultdict

import pytest

from oddsdesk.base.figures import Habit
from oddsdesk.base.places import resource_path
from oddsdesk.base.spreadsheets import SheetError
from oddsdesk.contract.times import parse_ms
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.columns import ListUnclearError, field_named, result_word
from oddsdesk.ledger.presets import ListChoices
from oddsdesk.ledger.reading import ImportedBets, read_bets
from oddsdesk.pricing.selections import Result

NOW = 1_800_000_000_000


def read(text: str, **chosen: object) -> ImportedBets:
    return read_bets(text.encode(), NOW, choices=ListChoices(**chosen))  # type: ignore[arg-type]


def total(bets: list[PlacedBet]) -> tuple[float, float]:
    """Return profit and stakes of the settled bets, to the cent."""
    ended = [bet for bet in bets if bet.profit is not None]
    return round(sum(bet.profit or 0 for bet in ended), 2), sum(bet.stake for bet in ended)


def test_no_title_and_no_word_means_two_things() -> None:
    meanings = defaultdict(set)
    with resource_path("bet_words.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for word in row["words"].split("|"):
                assert result_word(word), row
                kind = row["kind"].replace("ended", "result")
                meanings[kind, result_word(word)].add(row["meaning"])
    assert {word: found for word, found in meanings.items() if len(found) > 1} == {}


LANGUAGES = {
    "German": """Datum;Spiel;Tipp;Einsatz;Quote;Buchmacher;Ergebnis;Gewinn
14.03.2026;Norwick - Eastham;Norwick;50,00 €;2,10;Bet365;gewonnen;55,00 €
15.03.2026;Eastham - Norwick;Eastham;1.200,00 €;1,90;Bet365;1/2 verloren;-600,00 €
16.03.2026;Eastham - Norwick;Draw;10,00 €;3,40;Bet365;annulliert;0,00 €
""",
    "Spanish": """Fecha;Partido;Pronóstico;Importe;Cuota;Casa de apuestas;Resultado;Beneficio
14/03/2026;Norwick - Eastham;Norwick;50,00;2,10;Bet365;Ganada;55,00
15/03/2026;Eastham - Norwick;Eastham;1.200,00;1,90;Bet365;Medio perdida;-600,00
16/03/2026;Eastham - Norwick;Draw;10,00;3,40;Bet365;Nula;0,00
""",
    "French": """Date;Rencontre;Pronostic;Mise;Cote;Bookmaker;Résultat;Gains
14/03/2026;Norwick - Eastham;Norwick;50,00 €;2,10;Bet365;Gagné;105,00 €
15/03/2026;Eastham - Norwick;Eastham;1 200,00 €;1,90;Bet365;Demi perdu;600,00 €
16/03/2026;Eastham - Norwick;Draw;10,00 €;3,40;Bet365;Remboursé;10,00 €
""",
    "Italian": """Data;Partita;Pronostico;Importo;Quota;Bookmaker;Esito;Profitto
14/03/2026;Norwick - Eastham;Norwick;€ 50,00;2,10;Bet365;Vinta;€ 55,00
15/03/2026;Eastham - Norwick;Eastham;€ 1.200,00;1,90;Bet365;Mezza persa;-€ 600,00
16/03/2026;Eastham - Norwick;Draw;€ 10,00;3,40;Bet365;Rimborsata;€ 0,00
""",
    "Portuguese": """Data;Jogo;Aposta;Valor apostado;Odd;Casa de apostas;Resultado;Lucro
14/03/2026;Norwick - Eastham;Norwick;R$ 50,00;2,10;Bet365;Green;R$ 55,00
15/03/2026;Eastham - Norwick;Eastham;R$ 1.200,00;1,90;Bet365;Meio red;-R$ 600,00
16/03/2026;Eastham - Norwick;Draw;R$ 10,00;3,40;Bet365;Devolvida;R$ 0,00
""",
    "Dutch": """Datum;Wedstrijd;Weddenschap;Inzet;Notering;Bookmaker;Resultaat;Uitbetaling
14-03-2026;Norwick - Eastham;Norwick;50,00;2,10;Bet365;Gewonnen;105,00
15-03-2026;Eastham - Norwick;Eastham;1.200,00;1,90;Bet365;Half verloren;600,00
16-03-2026;Eastham - Norwick;Draw;10,00;3,40;Bet365;Geannuleerd;10,00
""",
    "Swedish": """Datum;Match;Spel;Insats;Odds;Spelbolag;Utfall;Utbetalning
2026-03-14;Norwick - Eastham;Norwick;50,00 kr;2,10;Bet365;Vunnen;105,00 kr
2026-03-15;Eastham - Norwick;Eastham;1 200,00 kr;1,90;Bet365;Halv förlust;600,00 kr
2026-03-16;Eastham - Norwick;Draw;10,00 kr;3,40;Bet365;Återbetald;10,00 kr
""",
    "Norwegian": """Dato;Kamp;Valg;Innsats;Odds;Selskap;Resultat;Gevinst/Tap
14.03.2026;Norwick - Eastham;Norwick;50,00 NOK;2,10;Bet365;Vunnet;55,00 NOK
15.03.2026;Eastham - Norwick;Eastham;1 200,00 NOK;1,90;Bet365;Halvt tapt;-600,00 NOK
16.03.2026;Eastham - Norwick;Draw;10,00 NOK;3,40;Bet365;Refundert;0,00 NOK
""",
    "Danish": """Dato;Kamp;Valgt;Indsats;Odds;Udbyder;Udfald;Udbetaling
14.03.2026;Norwick - Eastham;Norwick;50,00 kr.;2,10;Bet365;Vundet;105,00 kr.
15.03.2026;Eastham - Norwick;Eastham;1.200,00 kr.;1,90;Bet365;Halvt tabt;600,00 kr.
16.03.2026;Eastham - Norwick;Draw;10,00 kr.;3,40;Bet365;Annulleret;10,00 kr.
""",
    "Polish": """Data;Mecz;Typ;Stawka;Kurs;Bukmacher;Wynik;Wygrana
14.03.2026;Norwick - Eastham;Norwick;50,00 zł;2,10;Bet365;Wygrany;105,00 zł
15.03.2026;Eastham - Norwick;Eastham;1 200,00 zł;1,90;Bet365;1/2 przegrany;600,00 zł
16.03.2026;Eastham - Norwick;Draw;10,00 zł;3,40;Bet365;Zwrot;10,00 zł
""",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_list_in_another_language_is_read(language: str) -> None:
    found = read(LANGUAGES[language])
    assert (found.problems, found.doubts, found.differing, found.left_out) == ([], [], [], [])
    assert total(found.bets) == (-545.0, 1260.0)
    won, half, void = found.bets
    assert (won.selection, won.odds, won.stake, won.bookmaker) == ("Norwick", 2.1, 50, "Bet365")
    assert (won.match_name, won.placed_at) == (
        "Norwick - Eastham",
        parse_ms("2026-03-14T00:00:00Z"),
    )
    assert [half.result, void.result] == [Result.HALF_LOST, Result.VOID]
    assert {bet.currency for bet in found.bets} == {""}


STAKES = """Date,Match,Selection,Stake,Odds,Result,Amount
2026-03-14,A v B,A,50,2.10,Won,105.00
2026-03-15,B v A,B,50,1.90,Lost,0
2026-03-16,B v A,Draw,20,3.40,Won,68.00
"""


def test_of_two_columns_of_stakes_the_one_that_agrees_is_used() -> None:
    """The other column used to win without a message: +278.70."""
    for text in (
        STAKES,
        STAKES.replace("Stake", "X").replace("Amount", "Stake").replace("X", "Amount"),
    ):
        found = read(text)
        assert total(found.bets) == (53.0, 120.0)
        assert found.differing == []
    assert read(STAKES).remarks == [
        "stake is read from Stake, which agrees with odds and profit, not Amount",
        "Amount is read as the payout: it is stake × odds",
    ]


def test_money_differs_from_units_by_what_a_bet_can_win() -> None:
    text = """Date,Match,Selection,Odds,Risk,To win,Stake,Result
2026-03-14,A v B,A,-110,110,100,1,Won
2026-03-15,B v A,B,-110,220,200,2,Lost
"""
    for stake in ("Stake", "Stake (units)", "Units"):
        found = read(text.replace("Stake", stake))
        assert total(found.bets) == (-120.0, 330.0)
        assert found.remarks == [
            f"stake is read from Risk, which agrees with odds and profit, not {stake}"
        ]


def test_a_result_and_a_status_are_recognised_by_their_words() -> None:
    text = """Date,Match,Selection,Stake,Odds,Result,Status
2026-09-25,A v B,A,20,1.65,Win,Settled
2026-09-25,C v D,D,20,1.80,Loss,Settled
2026-09-26,C v D,D,20,1.80,,Open
"""
    found = read(text)
    assert [bet.result for bet in found.bets] == [Result.WON, Result.LOST, None]
    assert found.remarks == ["result is read from Result, which can be read, not Status"]


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("Selection,Stake,Amount,Odds\nA,5,7,2.0\nB,5,8,2.0\n", ("Stake", "Amount")),
        ("Selection,Stake,Odds,Price\nA,5,1.9,2.0\n", ("Odds", "Price")),
        ("Selection,Stake,Odds,Result,Status\nA,5,2.0,won,lost\n", ("Result", "Status")),
        ("Selection,Stake,Odds,Result,Profit,P/L\nA,5,2.0,won,7,8\n", ("Profit", "P/L")),
        ("Selection,Stake,Odds,Odds\nA,5,2.0,2.5\n", ("Odds", "Odds (2)")),
    ],
)
def test_two_columns_that_nothing_decides_between_refuse_the_file(
    text: str, titles: tuple[str, str]
) -> None:
    with pytest.raises(ListUnclearError, match="has two columns for the") as refused:
        read(text)
    assert all(title in str(refused.value) for title in titles)
    key = {"Amount": "stake", "Price": "odds", "Status": "result", "P/L": "profit"}.get(
        titles[1], "odds"
    )
    assert len(read(text, columns={key: titles[0]}).bets) == 1 + text.count("\nB")


def test_two_columns_that_say_the_same_are_one() -> None:
    text = "Selection,Stake,Amount,Odds,Event,Match\nA,5,5.00,2.0,A v B,A v B\n"
    found = read(text)
    assert (found.bets[0].stake, found.bets[0].match_name, found.remarks) == (5, "A v B", [])


def test_the_language_of_the_other_titles_decides_what_a_title_means() -> None:
    """A German list's Typ is a kind of bet, a Polish one's the selection."""
    found = read("Datum;Typ;Tipp;Einsatz;Quote\n2026-03-14;Einzel;PSG;5,0;2,0\n")
    assert found.bets[0].selection == "PSG"
    assert found.remarks == ["selection is read from Tipp, not Typ"]


@pytest.mark.parametrize("title", ["Profit", "Winnings", "Gewinn", "Payout"])
def test_a_column_of_payments_is_known_by_its_figures(title: str) -> None:
    text = f"Selection,Stake,Odds,Result,{title}\nA,50,2.1,won,105\nB,50,1.9,lost,0\nC,9,2,won,18\n"
    found = read(text)
    assert (total(found.bets), found.differing) == ((14.0, 109.0), [])
    assert all(bet.net_odds is None for bet in found.bets)


def test_a_payout_that_a_lost_bet_would_have_had_is_none() -> None:
    found = read("Selection,Stake,Odds,Result,Payout\nA,50,2.1,won,105\nB,50,1.9,lost,95\n")
    assert (total(found.bets), found.differing) == ((5.0, 100.0), [])
    assert found.remarks == ["Payout is read as what a win would pay: it is stake × odds"]


def test_profits_after_commission_are_still_profits() -> None:
    found = read("Selection,Stake,Odds,Result,Profit\nA,100,2.0,won,95\nB,100,2.0,won,95\n")
    assert (found.bets[0].net_odds, found.remarks) == (1.95, [])


def test_a_payout_alone_may_show_a_cash_out() -> None:
    text = "Selection,Stake,Odds,Result,Returns\nA,10,5.0,Cashed out,17.50\nB,10,5.0,Won,50\n"
    found = read(text)
    assert total(found.bets) == (47.5, 20.0)
    assert (found.bets[0].cashed_stake, found.bets[0].cashed_back) == (10, 17.5)
    nothing = read(text.replace("17.50", ""))
    assert nothing.problems == ["line 2: profit or payout: needed for a bet that was cashed out"]


UNITS = "Selection,Stake,Odds,Result,Profit\nA,1.5u,2.10,won,1.65u\nB,1u,1.90,lost,-1 u\n"


def test_stakes_in_units_need_what_a_unit_is_worth() -> None:
    with pytest.raises(ListUnclearError, match=r"stakes such as 1\.5u are in units") as asked:
        read(UNITS)
    assert (asked.value.about, asked.value.sample) == ("unit", "1.5u")
    found = read(UNITS, unit=10)
    assert (total(found.bets), found.differing) == ((6.5, 25.0), [])
    assert found.remarks == ["1 unit is 10"]
    titled = "Selection,Stake (units),Odds,Result,Profit [units]\nA,1.5,2.10,won,1.65\n"
    assert total(read(titled, unit=20).bets) == (33.0, 30.0)


def test_a_figure_that_may_be_thousands_is_asked_for() -> None:
    text = "Selection;Stake;Odds\nA;1,500;2\n"
    with pytest.raises(ListUnclearError, match="figures such as 1,500 may be thousands") as asked:
        read(text)
    assert asked.value.about == "decimals"
    assert read(text, decimals=Habit.POINT).bets[0].stake == 1500
    assert read(text, decimals=Habit.COMMA).bets[0].stake == 1.5
    for other, stake in (("2,50", 1.5), ("2.50", 1500.0)):
        assert read(f"{text}B;{other};2\n").bets[0].stake == stake, "decided by the other cells"


def test_a_column_decides_before_the_rest_of_the_file() -> None:
    found = read("Selection;Stake;Odds\nA;1.500;2,10\nB;10.25;3,40\n")
    assert [bet.stake for bet in found.bets] == [1.5, 10.25]


def test_dates_that_do_not_show_the_day_are_asked_for() -> None:
    text = "Date,Selection,Stake,Odds\n08/09/25,A,5,2.0\n"
    with pytest.raises(ListUnclearError, match="dates such as 08/09/25 do not show") as asked:
        read(text)
    assert asked.value.about == "dates"
    for habit, day in ((Habit.DAY_FIRST, "2025-09-08"), (Habit.MONTH_FIRST, "2025-08-09")):
        assert read(text, dates=habit).bets[0].placed_at == parse_ms(f"{day}T00:00:00Z")
    shown = read(f"{text}23/08/25 14:00,B,5,2.0\n", dates=Habit.MONTH_FIRST)
    assert shown.bets[0].placed_at == parse_ms("2025-09-08T00:00:00Z"), "the file shows it"


def test_a_chosen_column_is_read_and_the_guessed_one_is_not() -> None:
    text = "Pick,Risk,Betrag,Odds,Result,Mood\nA,1,50,2.0,won,good\n"
    found = read(text, columns={"stake": "Betrag", "note": "mood", "result": ""})
    (bet,) = found.bets
    assert (bet.stake, bet.note, bet.result) == (50, "good", None)
    assert found.left_out == ["Risk", "Result"]
    with pytest.raises(SheetError, match="has no column 'Einsatz'; its columns: Pick, Risk"):
        read(text, columns={"stake": "Einsatz"})


def test_fields_have_names_that_people_use() -> None:
    assert [field_named(name) for name in ("game", "Kick-off", "match_name", "payout")] == [
        "match_name",
        "kick_off",
        "match_name",
        "returned",
    ]
    with pytest.raises(ValueError, match="no field 'mood': expected one of selection, stake"):
        field_named("mood")


def test_later_choices_replace_earlier_ones_field_by_field() -> None:
    earlier = ListChoices(columns={"stake": "A", "odds": "B"}, unit=10, odds="american")
    later = ListChoices(columns={"stake": "C"}, unit=20, dates=Habit.DAY_FIRST)
    assert later.over(earlier) == ListChoices(
        columns={"stake": "C", "odds": "B"}, unit=20, odds="american", dates=Habit.DAY_FIRST
    )


def test_columns_are_judged_by_bets_that_pay_stake_times_odds() -> None:
    """A lay and a free bet would speak for Staked, which holds what was at risk."""
    text = """Date,Selection,Type,Odds,Stake,Staked,Result,Profit
2026-03-14,A,Back,3.0,10,12,Won,20
2026-03-15,B,Lay,3.0,10,20,Won,9.80
2026-03-16,C,Free bet,3.0,10,0,Lost,0
"""
    found = read(text)
    assert [round(bet.profit or 0, 2) for bet in found.bets] == [20, 9.8, 0]
    assert found.differing == []


def test_the_risk_is_the_stake_where_stake_counts_units() -> None:
    text = """Date,Selection,Odds,Risk,To win,Stake,Result
2026-03-14,A,-110,110,100,1,Won
2026-03-15,B,-110,220,200,2,Lost
"""
    found = read(text)
    assert total(found.bets) == (-120, 330)
    assert found.remarks == [
        "stake is read from Risk, which agrees with odds and profit, not Stake"
    ]


def test_a_list_of_lays_may_have_only_their_liabilities() -> None:
    text = "Date,Selection,Side,Odds,Liability\n2026-03-14,A,Lay,3.0,20\n2026-03-14,B,Lay,5.0,20\n"
    assert [bet.stake for bet in read(text).bets] == [10, 5]


def test_fields_of_kinds_are_chosen_by_their_names() -> None:
    text = """Date,Selection,What,Odds,Stake,Was,Gutschrift
2026-03-14,A,Boost,3.0,10,2.5,
2026-03-14,B,,3.0,10,,4
"""
    columns = {field_named(name): title for name, title in CHOSEN.items()}
    boost, refund = read(text, columns=columns).bets
    assert (boost.kind.value, boost.unboosted_odds) == ("boost", 2.5)
    assert (refund.kind.value, refund.refund, refund.refund_as) == ("refund", 4, "free")


CHOSEN = {"kind": "What", "odds without boost": "Was", "refund": "Gutschrift"}
