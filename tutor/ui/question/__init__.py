"""Views and fields for one question; the screens that ask them, grading and storing are not in
here.
"""
