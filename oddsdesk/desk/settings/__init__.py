"""What the user may set: declared once as data, kept in one file, shown in one dialog."""
