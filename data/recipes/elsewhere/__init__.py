"""Recordings by other hands: where they come from, and a measure of splices that knows nothing of the project."""
