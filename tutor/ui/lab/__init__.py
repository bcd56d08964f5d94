"""The lab: an editor on the learner's file, the verdict and scratch cells; the judge is not in here."""
