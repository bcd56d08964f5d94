"""`tutor project`: the projects among which the learner of a day chooses."""

import json

import click

from tutor.commands.support.completion import days
from tutor.commands.support.console import say
from tutor.commands.support.open_record import use_record


@click.command("project")
@click.argument("day", type=int, shell_complete=days)
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
def project_command(day: int, name: str | None, as_json: bool) -> None:
    """List the projects of DAY, or choose the one called NAME.

    Only the chosen project's milestones count for its days, the next step and the report. The others
    stay open, and the choice may be changed at any time: what is right stays right.
    """
    from tutor.course.catalog.course import open_course
    from tutor.course.catalog.day_exercises import milestones_of
    from tutor.memory.project_choice import (
        choose_project,
        find_project,
        is_chosen,
        offer_projects,
    )

    overview = open_course().overview()
    with use_record(to_read=name is None) as record:
        if name is not None:
            choose_project(overview, record, day, name)
        offered = offer_projects(overview, day)
        counting = find_project(overview, record, day)
        chosen = counting is not None and is_chosen(overview, record, counting)
        passed = record.activity.passed_exercises()
    rows = [
        {
            "name": each.name,
            "title": each.title,
            "why": each.why,
            "needs": each.needs,
            "counts": each == counting,
            "chosen": each == counting and chosen,
            "milestones": {slug: slug in passed for slug in milestones_of(overview, each.name)},
        }
        for each in offered
    ]
    if as_json:
        click.echo(json.dumps({"day": day, "projects": rows}, ensure_ascii=False))
        return
    for each in offered:
        slugs = milestones_of(overview, each.name)
        done = f"{sum(slug in passed for slug in slugs)} of {len(slugs)} milestones right"
        state = ""
        if each == counting:
            state = ", chosen" if chosen else ", counts until you choose"
        say(f"{each.name}: {each.title} ({done}{state})")
        say(f"- why: {each.why}")
        say(f"- needs: {each.needs}")
        say(f"- milestones: {', '.join(slugs)}")
    if name is None:
        say(f"Choose: tutor project {day} NAME")
