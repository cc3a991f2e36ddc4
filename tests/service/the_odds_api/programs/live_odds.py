"""A program written for The Odds API: lists sports, then the next games with their odds.

The only argument is the host.
"""

import sys

import httpx

HOST = sys.argv[1]
API_KEY = "YOUR_API_KEY"
SPORT = "upcoming"

sports = httpx.get(f"{HOST}/v4/sports", params={"api_key": API_KEY})
if sports.status_code != 200:
    sys.exit(f"no sports: {sports.status_code} {sports.text}")
for sport in sports.json():
    print(sport["key"], sport["group"], sport["title"], sport["active"], sport["has_outrights"])

odds = httpx.get(
    f"{HOST}/v4/sports/{SPORT}/odds",
    params={
        "api_key": API_KEY,
        "regions": "us,eu",
        "markets": "h2h,spreads",
        "oddsFormat": "decimal",
        "dateFormat": "iso",
    },
)
if odds.status_code != 200:
    sys.exit(f"no odds: {odds.status_code} {odds.text}")
print("games:", len(odds.json()))
for game in odds.json():
    print(game["commence_time"], game["home_team"], "v", game["away_team"])
    for bookmaker in game["bookmakers"]:
        for market in bookmaker["markets"]:
            prices = [
                (each["name"], each["price"], each.get("point")) for each in market["outcomes"]
            ]
            print(bookmaker["title"], market["key"], market["last_update"], *prices)
print("left", odds.headers["x-requests-remaining"], "used", odds.headers["x-requests-used"])
