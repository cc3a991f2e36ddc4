"""The user's own records: presets and placed bets, in a file of their own."""
