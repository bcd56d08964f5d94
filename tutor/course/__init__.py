"""The course: records of what is taught, the readers of its files, and questions asked of it.

The learner's answers are in `tutor.memory`, the grading of answers is in `tutor.quiz`.
"""
