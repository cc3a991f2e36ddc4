"""The Odds API: prices of many bookmakers for credits, with the user's key."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.administration import Choice, Choices, LivePlan, LiveSource, SourceOption
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import Reported
from oddsdesk.contract.times import DAY_MS, MINUTE_MS, WINDOW_MS
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import Imported, SourceFile
from oddsdesk.feeds.live.errors import (
    KeyRefusedError,
    NotAskedError,
    OutOfCreditsError,
    ShapeError,
    SourceError,
    TooFastError,
)
from oddsdesk.feeds.live.guide import GamesGuide, in_order, known_codes
from oddsdesk.feeds.live.polling import CREDITS_AGAIN_S, NO_GAMES, PollingFeed
from oddsdesk.feeds.live.source import KeyUse, decode, retry_after_s
from oddsdesk.feeds.the_odds_api import convert
from oddsdesk.feeds.the_odds_api.importer import SENSELESS, competition_of_sport, moment, scores_of
from oddsdesk.feeds.the_odds_api.planner import Job, Memory, Plan, Planner
from oddsdesk.feeds.the_odds_api.scores import AGAIN_MS, COST

if TYPE_CHECKING:
    from oddsdesk.network.http import Reply


_SPORTS: Final = {"Soccer": "Football", "American Football": "American football"}
"""Our names for the groups of sports."""


class _Sport(msgspec.Struct, frozen=True):
    key: str
    group: str
    title: str
    active: bool = True
    has_outrights: bool = False


class OddsApiGuide(GamesGuide):
    """Uses ``/sports`` and ``/events``, whose answers include the remaining credits."""

    about: ClassVar[LiveSource] = LiveSource(
        "the-odds-api",
        "The Odds API",
        N_("About forty bookmakers, most sports"),
        N_("500 free credits a month"),
        key=N_("Your key for The Odds API"),
        key_url="https://the-odds-api.com/#get-access",
        options=(
            SourceOption(
                "regions",
                N_("Bookmakers of"),
                (
                    ("eu", N_("Europe")),
                    ("uk", N_("UK")),
                    ("us", N_("US")),
                    ("us2", N_("US 2")),
                    ("au", N_("Australia")),
                ),
                ("eu",),
            ),
            SourceOption(
                "markets",
                N_("Markets"),
                (
                    ("h2h", N_("Match result")),
                    ("spreads", N_("Handicaps")),
                    ("totals", N_("Totals")),
                    ("btts", N_("Both teams to score")),
                ),
                ("h2h",),
            ),
        ),
    )

    async def choices(self) -> Choices:
        """Return the sports in season; those with only outrights have no games."""
        listed = decode(list[_Sport], await self.feed.source.get("/v4/sports"), "/sports")
        found = in_order(
            Choice(
                sport.key,
                sport.title,
                _SPORTS.get(sport.group, sport.group),
                known_codes(competition_of_sport(sport.key)),
            )
            for sport in listed
            if sport.active and not sport.has_outrights
        )
        status = self.feed.status.now
        return Choices(found, status.credits_left, status.credits_used)

    async def plan(self, feed: PollingFeed, now_ms: int) -> LivePlan:
        """Return how the planner would pace a feed with the current credits."""
        games = {sport: await self.listed(sport, now_ms) for sport in feed.spec.what}
        if self.feed.status.now.credits_left is None:
            await self.feed.source.get("/v4/sports")
        status = self.feed.status.now
        left, used = status.credits_left, status.credits_used
        plan = cast("TheOddsApi", feed).plan_for(games, left, used, now_ms)
        counts = {sport: len(each) for sport, each in games.items()}
        intervals: dict[str, tuple[float, ...]] = {}
        for job, schedule in plan.schedules.items():
            sport = job.partition("/")[0]
            intervals[sport] = (*intervals.get(sport, ()), schedule.every_s)
        asks_scores = bool(plan.schedules) and cast("TheOddsApi", feed).asks_scores
        text = f"{plan.text}; {_RESULTS_COST}" if asks_scores else plan.text
        return LivePlan(text, counts, left, used, intervals)

    async def games(self, part: str, now_ms: int) -> "list[Game]":
        """Return the games of a sport."""
        return await cast("TheOddsApi", self.feed).games_of(part)


FEATURED: Final = frozenset({"h2h", "spreads", "totals", "outrights", "h2h_lay", "outrights_lay"})
"""Markets that ``/odds`` gives for all games at once; others are read game by game."""
_SAME_MARKET: Final = {"alternate_spreads": "spreads", "alternate_totals": "totals"}
"""The parts of one market of ours, read together, since a quote holds all its lines."""
LIST_S: Final = 300.0
"""How often the games of a competition are listed, which is free."""
BOOKMAKERS_A_REGION: Final = 10
_LIST: Final = "games of "
"""Prefix of the parts that list a competition's games."""
_SCORES: Final = "scores of "
"""Prefix of the parts that ask for a competition's scores."""
_WHICH_SCORES: Final = ("started", "all", "off")
_Price = tuple[str, str, str, int, str]
IN_PLAY_S: Final = 40.0
"""How often the source updates prices in play; before that every 60 s."""
_KEY_CODES: Final = frozenset({"INVALID_KEY", "MISSING_KEY", "DEACTIVATED_KEY"})
_GOES_ON: Final = N_(
    f"checked for free every {CREDITS_AGAIN_S / 60:g} minutes; the feed continues when there are"
    " credits again, or once you change the key"
)
_RESULTS_COST: Final = N_("results take at most a quarter of the credits")
_DEFAULTS: Final = {"regions": "eu", "markets": "h2h", "scores": "started"}


class Refusal(msgspec.Struct, frozen=True):
    """What the body of a refusal says."""

    error_code: str = ""
    message: str = ""


class Game(msgspec.Struct, frozen=True):
    """A game of ``/events``, which costs nothing."""

    id: str
    commence_time: str | int


class TheOddsApi(PollingFeed):
    """Reads competitions; markets that only single games have are read game by game.

    The scores of a competition are asked for once its games should be over.
    """

    source_name: ClassVar[str] = "the-odds-api"
    base_url: ClassVar[str] = "https://api.the-odds-api.com"
    guide = OddsApiGuide
    floor_s: ClassVar[float] = 60.0
    may_share: ClassVar[bool] = False
    key_use: ClassVar[KeyUse | None] = KeyUse(query="apiKey")
    options: ClassVar[frozenset[str]] = frozenset({"regions", "markets", "bookmakers", "scores"})

    def prepare(self) -> None:
        """Sort the markets by how they are requested."""
        for sport in self.spec.what:
            if not sport.replace("_", "").isalnum():
                raise FeedError(f"feed {self.name}: {sport!r} is not a sport key like soccer_epl")
        options = {**_DEFAULTS, **self.spec.options}
        markets = _words(options["markets"])
        self._which_scores = options["scores"]
        if self._which_scores not in _WHICH_SCORES:
            expected = ", ".join(_WHICH_SCORES)
            raise FeedError(f"feed {self.name}: scores: expected one of {expected}")
        by_game = [market for market in markets if market not in FEATURED]
        by_game += [_SAME_MARKET[each] for each in by_game if each in _SAME_MARKET]
        self._by_game = tuple(dict.fromkeys(by_game))
        self._at_once = tuple(market for market in markets if market not in by_game)
        self._asked = {
            "oddsFormat": "decimal",
            "dateFormat": "iso",
            "includeLinks": "true",
            "includeSids": "true",
            "includeBetLimits": "true",
        }
        wanted = "bookmakers" if "bookmakers" in options else "regions"
        self._asked[wanted] = ",".join(_words(options[wanted]))
        self._cost = _cost_of(options) if wanted == "regions" else _cost_of_bookmakers(options)
        self._games: dict[str, list[Game]] = {}
        self._prices: dict[str, dict[_Price, float]] = {}
        self._charged: dict[str, int] = {}
        """Cost of a game's last reading: only the markets that it has are charged."""
        self._left_out: dict[str, int] = {}
        self._last: int | None = None
        """Cost of the last reading of prices; None if the source did not say."""
        self._failed: set[str] = set()
        """Parts whose last reading may have been charged but gave nothing."""
        self._over: dict[str, list[str]] = {}
        """The ids of the games that ended, in the last answer of each competition's scores."""
        self._bad_scores: dict[str, str] = {}
        """Why scores of that answer could not be read."""
        self._planner = Planner()
        self._reports_credits = False
        """Whether the last answer had the number of credits."""

    @property
    def asks_scores(self) -> bool:
        """Whether credits are spent on results."""
        return self._which_scores != "off"

    def recall(self, kept: bytes) -> None:
        """Restore the planner's memory; parts that were read a while ago are due immediately."""
        try:
            memory = msgspec.json.decode(kept, type=Memory)
        except msgspec.DecodeError:
            return  # from another version
        since = self.clock() - WINDOW_MS  # older entries are read at once
        polled = {job: at for job, at in memory.polled_ms.items() if at > since}
        self._planner = Planner(msgspec.structs.replace(memory, polled_ms=polled))

    def parts(self) -> Sequence[str]:
        """Return the lists of games, competitions with known games, single games, and scores."""
        lists = [_LIST + sport for sport in self.spec.what]
        known = [sport for sport in self._games if self._at_once]
        games = [job.name for job in self._jobs() if job.is_game]
        return [*lists, *known, *games, *map(_SCORES.__add__, self._scores_due(self.clock()))]

    async def read(self, part: str, now_ms: int) -> bytes | None:
        """Return the odds of a competition or game; None, at no cost, if it has no game."""
        if part.startswith(_LIST):
            listed = part.removeprefix(_LIST)
            games = self._games[listed] = await self.games_of(listed)
            kick_offs = {game.id: _kick_off(game) for game in games}
            if self._planner.memory.scores.note_games(listed, kick_offs, now_ms):
                self._keep_memory()
            return None
        if part.startswith(_SCORES):
            return await self._read_scores(part.removeprefix(_SCORES), now_ms)
        sport, _, game = part.partition("/")
        if not self._games.get(sport):
            return None
        if self._lacks_credits():
            raise OutOfCreditsError(self._no_credits())
        if game:
            path, markets = f"/v4/sports/{sport}/events/{game}/odds", self._by_game
        else:
            path, markets = f"/v4/sports/{sport}/odds", self._at_once
        self._note_charge(None)
        self._note_asked(part, now_ms)
        try:
            body = await self.source.get(path, {**self._asked, "markets": ",".join(markets)})
        except (KeyRefusedError, NotAskedError, OutOfCreditsError):  # nothing was charged
            self._planner.memory.asked_ms.pop(part, None)
            raise
        if game and self._last:
            self._charged[part] = self._last
        return body

    async def _read_scores(self, sport: str, now_ms: int) -> bytes | None:
        """Return the scores of a competition; None if it has none: that is no fault of the feed."""
        scores = self._planner.memory.scores
        before = scores.asked_ms.get(sport)
        days = scores.days_from(sport, now_ms, at_least_daily=self._which_scores == "all")
        scores.note_asked(sport, now_ms)
        self._note_charge(None)
        try:
            body = await self.source.get(
                f"/v4/sports/{sport}/scores", {"daysFrom": str(days), "dateFormat": "iso"}
            )
        except (KeyRefusedError, NotAskedError, OutOfCreditsError, TooFastError):
            scores.asked_ms.pop(sport)
            if before is not None:
                scores.asked_ms[sport] = before
            raise
        except SourceError as error:
            self.status.aside(N_(f"scores of {sport}"), N_(f"no scores of {sport}: {error}"))
            body = None
        scores.note_spent(COST if self._last is None else self._last, now_ms)
        self._keep_memory()
        return body

    async def games_of(self, sport: str) -> list[Game]:
        """Return the games of a competition, which is free."""
        found = await self.source.get(f"/v4/sports/{sport}/events", {"dateFormat": "iso"})
        return decode(list[Game], found, f"/events of {sport}")

    def plan_for(
        self, games: Mapping[str, list[Game]], left: int | None, used: int | None, now_ms: int
    ) -> Plan:
        """Return the plan for these games and credits; it asks nothing."""
        self._games = dict(games)
        if left is not None and used is not None:
            self._planner.note_credits(left, used, now_ms)
        return self._planner.plan_jobs(self._jobs(), now_ms)

    def parse(self, part: str, answer: Any, now_ms: int) -> Sequence[Reported]:
        """Return the quotes or results of an answer, using the importer for such files."""
        self._left_out[part] = 0
        if answer is None or answer.strip() == b"[]":
            return []
        if part.startswith(_SCORES):
            return self._results_of(part, answer)
        try:
            imported = convert(SourceFile(part, answer), is_decimal=True)
        except FeedError as error:
            raise ShapeError(str(error)) from error
        self._left_out[part] = sum(imported.skipped[reason] for reason in SENSELESS)
        return _quotes_of(imported)

    def _results_of(self, part: str, answer: bytes) -> Sequence[Reported]:
        try:
            scored, problems = scores_of(answer)
        except FeedError as error:
            scored, problems = [], [str(error)]
        self._over[part] = [f"{event.id}" for event, _ in scored if event.completed]
        self._bad_scores[part] = problems[0] if problems else ""
        return [result for _, result in scored]

    def left_out(self, part: str) -> int:
        """Return the number of impossible prices in the last answer."""
        return self._left_out.get(part, 0)

    def judge(self, reply: "Reply") -> None:
        """Count credits; check the error code, since running out of credits is also a 401."""
        left, used = (_number(reply, f"x-requests-{name}") for name in ("remaining", "used"))
        self._reports_credits = left is not None and used is not None
        self.status.credits(left, used)
        self._note_charge(_number(reply, "x-requests-last") or 0)
        if left is not None and used is not None:
            self._planner.note_credits(left, used, self.clock())
        if reply.status == 200:
            return
        refusal = read_refusal(reply.body)
        if refusal.error_code == "OUT_OF_USAGE_CREDITS":
            raise OutOfCreditsError(self._no_credits())
        if refusal.error_code == "EXCEEDED_FREQ_LIMIT":
            raise TooFastError(f"too many requests to {self.source.host}", _wait_s(reply))
        if refusal.error_code in _KEY_CODES:
            assert self.source.keys is not None
            raise KeyRefusedError(
                f"{self.source.host} refuses the key ({refusal.error_code});"
                f" {self.source.keys.advice()}"
            )
        if refusal.error_code:
            raise SourceError(f"{refusal.error_code}: {refusal.message}"[:200])

    def interval_s(self, part: str) -> float:
        """Return the source's own pace: faster while a game is in play."""
        if part.startswith(_SCORES):
            return max(AGAIN_MS / 1000, self.every_s)
        if self.spec.every_s is not None:
            return self.every_s
        if part.startswith(_LIST):
            return LIST_S
        return IN_PLAY_S if self._is_in_play(part) else self.every_s

    def not_before(self, now_ms: int) -> Mapping[str, int]:
        """Return when each paid part may be read: as planned, never faster than its pace."""
        asked = self._planner.memory.asked_ms
        for part, at in asked.items():
            asked[part] = min(at, now_ms)  # the clock may have been set back
        paced = {part: at + round(self.interval_s(part) * 1000) for part, at in asked.items()}
        planned = self._planned(now_ms)
        for sport, at in self._scores_due(now_ms).items():
            planned[_SCORES + sport] = at
        return paced | {name: max(at, paced.get(name, 0)) for name, at in planned.items()}

    def _scores_due(self, now_ms: int) -> dict[str, int]:
        """Return when the scores of each competition are asked for, if any of its games waits."""
        if not self.asks_scores:
            return {}
        daily = self._which_scores == "all"
        sharing = self.sharing()
        return self._planner.plan_scores(self.spec.what, now_ms, sharing, at_least_daily=daily)

    def _planned(self, now_ms: int) -> dict[str, int]:
        """Return when the planner wants each competition and game to be read."""
        account = self._planner.memory.credits
        if account is None or self._lacks_credits():  # there is nothing to share
            return {}
        jobs = self._jobs()
        plan = self._planner.plan_jobs(jobs, now_ms, self.sharing())
        if len(self._games) == len(self.spec.what):  # only once all games are known
            self.status.plan(plan.text, now_ms, plan.next_ms)
        never = now_ms + round(LIST_S * 1000)
        later = {job.name: account.renewal_ms for job in jobs if job.cost > account.spendable}
        schedules = {job.name: plan.schedules.get(job.name) for job in jobs if job.kick_offs}
        return {
            name: later.get(name, never) if schedule is None else schedule.next_ms
            for name, schedule in schedules.items()
        }

    def emptiness(self) -> str:
        """Use the lists of games, in which a game without prices is included."""
        is_listed = len(self._games) == len(self.spec.what)
        return NO_GAMES if is_listed and not any(self._games.values()) else ""

    def heard(self, part: str, quotes: Sequence[Quote], now_ms: int) -> None:
        """Tell the planner how much an answer differed from the last one, or which games ended."""
        if part.startswith(_SCORES):
            self._note_scores(part)
            return
        job = next((each for each in self._jobs() if each.name == part), None)
        if job is None or not job.kick_offs:
            return
        before, now = self._prices.get(part, {}), _prices_of(quotes)
        both = [price for price in now if price in before]
        differed = sum(now[price] != before[price] for price in both) / len(both) if both else None
        self._prices[part] = now
        self._failed.discard(part)
        self._planner.note_poll(job, now_ms, differed)
        self._keep_memory()

    def _note_scores(self, part: str) -> None:
        sport = part.removeprefix(_SCORES)
        self._planner.memory.scores.note_over(sport, self._over.pop(part, ()))
        self._keep_memory()
        if trouble := self._bad_scores.pop(part, ""):
            self.status.aside(part, N_(f"some {part} cannot be read: {trouble}"))

    def _keep_memory(self) -> None:
        self.keep(msgspec.json.encode(self._planner.memory))

    def failed(self, part: str, error: Exception, now_ms: int) -> None:
        """Try a possibly paid part once more soon, then as planned."""
        job = next((each for each in self._jobs() if each.name == part), None)
        is_free = isinstance(error, NotAskedError) if self._last is None else self._last <= 0
        if job is None or is_free:
            return
        if part in self._failed:
            self._planner.note_poll(job, now_ms)
            self._keep_memory()
        self._failed.add(part)

    def _lacks_credits(self) -> bool:
        """Return whether the credits are known and too few for a reading."""
        account = self._planner.memory.credits
        costs = [job.cost for job in self._jobs() if job.kick_offs]
        return account is not None and bool(costs) and min(costs) > account.spendable

    def _note_asked(self, part: str, now_ms: int) -> None:
        """Remember, even across restarts, that a paid part was requested."""
        asked = self._planner.memory.asked_ms
        old = [each for each, at in asked.items() if at < now_ms - DAY_MS]  # ``every`` is shorter
        for each in old:
            del asked[each]
        asked[part] = now_ms
        self._keep_memory()

    def _note_charge(self, cost: int | None) -> None:
        self._last = cost

    def _jobs(self) -> list[Job]:
        jobs = []
        for sport, games in self._games.items():
            kick_offs = tuple(_kick_off(game) for game in games)
            if self._at_once:
                jobs.append(self._job(sport, kick_offs, self._at_once))
            if self._by_game:
                names = (f"{sport}/{game.id}" for game in games)
                pairs = zip(names, kick_offs, strict=True)
                jobs += [self._job(name, (at,), self._by_game, is_game=True) for name, at in pairs]
        return jobs

    def _job(
        self,
        name: str,
        kick_offs: tuple[int, ...],
        markets: Sequence[str],
        *,
        is_game: bool = False,
    ) -> Job:
        cost = self._charged.get(name, len(markets) * self._cost)
        return Job(name, cost, kick_offs, len(markets), self.interval_s(name), is_game)

    async def has_credits(self) -> bool:
        """Get the credits from ``/sports``, which is free; if unknown, a reading may be tried."""
        await self.source.get("/v4/sports")
        if not self._reports_credits:
            self._planner.memory.credits = None
            return True
        return not self._lacks_credits()

    def _no_credits(self) -> str:
        if text := self._planner.used_up(self._jobs()):
            self.status.plan(text, self.clock())
        left, used = self.status.now.credits_left, self.status.now.credits_used
        text = N_("the credits are used up")
        if used is not None:
            text = N_(f"the credits are used up ({used:,} used)")
        if left is not None and left > 0:
            cost = min((job.cost for job in self._jobs()), default=0)
            text = N_(
                f"{left:,} credits left, including a small reserve, but a reading costs {cost:g}"
            )
        return f"{text}; {_GOES_ON}"

    def _is_in_play(self, part: str) -> bool:
        sport, _, game = part.partition("/")
        now = self.status.now.read_at or 0
        return any(
            _kick_off(each) <= now + MINUTE_MS
            for each in self._games.get(sport, ())
            if not game or each.id == game
        )


def _prices_of(quotes: Iterable[Quote]) -> dict[_Price, float]:
    return {
        (quote.bookmaker, quote.match_name, quote.market_type, quote.period, selection): price
        for quote in quotes
        for selection, price in quote.odds.items()
    }


def _cost_of(options: Mapping[str, str]) -> int:
    """Return the credits that a reading of a market costs: one per region."""
    return len(_words(options["regions"]))


def _cost_of_bookmakers(options: Mapping[str, str]) -> int:
    return math.ceil(len(_words(options["bookmakers"])) / BOOKMAKERS_A_REGION)


def _words(text: str) -> tuple[str, ...]:
    words = tuple(word.strip() for word in text.split(",") if word.strip())
    if not all(word.replace("_", "").isalnum() for word in words) or not words:
        raise FeedError("feed the-odds-api: expected keys such as h2h,totals, separated by commas")
    return words


def _quotes_of(imported: Imported) -> list[Quote]:
    if imported.problems and not imported.quotes:
        raise ShapeError(imported.problems[0])
    return imported.quotes


def read_refusal(body: bytes) -> Refusal:
    """Return what a body says; nothing if it is no refusal."""
    try:
        return msgspec.json.decode(body, type=Refusal)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Refusal()


def _wait_s(reply: "Reply") -> float:
    return retry_after_s(reply.headers)


def _number(reply: "Reply", name: str) -> int | None:
    """The whole number in a header, which may be negative; None for anything else."""
    text = reply.headers.get(name, "")
    digits = text.removeprefix("-")
    is_number = digits.isascii() and digits.isdigit() and len(digits) < 12
    return int(text) if is_number else None


def _kick_off(game: Game) -> int:
    try:
        return moment(game.commence_time)
    except FeedError:
        return 1 << 60
