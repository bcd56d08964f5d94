"""Text for verdicts, times and access maps. Needs no torch and prints nothing."""
