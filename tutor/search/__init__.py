"""Full-text search over the course and the learner's notes; neither command nor screen."""
