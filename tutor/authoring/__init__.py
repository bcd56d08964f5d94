"""Tools for authors of a course: file checks, proofs by the judge, templates; not the commands."""
