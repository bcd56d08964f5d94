"""Home, introduction, placement, course map and concept map; lessons and reviews are not in here."""
