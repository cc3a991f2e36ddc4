"""Research on recorded odds: a backtest of value bets, and scorecards of bookmakers."""
