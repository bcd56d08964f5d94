"""Figures computed from the rows: progress, recall, calibration. Nothing here writes."""
