"""Parts that several screens share, in folders; nothing in here belongs to one feature."""
