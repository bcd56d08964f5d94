"""Stages of a Triton kernel from its source to machine code; no torch graphs."""
