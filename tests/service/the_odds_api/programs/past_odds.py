"""A program written for The Odds API: walks back through the history, then reads one game.

The arguments are the host and a date.
"""

import sys

import httpx

HOST, DATE = sys.argv[1:]
API_KEY = "YOUR_API_KEY"
SPORT = "soccer_epl"
PARAMETERS = {
    "api_key": API_KEY,
    "regions": "us,uk,eu",
    "markets": "h2h",
    "oddsFormat": "american",
    "dateFormat": "iso",
}


def ask(path: str, date: str) -> httpx.Response:
    url = f"{HOST}/v4/historical/sports/{SPORT}/{path}"
    answer = httpx.get(url, params={**PARAMETERS, "date": date})
    if answer.status_code != 200:
        sys.exit(f"{path}: {answer.status_code} {answer.json()['error_code']}")
    return answer


date = DATE
for _ in range(3):
    snapshot = ask("odds", date).json()
    print(snapshot["timestamp"], "games:", len(snapshot["data"]), snapshot["next_timestamp"])
    date = snapshot["previous_timestamp"]

event = ask("events", DATE).json()["data"][0]["id"]
answer = ask(f"events/{event}/odds", DATE)
game = answer.json()["data"]
for bookmaker in game["bookmakers"]:
    prices = [(each["name"], each["price"]) for each in bookmaker["markets"][0]["outcomes"]]
    print(bookmaker["key"], *prices)
print("left", answer.headers["x-requests-remaining"], "used", answer.headers["x-requests-used"])
