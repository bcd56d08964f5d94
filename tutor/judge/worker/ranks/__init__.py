"""The learner's function once a rank: processes joined by gloo, and a board that shows who waits."""
