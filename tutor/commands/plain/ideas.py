"""`tutor ideas`: the map of a phase's ideas in plain lines, told or asked one by one."""

from collections.abc import Iterator

import click

from tutor.base.errors import UsageError
from tutor.commands.plain.question import be_lenient, read_line
from tutor.commands.support.console import say, say_prose
from tutor.course.catalog.concept_map import ConceptMap, Node
from tutor.course.catalog.course import Course, open_course


@click.command("ideas")
@click.argument("phase", type=int)
@click.option("--ask", is_flag=True, help="Name each idea and wait before it is told.")
@click.option("--plain", is_flag=True, help="Plain lines; this command has no other form.")
def ideas_command(phase: int, ask: bool, plain: bool) -> int:
    """The ideas of PHASE: what each means, where it leads, and which section teaches it."""
    course = open_course()
    concepts = course.concept_map(phase)
    if concepts is None:
        drawn = ", ".join(
            str(phase_number) for phase_number in course.phases if course.concept_map(phase_number)
        )
        raise UsageError(
            f"no ideas are drawn for phase {phase}; phases with a map: {drawn or 'none'}"
        )
    nodes = sorted(concepts.nodes, key=lambda node: (node.row, node.column))
    say(f"{concepts.title}. {len(nodes)} ideas.")
    if ask:
        return _walk(course, concepts, nodes)
    for node in nodes:
        click.echo()
        say(node.title)
        _tell(course, concepts, node)
    return 0


def _walk(course: Course, concepts: ConceptMap, nodes: list[Node]) -> int:
    """Name each idea, wait for the learner, then tell it. Returns 0, or 130 after ctrl+c."""
    be_lenient()
    say("Say what each means, and which day taught it. Enter tells it, ctrl+d stops.")
    try:
        for number, node in enumerate(nodes, 1):
            click.echo()
            say(f"{number} of {len(nodes)}: {node.title}")
            read_line("> ")
            _tell(course, concepts, node)
    except (EOFError, KeyboardInterrupt) as stop:
        click.echo()
        return 130 if isinstance(stop, KeyboardInterrupt) else 0
    return 0


def _tell(course: Course, concepts: ConceptMap, node: Node) -> None:
    say_prose(node.text)
    if node.to:
        say(f"Leads to: {', '.join(concepts.node(to).title for to in node.to)}.")
    say(f"Taught on: {'; '.join(_pages(course, node))}.")


def _pages(course: Course, node: Node) -> Iterator[str]:
    """Yield the sections that teach an idea, or its days."""
    for target in node.read:
        day, _, slug = target.removeprefix("lesson:").partition("/")
        lesson = course.lesson(int(day))
        title = next((s.title for s in lesson.sections if s.slug == slug), "") if lesson else ""
        yield f"Day {day}, {title}" if title else f"Day {day}"
    if not node.read:
        yield from (f"Day {day}" for day in node.days)
