"""The user's own files: bookmakers, rules of alerts, settings of the desk."""

from collections.abc import Callable

from oddsdesk.board.alerts.rules import RULES_FILE, RulesFileError, read_rules
from oddsdesk.cli.checks.finding import Finding, Mark, Section
from oddsdesk.cli.own_records import settings_file, settings_problems
from oddsdesk.ledger.bookmakers import bookmakers_file, known_bookmakers
from oddsdesk.places import NoHomeError, settings_folder


def own_files() -> Section:
    """Tell what of the user's own files is not read: prices are then judged without it."""
    return Section(
        "own files",
        (
            *_found("bookmakers", lambda: bookmakers_file().exists(), _bookmakers),
            *_found("alerts", lambda: (settings_folder() / RULES_FILE).exists(), _rules),
            *_found("settings", lambda: settings_file().exists(), settings_problems),
        ),
    )


def _found(
    name: str, is_there: Callable[[], bool], problems: Callable[[], list[str]]
) -> list[Finding]:
    try:
        if not is_there():
            return [Finding(name, "none of your own")]
        broken = [Finding(name, problem, Mark.BROKEN) for problem in problems()]
    except NoHomeError as error:
        return [Finding(name, str(error), Mark.NOTE)]
    except OSError as error:
        return [Finding(name, f"cannot be looked for: {error.strerror or error}", Mark.BROKEN)]
    return broken or [Finding(name, "all of it is read")]


def _bookmakers() -> list[str]:
    return known_bookmakers().problems


def _rules() -> list[str]:
    try:
        read_rules(settings_folder() / RULES_FILE)
    except RulesFileError as error:
        return [str(error)]
    return []
