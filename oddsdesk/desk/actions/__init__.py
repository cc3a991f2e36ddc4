"""What the user can do at the desk: declared once, for menus, keys, palette and documentation."""
