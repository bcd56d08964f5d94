"""Dialogs that several screens open: help, note, choice, explanation; none belongs to one feature."""
