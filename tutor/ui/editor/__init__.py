"""The code editor with its search line, and the start of an external editor; judging is not in here."""
