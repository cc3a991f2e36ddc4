"""The stream of price changes: its endpoint, its subscribers, and the end of the log."""
