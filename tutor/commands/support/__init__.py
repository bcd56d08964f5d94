"""Code that several commands share: progress, completion, record and learner files; no commands."""
