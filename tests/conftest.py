"""For all tests: the machine is shared, so Hypothesis must not time its examples."""

from hypothesis import settings

settings.register_profile("shared machine", deadline=None)
settings.load_profile("shared machine")
