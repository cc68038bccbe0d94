"""Pure readers of what a server wrote."""
