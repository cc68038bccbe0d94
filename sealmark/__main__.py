"""`python -m sealmark` is the command line."""

from sealmark.cli import main

main()
