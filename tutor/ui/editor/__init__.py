"""The code editor: a text area for Python, the line that finds in it, and the learner's own editor."""
