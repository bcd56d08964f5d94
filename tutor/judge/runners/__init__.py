"""Judges on other machines: a launch command, its stdin and stdout (docs/runners.md)."""
