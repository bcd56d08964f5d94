"""The next step after a right answer: another exercise of the day, its questions, or a later day."""

from tutor.course.catalog.course import Course
from tutor.course.catalog.day_exercises import milestone_place
from tutor.course.model import Exercise, Quiz
from tutor.memory.next_exercise import find_next_exercise
from tutor.memory.project_choice import exercises_to_do
from tutor.memory.quiz_session import is_finished
from tutor.memory.record import Record

Step = Exercise | Quiz


def find_next_step(
    course: Course, record: Record, exercise: Exercise, day: int
) -> tuple[str, Step] | None:
    """The step and its label, None if nothing is left. `day`: the day that the exercise was done for."""
    slug = find_next_exercise(course, record, day, {exercise.slug})
    following = course.exercise(slug) if slug else None
    if following and following.slug in exercises_to_do(course, record, day):
        number = milestone_place(course, day, following.slug)
        place = f"milestone {number[0]}" if number else "another exercise"
        return f"{following.title}, {place} of Day {day}", following
    quiz = course.quiz(day)
    if quiz and not is_finished(record, quiz.questions):
        return f"the {len(quiz.questions)} questions of Day {day}", quiz
    return (f"{following.title}, Day {following.day}", following) if following else None
