"""Statistics of many bookmakers are in no answer: they are no bookmaker's prices (D118)."""

from pathlib import Path
from typing import Any

from oddsdesk.contract.identity import game_id, slug
from oddsdesk.contract.times import format_ms, parse_ms
from oddsdesk.server.run.embedded import import_files

GAME = "Arsenal vs Chelsea"
HEADER = "Div,Date,Time,HomeTeam,AwayTeam,PSH,PSD,PSA,B365H,B365D,B365A"
ROW = "E0,21/11/2026,15:00,Arsenal,Chelsea,2.05,3.5,3.8,2.1,3.4,3.6"
NOW = parse_ms("2026-11-20T17:05:00.000Z")


def answers(service: Any, key: str) -> dict[str, Any]:
    """Return the bodies of all lists and of the game, without the time of the answer."""
    ident = game_id("EPL", GAME)
    history = {"selection": "Arsenal", "market_type": "moneyline", "period": 0}
    asked: dict[str, dict[str, Any]] = {
        "/api/sports": {},
        "/api/bookmakers": {},
        "/api/events": {},
        f"/api/events/{slug(GAME)}": {},
        "/api/odds": {},
        "/api/odds/Bet365": {},
        "/api/games": {},
        f"/api/games/{ident}": {},
        f"/api/games/{ident}/history": {**history, "bookmaker": "Bet365"},
        "/api/value-bets": {},
        "/api/results": {},
    }
    return {path: service.data(path, key, **given) for path, given in asked.items()}


def test_no_answer_has_statistics(service: Any, tmp_path: Path) -> None:
    """D118: football-data's Max and Avg are series of their own, never bookmakers."""
    service.now = NOW
    plain, whole = tmp_path / "plain.csv", tmp_path / "whole.csv"
    plain.write_text(f"{HEADER}\n{ROW}\n")
    whole.write_text(f"{HEADER},MaxH,MaxD,MaxA,AvgH,AvgD,AvgA\n{ROW},2.3,3.7,4.2,2,3.4,3.7\n")
    key = service.key()
    found = []
    for path in (plain, whole):
        place = [str(path)]
        outcome = import_files(
            service.store, lambda: NOW, "football-data", place, shift_to_now=False
        )
        assert outcome.problems == []
        found.append(answers(service, key))
    notes = "series football-data: 3 best and 3 mean odds of many bookmakers, of 1 game"
    assert notes in outcome.notes
    (stored,) = service.store.reader().series()
    assert (stored.game_id, stored.has_game) == (game_id("EPL", GAME), True)
    assert {format_ms(each.scraped_at) for each in stored.points} == {"2026-11-20T17:00:00.000Z"}
    assert found[0] == found[1]
    assert [each["name"] for each in found[1]["/api/bookmakers"]] == ["Bet365", "Pinnacle"]
    assert len(found[1]["/api/odds"]) == 2
