"""Paths, settings, atomic files and error classes that every package uses; no subject matter."""
