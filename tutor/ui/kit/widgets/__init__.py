"""Widgets that several screens share: text view, Markdown, header, footer; no screen."""
