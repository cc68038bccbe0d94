"""Two runs side by side: regressions against a baseline, drift of the surface, drift of the behaviour. Starts nothing."""
