"""The run record: its types, its one codec, and the marks that stand for per-run values."""
