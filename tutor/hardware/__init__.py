"""Facts of GPUs and processors: properties, peaks, occupancy, presence; no torch, no measuring."""
