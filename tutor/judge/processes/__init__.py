"""Processes of the judge: starting, limiting and ending them, and the messages between them.

Contains no rule of judging.
"""
