"""What the user sees: the window, its panels, models and widgets."""
