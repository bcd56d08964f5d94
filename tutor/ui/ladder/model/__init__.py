"""The ladder without a screen: stages and their links, differences, folding, what is lowered."""
