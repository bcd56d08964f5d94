"""Paths, settings, atomic files and error classes that every package uses; nothing of a subject."""
