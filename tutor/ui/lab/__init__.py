"""The lab: an editor on the learner's file, the judge's verdict, and scratch cells."""
