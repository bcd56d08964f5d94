"""Readers that turn a course's files into records and collect their faults; not the whole course."""
