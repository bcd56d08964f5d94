"""Functions from data to styled text: diffs, plots, phrases, highlighting; no widget of a screen."""
