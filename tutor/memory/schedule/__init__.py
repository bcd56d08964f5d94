"""When each card is asked again: ratings, FSRS, queue and items; no figures for people."""
