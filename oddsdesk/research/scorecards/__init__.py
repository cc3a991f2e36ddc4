"""What a recorded log tells of each bookmaker."""
