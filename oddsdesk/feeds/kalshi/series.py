"""What Kalshi's series are called here."""

from types import MappingProxyType
from typing import Final

PARLAYS: Final = "KXMVE"
"""What the tickers of bets on several games begin with."""
_CODES = MappingProxyType(
    {
        "KXEPLGAME": "EPL",
        "KXEFLCHAMPIONSHIPGAME": "EFL",
        "KXBUNDESLIGAGAME": "BUND",
        "KXBUNDESLIGA2GAME": "GER2",
        "KXLALIGAGAME": "LIGA",
        "KXLALIGA2GAME": "LIGA2",
        "KXSERIEAGAME": "SERA",
        "KXLIGUE1GAME": "LIG1",
        "KXEREDIVISIEGAME": "ERED",
        "KXUCLGAME": "UCL",
        "KXUELGAME": "UEL",
        "KXMLSGAME": "MLS",
        "KXBRASILEIROGAME": "BRAS",
        "KXNBAGAME": "NBA",
        "KXEUROLEAGUEGAME": "EURO",
        "KXNHLGAME": "NHL",
        "KXMLBGAME": "MLB",
        "KXNFLGAME": "NFL",
        "KXATPMATCH": "TENNIS",
        "KXWTAMATCH": "TENNIS",
    }
)
_SPORTS = MappingProxyType(
    {"KXWNBAGAME": "Basketball", "KXNCAAMBGAME": "Basketball", "KXNCAAWBGAME": "Basketball"}
    | {"KXNCAAFGAME": "AmericanFootball", "KXCFLGAME": "AmericanFootball"}
    | {"KXAHLGAME": "Hockey", "KXKHLGAME": "Hockey", "KXSHLGAME": "Hockey"}
    | {"KXKBOGAME": "Baseball", "KXNPBGAME": "Baseball", "KXNCAABBGAME": "Baseball"}
    | dict.fromkeys(
        ("KXWCGAME", "KXFIFAGAME", "KXINTLFRIENDLYGAME", "KXLIGAMXGAME", "KXSAUDIPLGAME"),
        "Football",
    )
    | dict.fromkeys(
        ("KXFACUPGAME", "KXEFLCUPGAME", "KXCOPADELREYGAME", "KXDFBPOKALGAME", "KXUECLGAME"),
        "Football",
    )
    | dict.fromkeys(("KXCOPPAITALIAGAME", "KXLIGAPORTUGALGAME", "KXSUPERLIGGAME"), "Football")
)
"""Of series without a code."""


def sport(event_ticker: str) -> str | None:
    """Return the sport of a series without a code; None where it is not known here."""
    return _SPORTS.get(event_ticker.partition("-")[0])


def known_series() -> tuple[str, ...]:
    """Return the series that have a code."""
    return tuple(_CODES)


def competition(event_ticker: str) -> str:
    """Return the competition code of a game; a series without a code keeps its ticker."""
    series = event_ticker.partition("-")[0]
    return _CODES.get(series, series)
