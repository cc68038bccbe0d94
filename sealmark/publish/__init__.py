"""Stored runs become the report site. Nothing is run or judged here; the frames of the runs are the numbers."""
