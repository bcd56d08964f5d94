"""Records of an X-ray and the parsers of its inputs; no torch."""
