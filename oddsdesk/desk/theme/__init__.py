"""The look: colour tokens, type, spacing, icons, and the theme that applies them."""
