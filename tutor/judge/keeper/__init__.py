"""The keeper: the process from which every other process of the judge is forked, so that torch is
imported once."""
