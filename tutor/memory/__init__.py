"""The learner's record: one SQLite file of answers, attempts, notes and reviews, opened with
`record.open_record`. Neither the content of the course nor its grading is here (`tutor.course`,
`tutor.quiz`).
"""
