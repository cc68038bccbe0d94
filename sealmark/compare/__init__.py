"""Two runs side by side: regressions against a baseline, drift of surface and behaviour. Starts nothing."""
