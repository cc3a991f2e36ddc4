"""The store on SQLite: what the rules of the rooms above need of an engine."""
