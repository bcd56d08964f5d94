"""The terminal interface (Textual): application, routes and screens. Grading and storing are
elsewhere.
"""

import os

# Textual draws at ticks, 60 a second, and misses one or two after a frame that takes longer than a tick:
# a letter typed while a verdict comes in waited 25 ms for nothing. It draws at a tick only what changed.
os.environ.setdefault("TEXTUAL_FPS", "240")
