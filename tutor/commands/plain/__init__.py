"""Lessons, quizzes and reviews asked line by line on a terminal; no screens."""
