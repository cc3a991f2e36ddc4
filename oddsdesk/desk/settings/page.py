"""docs/settings.md, made from the declared settings; run this module to write it anew."""

import sys
from typing import Any

from oddsdesk.desk.settings.declared import SECTIONS
from oddsdesk.desk.settings.kinds import Choice, Setting, Toggle

_HEAD = """# Settings

Open them with **Menu > Settings** (Ctrl+,). They take effect at once and are kept in
`desk.ini` in the configuration folder of the system (`~/.config/oddsdesk` on Linux), under
the names given here. A value that makes no sense is passed over: the default holds.
API keys are never kept there; see "Where keys are kept" below.

This page is made from the program: `python -m oddsdesk.desk.settings.page > docs/settings.md`.
"""
_FOOT = """
## What a database holds itself

Two settings belong to the data and not to the desk, and so are the same for every program that
serves a database:

- **for how long price history is kept**: everything, unless you choose otherwise in
  **Embedded server > Server** or with `oddsdesk serve --keep-days`. Ages are those of the
  prices, counted from the newest; history that was older already when it was imported stays. What
  goes is told in the log before it does. A desk before that kept it as `server/keep_days` in
  `desk.ini`: what was chosen there is handed to the first database that says nothing itself;
- **the reference bookmaker**: Pinnacle, unless `--reference` or a connection names another.

`oddsdesk doctor` tells both.

## Where keys are kept

The key of a remote connection is kept, by your choice,

- in the **keyring of the system** (Secret Service, KWallet, macOS Keychain, Windows
  Credential Locker), which is the default where there is one;
- **for this session only**, in memory, which is the default where there is none: you are
  asked for it again at the next start;
- in a **file** that only your user can read (`keys.json`, mode 0600, not encrypted), only
  if you choose it.

Connections themselves, without keys, are kept in `connections.json` beside `desk.ini`.
"""


def settings_page() -> str:
    """Return the page as Markdown."""
    parts = [_HEAD]
    for section in SECTIONS:
        parts.append(f"\n## {section.title}\n")
        parts += [_entry(setting) for setting in section.settings]
    return "".join([*parts, _FOOT])


def _entry(setting: Setting[Any]) -> str:
    return (
        f"\n**{setting.label}** (`{setting.key}`)  \n{setting.help}\n\n"
        f"- Values: {_values(setting)}\n- Default: `{setting.kind.write(setting.default)}`\n"
    )


def _values(setting: Setting[Any]) -> str:
    kind = setting.kind
    if isinstance(kind, Choice):
        return ", ".join(f"`{word}` ({label})" for word, label in kind.options)
    return "`true`, `false`" if isinstance(kind, Toggle) else kind.expected()


if __name__ == "__main__":
    sys.stdout.write(settings_page())
