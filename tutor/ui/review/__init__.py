"""The screens of a review session and its statistics; the scheduling is in `tutor.memory`."""
