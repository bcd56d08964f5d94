"""The lesson screen: pages of text, live cells, predictions, and tools for reading."""
