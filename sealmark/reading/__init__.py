"""Pure readers of what a server wrote: no check ids, no input or output, no clock, and never an exception.

Everything here takes text or JSON that a hostile server may have made up. Each reader is bounded in depth, nodes
and characters, and its regular expressions are linear in the length of what they read.
"""
