"""Which screen asks a day's questions; each is imported when it is opened."""

from textual.screen import Screen

from tutor.course.model import Quiz


def quiz_screen(quiz: Quiz) -> Screen[None]:
    """A checkpoint for a checkpoint's quiz, else the questions alone."""
    if quiz.is_checkpoint:
        from tutor.ui.quiz.checkpoint import CheckpointScreen

        return CheckpointScreen(quiz)
    from tutor.ui.quiz.screen import QuizScreen

    return QuizScreen(quiz.questions, quiz.title, "quiz")
