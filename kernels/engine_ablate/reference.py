import torch

from tutor.judge.cases.engine import DRAFT_COST, END, HashPair, project_requests, project_texts
from tutor.judge.spec import Case, Work

# Calls of the target and of the draft by a first-come, first-served engine, by what is switched off; a
# test of the course runs it again.
USUAL = {"nothing": (32, 93), "paging": (39, 114), "batching": (51, 138), "speculation": (74, 0)}


def fits(prompts, limits, key, blocks, size, places, switches):
    """Tell whether the arguments keep what the task promises."""
    if not prompts or len(prompts) != len(limits) or min(blocks, size, places) < 1:
        return False
    if min(limits) < 1 or any(not p or min(p) < 1 or max(p) > 49 for p in prompts):
        return False
    if len(switches) != 3 or any(switch not in (0, 1) for switch in switches):
        return False
    most = max(len(p) + limit - 1 for p, limit in zip(prompts, limits, strict=True))
    return -(-most // size) <= blocks and len(prompts) > 2 * places


PROMISED = (("Each request fits into the cache by itself", fits),)


def texts(prompts, limits, key):
    return [HashPair(key).write(*pair) for pair in zip(prompts, limits, strict=True)]


def reference(prompts, limits, key, blocks, size, places, switches):
    if not fits(prompts, limits, key, blocks, size, places, switches):
        raise ValueError("no arguments that the task allows")
    out = torch.full((len(limits) + 1, max(limits) + 3), -1)
    for row, tokens in zip(out, texts(prompts, limits, key), strict=False):
        row[: len(tokens)] = torch.tensor(tokens)
    out[-1, :3] = 1
    return out


eager = reference


def work(prompts, limits, key, blocks, size, places, switches):
    cells = (len(limits) + 1) * (max(limits) + 3)
    return Work(bytes=8 * (sum(map(len, prompts)) + len(limits) + 8 + cells), flops=0)


def scale(prompts, limits, key, blocks, size, places, switches):
    return 0.0


def setting(switches):
    off = [
        n for n, on in zip(("paging", "batching", "speculation"), switches, strict=True) if not on
    ]
    return f"Without {' and '.join(off)}" if off else "With all parts"


def explain_wrong(got, prompts, limits, key, blocks, size, places, switches):
    """Say of the first request that is wrong what its text has, or which switch does something else."""
    where = setting(switches)
    want = texts(prompts, limits, key)
    for i, (row, right) in enumerate(zip(got.tolist(), want, strict=False)):
        mine = [token for token in row if token >= 0]
        if mine != right:
            return f"{where}: {fault_of(f'r{i}', mine, right, limits[i])}"
    paging, batching, _ = switches
    says = (
        "a table has blocks that its text and three drafts do not need"
        if paging
        else "a table has not all the blocks that the prompt and the limit need, or has more",
        "nobody begins in a call of the target in which others go on"
        if batching
        else "somebody begins in a call of the target in which others go on",
        "the draft model is not called" if switches[2] else "the draft model is called",
    )
    for kept, what in zip(got[-1, :3].tolist(), says, strict=True):
        if not kept:
            room = f"{blocks} blocks of {size}, {places} places"
            return f"{where} {what} ({len(prompts)} requests, {room})."
    return None


def fault_of(name, mine, right, limit):
    """Say where a text leaves the target's."""
    same = next((i for i, (a, b) in enumerate(zip(mine, right, strict=False)) if a != b), None)
    if same is not None:
        return f"token {same} of {name} is {mine[same]}, and the target alone writes another one."
    if len(mine) < len(right):
        return f"{name} gets {len(mine)} tokens, and the target alone writes {len(right)}."
    if right[-1] == END:
        return (
            f"{name} goes on behind its end: {len(mine)} tokens, and token {len(right) - 1} is END."
        )
    return f"{name} gets {len(mine)} tokens, and its limit is {limit}."


def calls(log, model):
    return sum(called == model for called, _ in log)


def cost(log):
    return calls(log, "target") + DRAFT_COST * calls(log, "draft")


def drafts_a_step(log):
    """Count the calls of the draft model between two of the target, and return the most."""
    most = run = 0
    for model, _ in log:
        run = run + 1 if model == "draft" else 0
        most = max(most, run)
    return most


def rows_a_call(log):
    sizes = [len(rows) for model, rows in log if model == "target"]
    return sum(sizes) / max(1, len(sizes))


def check_found(found):
    """(code, sentence) for the first setting that is wrong or too dear, else None."""
    for name, (wrote, log) in found["runs"].items():
        where = "With all parts" if name == "nothing" else f"Without {name}"
        for request, mine, right in zip(project_requests(), wrote, project_texts(), strict=True):
            if mine != right:
                fault = fault_of(request.name, mine, right, request.limit)
                return "wrong-values", f"{where}, the project's load: {fault}"
        if name != "speculation" and drafts_a_step(log) < 3:
            return "wrong-values", (
                f"{where}, the project's load: at most {drafts_a_step(log)} calls of the draft model "
                "stand between two of the target. Three tokens are drafted in a step."
            )
        target, drafts = USUAL[name]
        usual = target + DRAFT_COST * drafts
        if cost(log) > 1.1 * usual:
            return "wrong-values", (
                f"{where} the project's load costs {cost(log):.1f} calls of the target: {usual:.1f} is "
                f"usual there, and {1.1 * usual:.1f} is allowed. A call of the target has "
                f"{rows_a_call(log):.1f} rows on average. A part that is switched off leaves the others "
                "as good as they can be."
            )
    whole = cost(found["runs"]["nothing"][1])
    for name, (_, log) in found["runs"].items():
        if name != "nothing" and cost(log) <= whole:
            return "wrong-values", (
                f"Without {name} the project's load costs {cost(log):.1f} calls of the target, and with "
                f"all parts {whole:.1f}: the part gains nothing."
            )
    return None


def figures(found):
    """The table, and what the project's load took by the names of the plan."""
    out = {
        "switched off": "cost | target calls | draft calls | requests at once | blocks a request"
    }
    for name, (_, log) in found["runs"].items():
        rows = [row for model, called in log if model == "target" for row in called]
        blocks = sum(row[3] for row in rows) / len(rows)
        out[name] = (
            f"{cost(log):.1f} | {calls(log, 'target')} | {calls(log, 'draft')} | "
            f"{rows_a_call(log):.2f} | {blocks:.2f}"
        )
    wrote, log = found["runs"]["nothing"]
    steps = sum(len(rows) for model, rows in log if model == "target")
    return out | {
        "requests at once": f"{rows_a_call(log):.2f}",
        "requests at once, reserved": f"{rows_a_call(found['runs']['paging'][1]):.2f}",
        "tokens a step": f"{sum(map(len, wrote)) / steps:.2f}",
        "target calls": f"{calls(log, 'target')}",
        "draft calls": f"{calls(log, 'draft')}",
        "cost": f"{cost(log):.1f} calls of the target",
    }


def case(count, prompts, limits, blocks, size, places, switches):
    """Requests by dice; the first has the highest limit, so that others end before it."""

    def make(g):
        def dice(low, high):
            return int(torch.randint(low, high + 1, (), generator=g))

        while True:
            lengths = [dice(*prompts) for _ in range(count)]
            tops = [dice(*limits) for _ in range(count)]
            key = dice(1, 10**6)
            written = texts(every := [[dice(1, 49) for _ in range(n)] for n in lengths], tops, key)
            # So that somebody begins while others go on, and nobody can begin and end with all others.
            if len({len(text) for text in written[:places]}) == places:
                return every, tops, key, blocks, size, places, switches

    return make


CASES = (
    Case("all parts", case(14, (4, 16), (12, 30), 18, 4, 4, [1, 1, 1])),
    Case("without paging", case(14, (4, 16), (12, 30), 18, 4, 4, [0, 1, 1])),
    Case("without continuous batching", case(14, (4, 16), (12, 30), 18, 4, 4, [1, 0, 1])),
    Case("without speculation", case(14, (4, 16), (12, 30), 18, 4, 4, [1, 1, 0])),
    Case("speculation alone", case(9, (1, 12), (8, 30), 15, 4, 3, [0, 0, 1])),
    Case("batching alone", case(9, (1, 12), (8, 30), 40, 2, 3, [0, 1, 0])),
    Case("paging alone", case(9, (1, 12), (8, 30), 60, 1, 3, [1, 0, 0])),
    Case("no part", case(9, (1, 12), (8, 30), 30, 4, 4, [0, 0, 0])),
)
