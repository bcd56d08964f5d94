"""The terminal interface (Textual): application, routes and screens. Grading and storing are
elsewhere.
"""
