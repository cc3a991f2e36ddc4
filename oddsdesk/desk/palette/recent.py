"""What was gone to last, kept between starts."""

import json
import logging

from oddsdesk.desk.layout import Layout

_KEY = "palette/recent"
_MOST = 12

_log = logging.getLogger(__name__)


class Recent:
    """Idents of entries, the latest first."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.idents = _read(layout.get(_KEY, "[]"))

    def use(self, ident: str) -> None:
        """Note that an entry was taken."""
        others = [other for other in self.idents if other != ident]
        self.idents = [ident, *others][:_MOST]
        self._layout.put(_KEY, json.dumps(self.idents))


def _read(text: str) -> list[str]:
    try:
        idents = json.loads(text)
    except ValueError:
        idents = None
    if not isinstance(idents, list) or not all(isinstance(ident, str) for ident in idents):
        _log.warning("%s: expected a JSON list of names; it is started anew", _KEY)
        return []
    return idents[:_MOST]
