"""What makes streams of several processes quick: they tell each other what they recorded."""
