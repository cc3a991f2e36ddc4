"""How values are bound to statements."""

import re
from pathlib import Path

import oddsdesk


def test_no_placeholder_is_numbered():
    """Python 3.12.0 to 3.12.3 take ``?1`` for a name, and warn of every tuple that is bound."""
    sources = Path(oddsdesk.__file__).parent.rglob("*.py")
    numbered = [path.name for path in sources if re.search(r"[ (=<>]\?\d", path.read_text("utf-8"))]
    assert numbered == []
