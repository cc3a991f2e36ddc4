"""Small widgets."""
