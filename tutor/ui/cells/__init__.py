"""Live cells for lesson and lab: their state, output and view; the judge, elsewhere, runs them."""
