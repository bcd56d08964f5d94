"""A bug of the learner's that a `try` of the starter takes for an answer, as a survey of what captures
refuse does.

An error that the task expects to be caught is not one: so it must be a name that is not defined, or it
must come in several cases, whatever they hold. And the `try` must be the starter's, unchanged.
"""

import ast
from dataclasses import replace

from tutor.base.python_trees import parse_python
from tutor.judge.cases.case_runner import Cases
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.processes.limits import tolerate_stop
from tutor.judge.processes.worker_messages.answers import HandledError

_MISSING_NAMES = ("NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError")
_MOST_CASES = 4


def probe_handled_errors(cases: Cases, facts: list[CaseFacts], source: str) -> None:
    """Run wrong cases and a right one again, and note in the first of them the bug that is found."""
    wrong = [i for i, case in enumerate(facts) if not case.passed and case.pattern]
    given = _read_handlers(cases.exercise.starter.read_text("utf-8")) if wrong else {}
    handlers = {name for name, text in _read_handlers(source).items() if given.get(name) == text}
    if not handlers:
        return
    right = [i for i, case in enumerate(facts) if case.passed][:1]
    found: list[dict[tuple[str, str], HandledError]] = []
    cases.begin_probe()
    with tolerate_stop():
        for index in [*wrong[: _MOST_CASES - 1], *right]:
            _, again = cases.case(index, handled=True)
            errors = [each for each in again.handled if each.handler in handlers]
            found.append({(each.function, each.error.type): each for each in errors})
    for key, error in found[0].items() if found else ():
        always = len(found) > 1 and all(key in each for each in found)
        if error.error.type in _MISSING_NAMES or always:
            facts[wrong[0]] = replace(facts[wrong[0]], swallowed=error)
            return


def _read_handlers(source: str) -> dict[str, str]:
    """Return the functions with a `try` by their names, each as the text of its tree."""
    try:
        tree = parse_python(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return {
        node.name: ast.dump(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and any(isinstance(n, ast.Try) for n in ast.walk(node))
    }
