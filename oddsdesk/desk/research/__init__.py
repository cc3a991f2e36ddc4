"""What a recorded log tells: a backtest of value bets, and scorecards of bookmakers."""
