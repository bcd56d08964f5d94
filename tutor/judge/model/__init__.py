"""Records of verdicts and access maps. Needs neither torch nor Triton and writes no text."""
