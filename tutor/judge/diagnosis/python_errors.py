"""Error messages of Python itself and their explanations. Data only."""

from tutor.judge.diagnosis.error_pattern import ErrorPattern as Row

PYTHON: tuple[Row, ...] = (
    Row(
        "SyntaxError|ValueError",
        r"source code string cannot contain null bytes",  # by version
        "compile-error",
        "The file holds NUL bytes; it is not Python text.",
    ),
    Row(
        "SyntaxErrorOfText",
        r"(.+)",
        "crash",
        "Your code handed Python a text that is no Python, as to `eval` or `exec`: {0}.",
    ),
    Row(
        "IndentationError|TabError|SyntaxError",
        r"(.+)",
        "compile-error",
        "Python cannot read the file: {0}.",
    ),
    Row(
        "ModuleNotFoundError",
        r"No module named '([^']+)'",
        "import-error",
        "There is no module `{0}` in this Python.",
    ),
    Row(
        "ImportError",
        r"cannot import name '([^']+)' from '([^']+)'",
        "import-error",
        "`{1}` has no `{0}`.",
    ),
    Row(
        "TypeError|KeyError",
        r"missing (?:a required argument: |\d+ required positional "
        r"arguments?: )(.+)",
        "compile-error",
        "A call leaves out {0}.",
    ),
    Row(
        "TypeError",
        r"(\w+)\(\) got an unexpected keyword argument '(\w+)'",
        "compile-error",
        "`{0}` has no parameter `{1}`.",
    ),
    Row(
        "UnboundLocalError",
        r"local variable '([^']+)'",
        "crash",
        "`{0}` is used before it has a value.",
    ),
    Row(
        "TypeError",
        r"got multiple values for argument '(\w+)'",
        "compile-error",
        "A call gives `{0}` twice, by place and by name: there is one argument too many before it.",
    ),
    Row(
        "NameError|UnboundLocalError",
        r"name '([^']+)' is not defined",
        "crash",
        "`{0}` is used but nothing defines it.",
    ),
    Row(
        "AttributeError", r"'(\w+)' object has no attribute '(\w+)'", "crash", "A {0} has no `{1}`."
    ),
    Row("ZeroDivisionError", r"(.+)", "crash", "Something is divided by zero."),
    Row(
        "SystemExit|KeyboardInterrupt",
        r"",
        "crash",
        "The code ended the program instead of returning an output.",
    ),
)
