"""`oddsdesk ledger sync`: reads the user's own bets from an exchange or prediction market."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from oddsdesk.base.clock import system_clock
from oddsdesk.base.market_words import selection_text, shown_game
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, pgettext, translated
from oddsdesk.cli.options import json_option, ledger_option, moment
from oddsdesk.cli.own_records import open_ledger, own_profiles
from oddsdesk.cli.terminal import plain, print_counts, print_problems, read_input
from oddsdesk.contract.identity import game_id
from oddsdesk.feeds.accounts import AccountBet, AccountBets, AccountSource, clock_apart
from oddsdesk.feeds.accounts import betfair as betfair_account
from oddsdesk.feeds.accounts import kalshi as kalshi_account
from oddsdesk.feeds.accounts import polymarket as polymarket_account
from oddsdesk.feeds.betfair.catalogue import BOOKMAKER as BETFAIR
from oddsdesk.feeds.betfair.live import Betfair, judge_answer
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.kalshi import Kalshi
from oddsdesk.feeds.live.keys import KeySource
from oddsdesk.feeds.live.source import KeyUse, Source
from oddsdesk.feeds.polymarket.live import GAMMA
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.syncing import Synced, compare_account
from oddsdesk.network import BadAddressError, read_address
from oddsdesk.pricing.profiles import Profiles

if TYPE_CHECKING:
    from oddsdesk.network.http import Reply

_SERVICES: Final = ("betfair", "kalshi", "polymarket")


@click.command()
@ledger_option(is_made=True)
@click.argument("service", type=click.Choice(_SERVICES))
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=_(
        "File with the key: Betfair's app key and session token, separated by a "
        "colon, or the id of Kalshi's key. Default: the feed's key, from the "
        "keyring or the environment."
    ),
)
@click.option(
    "--private-key",
    type=click.Path(path_type=Path),
    envvar="ODDSDESK_KALSHI_PRIVATE_KEY",
    metavar="FILE",
    help=_("Kalshi's private key, a PEM file."),
)
@click.option(
    "--wallet", metavar="ADDRESS", help=_("Wallet address of your Polymarket profile: 0x...")
)
@click.option(
    "--file",
    "files",
    multiple=True,
    metavar="FILE",
    help=_("Read recorded Betfair answers or an order stream from a file; send no requests."),
)
@click.option(
    "--since",
    callback=moment,
    metavar="TIME",
    help=_("Leave out bets settled before this: a date, or a time with an offset."),
)
@click.option(
    "--account",
    default="",
    metavar="NAME",
    help=_("Your name for the account, noted with new bets."),
)
@click.option("--url", metavar="ADDRESS", help=_("Address of the service, if not the usual one."))
@click.option("--dry-run", is_flag=True, help=_("Only print what would be recorded."))
@json_option
def sync(path: Path, service: str, as_json: bool, dry_run: bool, account: str, **options: Any) -> None:  # fmt: skip # noqa: E501
    """Record your own bets from an exchange or prediction market.

    It only reads: nothing is placed, cancelled or changed there. New bets are recorded, and open
    ones get the account's amounts and results. Bets that you typed or imported before are
    recognised by selection, odds, stake and time, and are not added again. `oddsdesk ledger undo`
    reverts all of it.

    Anything that is only partly known is listed. The status is 1 if anything is missing.

    \b
    Example:
      oddsdesk ledger sync betfair --dry-run
      oddsdesk ledger sync kalshi --private-key kalshi.pem --since 2026-11-01
      oddsdesk ledger sync polymarket --wallet 0x56687bf447db6ffa42ffe2204a05edaa20f55839
    """
    options["url"] = _address(options["url"])
    _check_options(service, **options)
    profiles = own_profiles()
    try:
        found = _read(service, profiles, **options)
    except FeedError as error:
        raise click.ClickException(f"{service}: {translated(str(error))}") from error
    bets = [_placed(service, found, bet, account) for bet in found.bets]
    with open_ledger(path, is_made=not dry_run) as held:
        synced = compare_account(bets, held.read_bets(), profiles)
        if not dry_run and (synced.fresh or synced.changed):
            held.take_over(synced.fresh, synced.changed, "synced")
    _print(service, found, synced, dry_run=dry_run, as_json=as_json)
    if found.problems or synced.problems:
        raise click.exceptions.Exit(1)


def _check_options(
    service: str,
    *,
    private_key: Path | None,
    wallet: str | None,
    files: tuple[str, ...],
    **_others: Any,
) -> None:
    if service == "polymarket" and (
        wallet is None or not polymarket_account.WALLET.fullmatch(wallet)
    ):
        raise click.UsageError(_("polymarket needs --wallet: 0x and 40 digits, from your profile"))
    if service == "kalshi" and private_key is None:
        raise click.UsageError(_("kalshi needs --private-key, the file that Kalshi gave you"))
    if files and service != "betfair":
        raise click.UsageError(_("--file is for betfair"))


def _address(url: str | None) -> str | None:
    try:
        return None if url is None else read_address("--url", url, ("https", "http"))
    except BadAddressError as error:
        raise click.UsageError(translated(str(error))) from error


def _read(
    service: str,
    profiles: Profiles,
    *,
    key_file: Path | None,
    private_key: Path | None,
    wallet: str | None,
    files: tuple[str, ...],
    since: int | None,
    url: str | None,
) -> AccountBets:
    """Return the bets of an account.

    Raises:
        FeedError: nothing can be read.
    """
    clocks = _Clocks()
    keys = KeySource(service, key_file)
    match service:
        case "betfair":
            orders = betfair_account.BetfairOrders(profiles.profile_of(BETFAIR))
            if files:
                for file in files:
                    orders.take_file(read_input(file))
                return orders.account_bets(since)
            use = KeyUse(headers=("X-Application", "X-Authentication"))
            opened = Source(url or Betfair.base_url, keys, use, clocks.judging(judge_answer))
            source = AccountSource(opened, betfair_account.READS)
            found = _run(lambda: betfair_account.read_betfair(source, orders, since), source)
        case "kalshi":
            opened = Source(url or Kalshi.base_url, keys, None, clocks.judging(None))
            assert private_key is not None
            opened.sign = kalshi_account.Signature(private_key, system_clock).headers_of
            source = AccountSource(opened, kalshi_account.READS)
            found = _run(lambda: kalshi_account.read_kalshi(source, since), source)
        case _:
            addresses = (
                (polymarket_account.DATA, GAMMA) if url is None else (f"{url}/data", f"{url}/gamma")
            )
            data, gamma = (
                AccountSource(
                    Source(address, None, None, clocks.judging(None)), polymarket_account.READS
                )
                for address in addresses
            )
            found = _run(
                lambda: polymarket_account.read_polymarket(data, gamma, wallet or "", since),
                data,
                gamma,
            )
    found.problems += [
        N_("the time may be wrong: {reason}").format(reason=each) for each in clocks.warnings[:1]
    ]
    return found


class _Clocks:
    """Compares this machine's clock with the services'; ``warnings`` lists the differences."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def judging(self, judge: Callable[["Reply"], None] | None) -> Callable[["Reply"], None]:
        def judge_and_compare(reply: "Reply") -> None:
            apart = clock_apart(reply, system_clock())
            if apart and reply.status in (400, 401, 403):
                raise FeedError(
                    N_("refused ({status}), and {apart}").format(status=reply.status, apart=apart)
                )
            if apart:
                self.warnings.append(apart)
            if judge is not None:
                judge(reply)

        return judge_and_compare


def _run(read: Callable[[], Awaitable[AccountBets]], *sources: AccountSource) -> AccountBets:
    async def read_and_close() -> AccountBets:
        try:
            return await read()
        finally:
            for source in sources:
                await source.close()

    return asyncio.run(read_and_close())


def _placed(service: str, found: AccountBets, bet: AccountBet, account: str) -> PlacedBet:
    fields = msgspec.structs.asdict(bet)
    ident, is_lay = fields.pop("ident"), fields.pop("is_lay")
    return PlacedBet(
        game_id=game_id(bet.competition, bet.match_name),
        bookmaker=found.bookmaker,
        kind=BetKind.LAY if is_lay else BetKind.BACK,
        currency=found.currency,
        account=account,
        source_id=f"{service} {ident}",
        settled_by=found.bookmaker if bet.result is not None else "",
        **fields,
    )


def _print(
    service: str, found: AccountBets, synced: Synced, *, dry_run: bool, as_json: bool
) -> None:
    problems = [*found.problems, *synced.problems]
    counts: dict[str, Any] = {
        "bets": len(synced.fresh),
        "there_already": synced.there,
        "changed": len(synced.changed),
        "settled": synced.settled,
        "bad": len(problems),
    }
    if as_json:
        lists = {"problems": problems, "remarks": found.remarks}
        fresh = [_fields(bet) for bet in synced.fresh]
        changed = [_fields(bet) for bet in synced.changed]
        told = counts | {"dry_run": dry_run, "new": fresh, "changes": changed} | lists
        click.echo(json.dumps(told, indent=2))
        return
    if dry_run:
        for bet in synced.fresh:
            click.echo(_("new: {bet}").format(bet=_bet_text(bet)))
        for bet in synced.changed:
            click.echo(_("changed: {bet}").format(bet=_bet_text(bet)))
    print_counts(counts, as_json=False)
    print_problems(service, [plain(line) for line in problems])
    print_problems(service, [plain(line) for line in found.remarks])
    if dry_run:
        click.echo(_("nothing was recorded"), err=True)


def _fields(bet: PlacedBet) -> dict[str, Any]:
    names = ("source_id", "match_name", "market_type", "period", "selection", "odds", "net_odds")
    told = {name: getattr(bet, name) for name in (*names, "stake", "currency", "cashed_back")}
    result = None if bet.result is None else bet.result.value
    return told | {
        "kind": bet.kind.value,
        "liability": bet.liability,
        "result": result,
        "profit": bet.profit,
    }


def _bet_text(bet: PlacedBet) -> str:
    result = pgettext("a bet without a result", "open")
    if bet.result is not None:
        result = f"{translated(bet.result.words)} {num(bet.profit):+.2f}"
    money = f"{num(bet.stake):.2f} {bet.currency}".strip()
    where = plain(f"{selection_text(bet.selection)}, {shown_game(bet.match_name)}")
    if bet.kind is BetKind.LAY:
        text = _("lay {where}: {money} at {odds:.4g}, {result}")
    else:
        text = _("{where}: {money} at {odds:.4g}, {result}")
    return text.format(where=where, money=money, odds=num(bet.odds), result=result)
