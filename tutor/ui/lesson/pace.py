"""How a lesson's minutes spread over its sections: an estimate, from what there is to read and do."""

from tutor.course.model import Cell, Lesson, Predict, Section

# In characters of prose: a cell is read, run and looked at; a prediction is thought about.
_CELL, _PREDICTION = 600, 900


def section_minutes(lesson: Lesson) -> tuple[int, ...]:
    """Minutes a section, at least one each; together about `lesson.minutes`."""
    work = [_work(section) for section in lesson.sections]
    whole = sum(work) or 1
    return tuple(max(1, round(lesson.minutes * each / whole)) for each in work)


def _work(section: Section) -> int:
    work = 0
    for block in section.blocks:
        if isinstance(block, Cell):
            work += _CELL + len(block.code)
        elif isinstance(block, Predict):
            work += _PREDICTION
        else:
            work += len(block.text)
    return work
