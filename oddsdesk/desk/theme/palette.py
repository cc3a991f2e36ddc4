"""The Qt palette of a scheme: what Fusion and everything that is not ours draws with."""

from PySide6.QtGui import QColor, QPalette

from oddsdesk.desk.theme.tokens import Ground, Ink, Tokens

_ROLE = QPalette.ColorRole


def palette(tokens: Tokens) -> QPalette:
    """Return the palette that stands for the tokens."""
    made = QPalette()
    for role, colour in _roles(tokens).items():
        made.setColor(role, QColor(colour))
    for role in (_ROLE.WindowText, _ROLE.Text, _ROLE.ButtonText, _ROLE.HighlightedText):
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(tokens.ink(Ink.GHOST)))
    return made


def _roles(tokens: Tokens) -> dict[QPalette.ColorRole, str]:
    strong = tokens.ink(Ink.STRONG)
    panel, raised = tokens.ground(Ground.PANEL), tokens.ground(Ground.RAISED)
    return {
        _ROLE.Window: tokens.ground(Ground.WINDOW),
        _ROLE.WindowText: strong,
        _ROLE.Base: panel,
        _ROLE.AlternateBase: raised,
        _ROLE.Text: strong,
        _ROLE.PlaceholderText: tokens.ink(Ink.NOTE),
        _ROLE.Button: raised,
        _ROLE.ButtonText: strong,
        _ROLE.BrightText: tokens.ink(Ink.LIVE),
        _ROLE.ToolTipBase: raised,
        _ROLE.ToolTipText: strong,
        _ROLE.Highlight: tokens.ground(Ground.SELECTED),
        _ROLE.HighlightedText: strong,
        _ROLE.Accent: tokens.accent,
        _ROLE.Link: tokens.ink(Ink.ACCENT),
        _ROLE.LinkVisited: tokens.ink(Ink.ACCENT),
        _ROLE.Light: raised,
        _ROLE.Midlight: tokens.line,
        _ROLE.Mid: tokens.line,
        _ROLE.Dark: tokens.line,
        _ROLE.Shadow: tokens.ground(Ground.WINDOW),
    }
