"""The built-in server's dialogs: feeds, imports, duplicate games, keys and backup."""
