"""Live cells as lesson and lab share them: their state, output and view; the judge runs them."""
