"""The value bets of football-data's seasons by pandas alone, as an analyst would count them.

    python benchmarks/pandas_season.py E0_2425.csv D1_2425.csv
    python benchmarks/pandas_season.py --bets bets.csv --database season.db E0_2425.csv
    python benchmarks/pandas_season.py --scorecards E0_2425.csv

It bets as ``oddsdesk backtest --method multiplicative`` does, and shares no code with it: one unit
on the best price after commission of each outcome that the rules call value at the prices before
the close, judged by Pinnacle. CLV is by Pinnacle's close with its margin in equal shares.
``--scorecards`` prints each bookmaker's margin before the close and the log loss of its close.

``--database`` runs the command on the same seasons, imported before, and compares: all bets one by
one, or all figures of the scorecards, and the seconds of both.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

BOOKMAKERS = {
    "B365": "Bet365",
    "BF": "Betfair Sportsbook",
    "BFD": "Betfred",
    "BFE": "Betfair Exchange",
    "BMGM": "BetMGM",
    "BV": "BetVictor",
    "BW": "bwin",
    "CL": "Coral",
    "IW": "Interwetten",
    "LB": "Ladbrokes",
    "P": "Pinnacle",
    "PS": "Pinnacle",
    "VC": "VC Bet",
    "WH": "William Hill",
    "1XB": "1xBet",
}
LEAGUES = {"E0": "EPL", "D1": "BUND", "F1": "LIG1"}
SIDES = {"moneyline": ["H", "D", "A"], "total": [">2.5", "<2.5"], "spread": ["AHH", "AHA"]}
REFERENCE = "Pinnacle"
METHOD, CLOSE_METHOD = "multiplicative", "margin_proportional"
COMMISSION = {"Betfair Exchange": 0.05}
FLOOR = 1.01
MAX_EV = {"moneyline": 0.10, "spread": 0.10, "total": 0.20}
MOST_AGE = pd.Timedelta(minutes=30)
"""A price that is older at kick-off is no close."""
DRAWS = 2_000


def read_games(files: list[Path]) -> pd.DataFrame:
    """Return a row per game, with its kick-off and when its prices before the close were taken."""
    games = pd.concat([read_file(file) for file in files], ignore_index=True).copy()
    day = pd.to_datetime(games["Date"], dayfirst=True, format="mixed")
    clock = pd.to_timedelta(games["Time"].fillna("12:00") + ":00")
    games["kick_off"] = (day + clock).dt.tz_localize("Europe/London")
    # Friday 17:00 for games from Friday to Monday, else Tuesday 13:00
    weekday = day.dt.day_of_week
    is_midweek = weekday.between(1, 3)
    back = (weekday - np.where(is_midweek, 1, 4)) % 7
    hour = np.where(is_midweek, 13, 17)
    taken = day - pd.to_timedelta(back, unit="D") + pd.to_timedelta(hour, unit="h")
    taken = taken.dt.tz_localize("Europe/London")
    # without an hour they were taken an hour before noon at the latest
    latest = games["kick_off"] - pd.Timedelta(hours=1)
    games["taken"] = taken.mask(games["Time"].isna() & (taken > latest), latest)
    return games


def read_file(file: Path) -> pd.DataFrame:
    games = pd.read_csv(file, encoding="utf-8-sig").dropna(subset=["HomeTeam"])
    games["Div"] = games.get("Div", file.name.split("_")[0])
    games["Time"] = games.get("Time", np.nan)
    return games


def read_lines(games: pd.DataFrame, market: str, *, closing: bool) -> pd.DataFrame:
    """Return a row per game and bookmaker that prices the whole market: odds by side, and total."""
    frames = []
    for code, bookmaker in BOOKMAKERS.items():
        columns = [code + "C" * closing + side for side in SIDES[market]]
        if not set(columns) <= set(games.columns):
            continue
        odds = games[columns].set_axis(range(len(columns)), axis=1)
        odds = odds[odds > 1].dropna()
        frames.append(odds.assign(bookmaker=bookmaker, total=(1 / odds).sum(axis=1)))
    lines = pd.concat(frames).rename_axis("game").reset_index()
    lines = lines[lines["total"].between(0.97, 1.2)]
    if market == "spread":
        lines["line"] = games["AHCh" if closing else "AHh"].reindex(lines["game"]).to_numpy()
        lines = lines.dropna(subset=["line"])
    return lines


def fair_odds(lines: pd.DataFrame, market: str, method: str) -> pd.DataFrame:
    """Return the fair odds of each side, without the margin."""
    odds = lines[list(range(len(SIDES[market])))]
    if method == METHOD:
        return odds.mul(lines["total"], axis=0)
    return 1 / (1 / odds).sub((lines["total"] - 1) / len(SIDES[market]), axis=0)


def reference_lines(
    games: pd.DataFrame, market: str, method: str, *, closing: bool
) -> pd.DataFrame:
    """Return the reference's fair odds and sums of 1/odds of other sides, by game and side."""
    lines = read_lines(games, market, closing=closing)
    lines = lines[lines["bookmaker"] == REFERENCE].set_index("game")
    lines = lines[lines["total"].between(1 - 1e-9, 9 if closing else 1.05)]
    sides = list(range(len(SIDES[market])))
    return pd.DataFrame(
        {
            "fair": fair_odds(lines, market, method).stack(),
            "others": (1 / lines[sides]).rsub(lines["total"], axis=0).stack(),
        }
    ).rename_axis(["game", "side"])


def decided_share(games: pd.DataFrame, line: pd.Series, draw: pd.Series) -> pd.Series:
    """Return the share of a stake that is won or lost on average.

    A handicap of 0 is void as often as a draw, one of a quarter half as often. How often other
    lines push is not known: their EV is of a decided unit.
    """
    share = pd.Series(1.0, index=line.index)
    share = share.mask(line == 0, 1 - draw)
    return share.mask(line.abs() == 0.25, 1 - draw / 2).fillna(1.0)


def prices_of(lines: pd.DataFrame, market: str) -> pd.DataFrame:
    """Return lines with a row per side, and its odds after commission."""
    sides = list(range(len(SIDES[market])))
    facts = ["game", "bookmaker", *(["line"] if market == "spread" else [])]
    prices = lines.melt(id_vars=facts, value_vars=sides, var_name="side", value_name="odds")
    prices["side"] = prices["side"].astype(int)
    commission = prices["bookmaker"].map(COMMISSION).fillna(0.0)
    prices["net"] = 1 + (prices["odds"] - 1) * (1 - commission)
    return prices


def bets_on(games: pd.DataFrame, market: str, method: str) -> pd.DataFrame:
    """Return every price of a market that is value, with what it closed at."""
    lines = read_lines(games, market, closing=False)
    lines = lines[(lines["bookmaker"] != REFERENCE) & (lines["total"] >= 1 - 1e-9)]
    bets = prices_of(lines, market)
    judge = reference_lines(games, market, method, closing=False)
    bets = bets.join(judge, on=["game", "side"], how="inner")
    edge = bets["net"] / bets["fair"] / FLOOR - 1
    share = push_share(games, bets, method, closing=False) if market == "spread" else 1.0
    payout = 1 / bets["net"] + bets["others"]
    bets["ev"] = edge * share
    is_value = bets["ev"].ge(0.01) & edge.le(MAX_EV[market]) & payout.between(0.99, 1.05)
    bets = bets[is_value & (bets["net"] / bets["fair"]).le(1.15)].copy()
    bets["market"] = market
    return add_closes(games, bets, market)


def push_share(games: pd.DataFrame, bets: pd.DataFrame, method: str, *, closing: bool) -> pd.Series:
    """Return the decided share of handicaps by the reference's draw."""
    three = reference_lines(games, "moneyline", method, closing=closing)
    draw = 1 / three["fair"].xs(1, level="side")
    draw = pd.Series(draw.reindex(bets["game"]).to_numpy(), index=bets.index)
    return decided_share(games, bets["line"], draw)


def add_closes(games: pd.DataFrame, bets: pd.DataFrame, market: str) -> pd.DataFrame:
    """Return bets with the CLV of those whose line closed."""
    close = reference_lines(games, market, CLOSE_METHOD, closing=True)
    bets = bets.join(close["fair"].rename("close"), on=["game", "side"])
    bets["clv"] = bets["net"] / bets["close"] - 1
    if market == "spread":
        bets["clv"] *= push_share(games, bets, CLOSE_METHOD, closing=True)
        last = games["AHCh"].reindex(bets["game"]).to_numpy()
        bets["clv"] = bets["clv"].where(bets["line"] == last)
    return bets


def best_of_outcomes(bets: pd.DataFrame) -> pd.DataFrame:
    """Return the best net price of each outcome: half a goal behind is the same as to win."""
    is_win = bets["market"].eq("spread") & bets["line"].eq(bets["side"].map({0: -0.5, 1: 0.5}))
    bets["outcome_market"] = bets["market"].mask(is_win, "moneyline")
    bets["outcome_side"] = bets["side"].mask(is_win, bets["side"] * 2)
    ordered = bets.sort_values(["net", "bookmaker"], ascending=[False, True])
    return ordered.drop_duplicates(["game", "outcome_market", "outcome_side"])


def add_profits(games: pd.DataFrame, bets: pd.DataFrame) -> pd.DataFrame:
    """Return bets with what one unit earned; a quarter line is two halves."""
    goals = games.loc[bets["game"], ["FTHG", "FTAG"]].set_axis(bets.index)
    margin, scored = goals["FTHG"] - goals["FTAG"], goals["FTHG"] + goals["FTAG"]
    winner = np.select([margin > 0, margin == 0], [0, 1], 2)
    handicap = (margin + bets["line"]) * np.where(bets["side"] == 0, 1, -1)
    by_line = (handicap * 2).clip(-1, 1)  # 1 won, 0.5 half won, 0 void
    over = np.where(scored > 2.5, 0, 1)
    won = np.select(
        [bets["market"] == "moneyline", bets["market"] == "total"],
        [np.where(bets["side"] == winner, 1, -1), np.where(bets["side"] == over, 1, -1)],
        by_line,
    )
    bets["profit"] = np.where(won > 0, won * (bets["net"] - 1), won)
    bets.loc[margin.isna(), "profit"] = np.nan
    return bets


def backtest(files: list[Path]) -> pd.DataFrame:
    """Return the bets of seasons."""
    games = read_games(files)
    ahead = games[games["taken"] < games["kick_off"]]
    bets = pd.concat([bets_on(ahead, market, METHOD) for market in SIDES], ignore_index=True)
    if "line" not in bets:
        bets["line"] = np.nan
    bets = add_profits(games, best_of_outcomes(bets))
    facts = games[["Div", "kick_off", "HomeTeam", "AwayTeam"]]
    return bets.join(facts, on="game").sort_values(["kick_off", "HomeTeam", "market", "side"])


def intervals(bets: pd.DataFrame) -> dict[str, tuple[float, float, float]]:
    """Return profit, yield and CLV with 95 % intervals from drawing games with replacement."""
    closed = bets["clv"].notna()
    by_game = pd.DataFrame(
        {
            "game": bets["game"],
            "profit": bets["profit"].fillna(0.0),
            "staked": bets["profit"].notna().astype(float),
            "clv": bets["clv"].fillna(0.0) * 100,
            "closed": closed.astype(float),
        }
    )
    sums = by_game.groupby("game").sum()
    chance = np.random.default_rng(1)
    drawn = chance.integers(len(sums), size=(DRAWS, len(sums)))
    totals = {name: sums[name].to_numpy()[drawn].sum(axis=1) for name in sums}
    whole = sums.sum()
    figures = {
        "profit": (whole["profit"], totals["profit"]),
        "yield_pct": (
            whole["profit"] / whole["staked"] * 100,
            totals["profit"] / totals["staked"] * 100,
        ),
        "clv_pct": (whole["clv"] / whole["closed"], totals["clv"] / totals["closed"]),
    }
    return {
        name: (figure, *np.percentile(draws, [2.5, 97.5]))
        for name, (figure, draws) in figures.items()
    }


def scorecards(files: list[Path]) -> pd.DataFrame:
    """Return each bookmaker's figures by market: before the close, of its value, at the close."""
    games = read_games(files)
    ahead = games[games["taken"] < games["kick_off"]]
    cards = []
    for market in SIDES:
        holds = read_lines(ahead, market, closing=False)
        holds["hold_pct"] = 100 - 100 / holds["total"]
        losses = loss_of(games, closing_lines(games, market), market)
        by_loss = losses.groupby("bookmaker")
        card = holds.groupby("bookmaker")["hold_pct"].agg(["median", "count"])
        card.columns = ["hold_pct", "hold_pct_count"]
        card["best_pct"] = best_share(holds, market)
        value = bets_on(ahead, market, CLOSE_METHOD).groupby("bookmaker")["clv"]
        card["value_bets"] = value.size()
        card["value_bets"] = card["value_bets"].fillna(0)
        card["clv_pct"] = value.mean() * 100
        card["log_loss"] = by_loss["weighed"].sum() / by_loss["weight"].sum()
        card["log_loss_count"] = by_loss.size()
        theirs = losses[losses["bookmaker"] == REFERENCE]
        keys = ["game", "line"] if market == "spread" else ["game"]
        both = losses.merge(theirs[[*keys, "loss"]], on=keys, suffixes=("", "_reference"))
        both = both[both["bookmaker"] != REFERENCE]
        both["weighed"] = (both["loss"] - both["loss_reference"]) * both["weight"]
        by_both = both.groupby("bookmaker")
        card["log_loss_vs_reference"] = by_both["weighed"].sum() / by_both["weight"].sum()
        card["log_loss_vs_reference_count"] = by_both.size()
        card["log_loss_vs_reference_count"] = card["log_loss_vs_reference_count"].fillna(0)
        cards.append(card.reset_index().assign(market_type=market))
    return pd.concat(cards, ignore_index=True).set_index(["market_type", "bookmaker"])


def best_share(lines: pd.DataFrame, market: str) -> pd.Series:
    """Return how many percent of each bookmaker's prices were the best after commission."""
    prices = prices_of(lines, market)
    keys = ["game", "side", *(["line"] if market == "spread" else [])]
    offers = prices.groupby(keys)["net"]
    prices["is_best"] = prices["net"] >= offers.transform("max") - 1e-9
    prices = prices[offers.transform("size") >= 2]
    return prices.groupby("bookmaker")["is_best"].mean() * 100


def closing_lines(games: pd.DataFrame, market: str) -> pd.DataFrame:
    """Return each bookmaker's last lines.

    A bookmaker without closing prices closed at its earlier ones, unless they were old by then.
    """
    early = read_lines(games, market, closing=False)
    late = read_lines(games, market, closing=True)
    age = (games["kick_off"] - games["taken"]).reindex(early["game"]).to_numpy()
    return pd.concat([late, early[age <= MOST_AGE]]).drop_duplicates(["game", "bookmaker"])


def loss_of(games: pd.DataFrame, lines: pd.DataFrame, market: str) -> pd.DataFrame:
    """Return lines with the log loss of their results; half a result weighs a half."""
    lines = lines.reset_index(drop=True)
    goals = games.loc[lines["game"], ["FTHG", "FTAG"]].reset_index(drop=True)
    margin, scored = goals["FTHG"] - goals["FTAG"], goals["FTHG"] + goals["FTAG"]
    if market == "moneyline":
        winner, weight = np.select([margin > 0, margin == 0], [0, 1], 2), np.ones(len(lines))
    elif market == "total":
        winner, weight = np.where(scored > 2.5, 0, 1), np.ones(len(lines))
    else:
        ahead = margin + lines["line"]
        winner, weight = np.where(ahead > 0, 0, 1), (ahead.abs() * 2).clip(upper=1).to_numpy()
    fair = fair_odds(lines, market, CLOSE_METHOD).to_numpy()
    lines["loss"] = np.log(fair[np.arange(len(lines)), winner])
    lines["weight"] = weight
    lines["weighed"] = lines["loss"] * lines["weight"]
    return lines[margin.notna() & (lines["weight"] > 0)]


def compare_with_command(found: pd.DataFrame, asked: argparse.Namespace) -> bool:
    """Print how figures and seconds of the command differ; return whether all figures agree."""
    alone = [sys.executable, __file__, *map(str, asked.files)]
    alone += ["--scorecards"] * asked.scorecards
    command = ["scorecard"] if asked.scorecards else ["backtest", "--method", METHOD]
    _, own = seconds_of(alone)
    whole = [sys.executable, "-m", "oddsdesk", *command, "--database", asked.database, "--json"]
    printed, took = seconds_of(whole)
    print(f"pandas {own:.2f} s, oddsdesk {' '.join(command)} {took:.2f} s: {took / own:.2f} times")
    said = json.loads(printed)
    if asked.scorecards:
        differences = compare_cards(found, said)
    else:
        differences = compare_bets(found, said["rows"])
    print("\n".join(differences) or "the same figures")
    return not differences


def seconds_of(command: list[str]) -> tuple[str, float]:
    """Run a process; return what it printed, and its seconds."""
    began = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout, time.perf_counter() - began


def place_of(row: dict[str, str]) -> tuple[object, ...]:
    """Return competition, day, home team, market and side of a bet of the command."""
    home = row["match_name"].split(" vs ")[0]
    selection, market = row["selection"], row["market_type"]
    name = selection if market == "moneyline" else selection.rsplit(" ", 1)[0]
    side = {home: 0, "Over": 0, "Draw": 1}.get(name, 2 if market == "moneyline" else 1)
    return row["competition"], row["match_date"][:10], home, market, side


def compare_bets(bets: pd.DataFrame, rows: list[dict[str, object]]) -> list[str]:
    """Return how the bets of the command differ, one line each."""
    day = bets["kick_off"].dt.tz_convert("UTC").dt.strftime("%Y-%m-%d")
    league = bets["Div"].map(LEAGUES).fillna(bets["Div"])
    keys = zip(league, day, bets["HomeTeam"], bets["market"], bets["side"], strict=True)
    mine = dict(zip(keys, bets.to_dict("records"), strict=True))
    theirs = {place_of(row): row for row in rows}
    lines = [f"only here: {key}" for key in sorted(mine.keys() - theirs.keys())]
    lines += [f"only by the command: {key}" for key in sorted(theirs.keys() - mine.keys())]
    for key in mine.keys() & theirs.keys():
        bet, row = mine[key], theirs[key]
        figures = [row["net_odds"], row["ev_pct"], row["profit"], row["clv_pct"]]
        found = np.array([np.nan if each is None else each for each in figures], dtype=float)
        counted = np.array([bet["net"], bet["ev"] * 100, bet["profit"], bet["clv"] * 100])
        is_same = np.allclose(counted, found, rtol=1e-9, atol=1e-9, equal_nan=True)
        if not is_same or bet["bookmaker"] != row["bookmaker"]:
            lines.append(f"{key}: {bet['bookmaker']} {counted}, {row['bookmaker']} {found}")
    return lines


def compare_cards(cards: pd.DataFrame, rows: list[dict[str, object]]) -> list[str]:
    """Return how the scorecards of the command differ, one line each."""
    theirs = pd.DataFrame(rows).set_index(["market_type", "bookmaker"])
    theirs = theirs[list(cards.columns)].astype(float).reindex(cards.index)
    differs = ~np.isclose(cards.astype(float), theirs, rtol=1e-9, equal_nan=True)
    return [
        f"{cards.index[row]} {cards.columns[column]}: {cards.iat[row, column]}, "
        f"by the command {theirs.iat[row, column]}"
        for row, column in zip(*np.nonzero(differs), strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--scorecards", action="store_true", help="Count scorecards, not bets.")
    parser.add_argument("--bets", type=Path, metavar="FILE", help="Write the bets to a CSV file.")
    parser.add_argument("--database", metavar="FILE", help="Compare with the command's figures.")
    asked = parser.parse_args()
    if asked.scorecards:
        found = scorecards(asked.files)
        print(found.to_string(float_format="%.4f"))
    else:
        found = backtest(asked.files)
        print(f"{len(found)} bets, {found['clv'].notna().sum()} closed")
        for name, (figure, low, high) in intervals(found).items():
            print(f"{name} {figure:+.2f}, 95 % interval {low:+.2f} to {high:+.2f}")
    if asked.bets:
        found.to_csv(asked.bets, index=False)
    if asked.database:
        sys.exit(not compare_with_command(found, asked))


if __name__ == "__main__":
    main()
