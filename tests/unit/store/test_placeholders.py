"""How values are bound to statements."""

import re
from pathlib import Path

import oddsdesk


def test_no_placeholder_is_numbered():
    """Python 3.12.0 to 3.12.3 take ``?1`` for a name, and warn of every tuple that is bound."""
    program, tests = Path(oddsdesk.__file__).parent, Path(__file__).parents[2]
    sources = [*program.rglob("*.py"), *tests.rglob("*.py")]
    texts = {path: path.read_text("utf-8") for path in sources if path != Path(__file__)}
    assert [path for path, text in texts.items() if re.search(r"[ (=<>,]\?\d", text)] == []
