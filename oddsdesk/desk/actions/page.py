"""docs/keys.md, made from the declared actions; run this module to write it anew."""

import sys

from oddsdesk.desk.actions.declared import ACTIONS, Action, Where

_HEAD = """# Keys

**F1** or **?** shows this list in the program. **Ctrl+K** offers every action by its name,
every game, panel, layout and odds format; what was used last comes first. In a filter or any
other line to type in, keys without Ctrl or Alt write.

This page is made from the program: `python -m oddsdesk.desk.actions.page > docs/keys.md`.
"""


def keys_page() -> str:
    """Return the page as Markdown."""
    parts = [_HEAD]
    for where in Where:
        actions = [action for action in ACTIONS if action.where is where]
        if actions:
            parts.append(f"\n## {where.value}\n\n| keys | what it does |\n| --- | --- |\n")
            parts += [f"| {_keys(action)} | {action.title.rstrip('…')} |\n" for action in actions]
    return "".join(parts)


def _keys(action: Action) -> str:
    return ", ".join(f"`{keys}`" for keys in action.keys) or "by Ctrl+K"


if __name__ == "__main__":
    sys.stdout.write(keys_page())
