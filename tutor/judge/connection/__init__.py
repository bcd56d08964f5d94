"""The way to the judge's processes: the warm judge of this user, or processes for one caller."""
