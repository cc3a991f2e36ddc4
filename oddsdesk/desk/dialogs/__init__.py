"""Dialogs: settings, connections and the embedded server. None opens a loop of its own."""
