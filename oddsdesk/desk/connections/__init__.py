"""Where the desk gets its odds from: saved connections, their keys, switching between them."""
