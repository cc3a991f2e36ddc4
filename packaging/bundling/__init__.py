"""How the repository becomes something to download."""
