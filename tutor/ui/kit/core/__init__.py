"""Base classes and services of all screens: theme, clipboard, judge calls; no visible widget."""
