"""The lesson screen: text, live cells, predictions, tools for reading; it parses no files."""
