"""Views of a verdict that screens share: cases, causes, timing bars, roofline, access map; no screen."""
