"""The screens of quizzes, checkpoints and reflections; fields and views are in `ui.question`."""
