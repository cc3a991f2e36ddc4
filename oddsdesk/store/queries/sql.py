"""What each engine says in its own way: the texts of queries, by the module that asks them.

A value is ``:name`` in a text; ``{name}`` is put in before it runs. What both engines
understand alike stands where it is asked.
"""

from typing import Final, NamedTuple

WITH_LEVELS: Final = """CASE WHEN q.offers LIKE '%":[[%' THEN q.offers END"""
"""What is offered by a quote ``q`` where it holds levels of a book; else NULL."""


class ConditionsSql(NamedTuple):
    """Parts of conditions."""

    is_one_of: str
    """A text column is in a list; ``{}`` is the name of the list's parameter."""


class AsOfSql(NamedTuple):
    """``queries.as_of``."""

    seen: str
    """The present quotes of ``:games``: game, bookmaker, market type, period, whether in play,
    ``scraped_at``, odds, link, liquidity."""
    ahead: str
    """When markets of ``:games`` were seen last ahead of play or before they went, up to ``:at``:
    game, bookmaker, market type, period, ``scraped_at``."""
    last: str
    """The last move up to ``:at`` of each selection of ``:games``: game, bookmaker, market type,
    period, itself, odds, whether in play, ``scraped_at``, liquidity, ``seq``; of those of one time
    the one that was recorded last."""
    totals: str
    """Of each of ``:games`` of which anything stood that is ``{visible}`` (``stood``): its row, how
    many bookmakers, the newest ``scraped_at``, whether in play, whether the bookmaker asked for is
    among them. From its quotes where none was seen later and one has a price, else from the log."""
    candidates: str
    """The games to look at in their order, where ``{wanted}``."""
    counts: str
    """How many present quotes each of ``:games`` has."""


class CatalogueSql(NamedTuple):
    """``queries.catalogue``."""

    sports: str
    """Competition, how many games; those alone that ``{told}``, and whose ``{newest}`` is
    fresh where a price lies in the future."""
    bookmakers: str
    """Bookmaker, whether in play, ``{newest}``, selections; where ``{fresh}`` and ``{told}``."""


class ListingSql(NamedTuple):
    """``queries.listing``."""

    games: str
    """Games ``g`` in the order of D13 by their index ``{index}``, where ``{wanted}``; counted and
    dated (``{newest}``) by what is ``{covered}``."""


class LogSql(NamedTuple):
    """``queries.log``."""

    after: str
    """Moves of ``:shard`` after ``:seq`` in their order, each with whether it is not ``{told}``."""
    last_seq: str
    """The newest number of ``:shard`` that there ever was; nothing or 0 for none."""
    history: str
    """How every bookmaker moved a selection: bookmaker, odds, whether in play, ``scraped_at``."""
    stood: str
    """Which prices of ``:asked`` stood: place, selection, odds. That is a JSON array of arrays:
    place, game, bookmaker, market type, period, time, selection."""
    withdrawn: str
    """The places of the markets of ``:asked`` that were withdrawn at their time. That is a JSON
    array as for ``stood``, without selections."""
    of_shard: str
    """The condition that a move ``c`` is of ``:shard``."""
    by_time: str
    """What leads to moves of a game by the time of their prices; empty where nothing does."""


class OddsSql(NamedTuple):
    """``queries.odds``."""

    rows: str
    """Quotes ``q`` of games ``g`` in the order of D13 by ``{games_index}`` and ``{quotes_index}``,
    where ``{wanted}``, in the order of ``odds.FoundOdds``."""
    is_json: bool
    """Whether that is one value that holds all rows, a JSON array of arrays."""
    market_index: str
    """What leads to the quotes of one market type."""


class PastSql(NamedTuple):
    """``queries.past``."""

    ends: tuple[str, str] | None
    """The first move from ``:seq`` on and the last of all: ``seq``, ``recorded_at``. They lead to
    ``:first``, the number of the first move from ``:since_ms`` on; None where nothing asks it."""
    since: str
    """How a bookmaker moved a selection from then on: odds, whether in play, ``scraped_at``."""
    before: str
    """The last of its moves before that."""


class QuotesSql(NamedTuple):
    """``queries.quotes``."""

    kept_id: str
    """What the game ``:game_id`` became part of, and that one in turn: their ids, as ``kept``."""


class StandingSql(NamedTuple):
    """``queries.standing``."""

    quotes: str
    """The present quotes of fresh games in their order, as ``values.StandingQuote``."""
    draws: str
    """Game id, bookmaker, period of moneylines whose ``:texts`` moved."""


class ValuationSql(NamedTuple):
    """``queries.valuation``."""

    games: str
    """Id, name and sport of games that are fresh or have value bets."""
    prices: str
    """Market type, period, and what all bookmakers say in one text (a row each would take three
    times as long): a JSON array of name, odds, ``scraped_at``, whether in play, by name; where
    ``{wanted}`` and ``{told}``, of markets that are ``{having}``."""
    said: str
    """What bookmakers say of markets, in one text as ``prices``, each with its market before the
    name: of ``:asked``, a JSON array of game, market type, period and names, where ``{told}``."""
    drew: str
    """Bookmakers whose ``:texts`` moved in a moneyline."""
    moneylines: str
    """Match name, bookmaker, odds of ``:names`` in the competition of a game."""


class ValueBetsSql(NamedTuple):
    """``queries.value_bets``."""

    bets: str
    """Value bets ``v`` of games ``g``, priced by ``q``, valued by ``r``, where ``{wanted}``."""
    holds: str
    """The condition that the price stands, and all that it was valued by."""


class ReaderSql(NamedTuple):
    """``store.reader``."""

    last_scraped_at: str
    newest_price: str
    sources: str
    """The keys of settings that say when a source was recorded, from ``:since`` on."""


class Sql(NamedTuple):
    """All texts of an engine."""

    as_of: AsOfSql
    catalogue: CatalogueSql
    conditions: ConditionsSql
    listing: ListingSql
    log: LogSql
    odds: OddsSql
    past: PastSql
    quotes: QuotesSql
    reader: ReaderSql
    standing: StandingSql
    valuation: ValuationSql
    value_bets: ValueBetsSql
