"""The page of the server's options is what the program declares."""

from pathlib import Path

from oddsdesk.cli.options_page import options_page

DOCUMENT = Path(__file__).parents[3] / "docs" / "server-options.md"


def test_the_page_is_what_the_program_declares() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == options_page(), (
        "run: python -m oddsdesk.cli.options_page > docs/server-options.md"
    )


def test_each_option_has_its_variable_key_values_and_default() -> None:
    page = options_page()
    entry = page.partition("**`--max-connections`**")[2].partition("**`--")[0]
    assert entry.startswith(" (environment `ODDSDESK_MAX_CONNECTIONS`, file `max-connections`)")
    assert "- Values: a whole number of connections, at least 1\n- Default: `10000`\n" in entry
    assert page.count("\n- Values: ") == page.count("\n- Default: ") == page.count("\n**`--")
