"""Cases that a learner writes to tell right answers from wrong ones: their text, and what an exercise
promises about arguments. No torch; only `kept_cases` reads and writes files."""
