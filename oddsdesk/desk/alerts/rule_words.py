"""What a rule looks for, and where it tells, in a few words for a list."""

from oddsdesk.board.alerts.rules import (
    ConnectionRule,
    KickOffRule,
    OpportunityRule,
    Policy,
    Rule,
    SteamRule,
    TargetRule,
    ValueRule,
)
from oddsdesk.contract.markets import market_title
from oddsdesk.desk.ui.formatting import exact_odds_text

EVERYWHERE = "Everywhere"


def watched_text(rule: Rule) -> str:
    """Return what a rule looks for."""
    match rule:
        case ValueRule():
            return f"Value bets of “{rule.preset}” with {rule.least_ev:g} % EV or more"
        case TargetRule():
            where = rule.bookmaker or "any of my bookmakers"
            market = market_title(rule.market) + (f", part {rule.period}" if rule.period else "")
            odds = exact_odds_text(rule.odds)
            return f"{rule.selection} reaches {odds} at {where} · {rule.game} · {market}"
        case OpportunityRule():
            return f"Arbitrage that leaves {rule.least:g} % or more"
        case SteamRule():
            return (
                f"{rule.groups} independent bookmakers or more move by {rule.points:g} points "
                f"within {rule.minutes:g} min"
            )
        case KickOffRule():
            return f"{rule.minutes:g} min before a game on which I have a bet"
        case ConnectionRule():
            return f"No prices for {rule.seconds:g} s"


def policy_text(policy: Policy) -> str:
    """Return when alerts are held back."""
    quiet = "Never quiet" if policy.quiet is None else "Quiet from {} to {}".format(*policy.quiet)
    return (
        f"{quiet} · {policy.most_per_hour} an hour at most · the same again after "
        f"{policy.cooldown_min:g} min, if better by {policy.step:g} pp"
    )


def channels_text(rule: Rule) -> str:
    """Return where the alerts of a rule go."""
    return ", ".join(rule.channels) or EVERYWHERE
