"""Diagnoses: from facts about cases and from error messages to likely causes. Runs no learner code."""
