"""Questions about a learner's own right kernel, from what was recorded of it. Pure."""
