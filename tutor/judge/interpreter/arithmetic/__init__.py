"""Arithmetic of Triton's interpreter where it differs from a compiled kernel's, or is slow."""
