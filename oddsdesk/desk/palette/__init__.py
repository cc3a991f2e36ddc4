"""The command palette: one line that leads to every game, panel, layout and action."""
