"""The next step after a right answer: another exercise of the day, its questions, or a later day."""

from tutor.course.catalog.course import Course
from tutor.course.model import Exercise, Quiz
from tutor.memory.record import Record
from tutor.ui.kit.dialogs.kernels import exercises_of, milestone_place

Step = Exercise | Quiz


def find_next_step(
    course: Course, record: Record, exercise: Exercise, day: int
) -> tuple[str, Step] | None:
    """The step and its label, None if nothing is left. `day`: the day that the exercise was done for."""
    passed = record.activity.passed_exercises() | {exercise.slug}
    others = [e for e in course.exercises().values() if e.slug not in passed]
    today = [slug for slug in exercises_of(course, day) if slug not in passed]
    if today:
        next_exercise, number = course.exercise(today[0]), milestone_place(course, day, today[0])
        place = f"milestone {number[0]}" if number else "another exercise"
        return f"{next_exercise.title}, {place} of Day {day}", next_exercise
    quiz = course.quiz(day)
    answered = record.statistics.day_progress().get(day)
    if quiz and not (answered and answered.questions_answered >= len(quiz.questions)):
        return f"the {len(quiz.questions)} questions of Day {day}", quiz
    later = min((e for e in others if e.day > day), key=lambda e: e.day, default=None)
    return (f"{later.title}, Day {later.day}", later) if later else None
