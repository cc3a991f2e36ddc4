"""What the features share; it knows neither board nor features."""
