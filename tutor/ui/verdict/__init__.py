"""Views of a verdict that screens share: cases and causes, timing bars, roofline, access map."""
