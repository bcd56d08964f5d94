import runpy
from itertools import pairwise
from pathlib import Path

import torch

from tutor.judge.cases.engine import DRAFT_COST, END, HashPair, project_texts
from tutor.judge.spec import Case, Work

PROBE = runpy.run_path(str(Path(__file__).with_name("probe.py")))
LOADS = PROBE["LOADS"]
# Calls of the target and of the draft by a first-come, first-served engine with three drafts; a test of
# the course runs it again.
USUAL = {"the project": (32, 93), "a small cache": (44, 132), "a few long texts": (21, 63)}


def fits(prompts, limits, key, blocks, size, places):
    """Tell whether the arguments keep what the task promises."""
    if not prompts or len(prompts) != len(limits) or min(blocks, size, places) < 1:
        return False
    if min(limits) < 1 or any(not p or min(p) < 1 or max(p) > 49 for p in prompts):
        return False
    most = max(len(p) + limit - 1 for p, limit in zip(prompts, limits, strict=True))
    return -(-most // size) <= blocks


PROMISED = (("Each request fits into the cache by itself", fits),)


def texts(prompts, limits, key):
    return [HashPair(key).write(*pair) for pair in zip(prompts, limits, strict=True)]


def reference(prompts, limits, key, blocks, size, places):
    if not fits(prompts, limits, key, blocks, size, places):
        raise ValueError("no arguments that the task allows")
    out = torch.full((len(limits), max(limits) + 1), -1)
    for row, tokens in zip(out, texts(prompts, limits, key), strict=True):
        row[: len(tokens)] = torch.tensor(tokens)
    return out


eager = reference


def work(prompts, limits, key, blocks, size, places):
    return Work(bytes=8 * (sum(map(len, prompts)) + len(limits) * (max(limits) + 3) + 4), flops=0)


def scale(prompts, limits, key, blocks, size, places):
    return 0.0


def explain_wrong(got, prompts, limits, key, blocks, size, places):
    """Say of the first request that is wrong what its text has."""
    want = texts(prompts, limits, key)
    wrote = [[token for token in row if token >= 0] for row in got.tolist()]
    if wrote != want and sorted(wrote) == sorted(want):
        return "The texts are right, and stand in another order than the requests."
    for i, (mine, right) in enumerate(zip(wrote, want, strict=True)):
        if mine != right:
            return f"{fault_of(f'r{i}', mine, right, limits[i])} ({cache(blocks, size, places)})"
    return None


def cache(blocks, size, places):
    return f"{blocks} blocks of {size}, {places} places"


def fault_of(name, mine, right, limit):
    """Say where a text leaves the target's."""
    same = next((i for i, (a, b) in enumerate(zip(mine, right, strict=False)) if a != b), None)
    if same is not None:
        return f"Token {same} of {name} is {mine[same]}, and the target alone writes another one."
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


def wanted(name, key, requests):
    if key is None:
        return project_texts()
    return [HashPair(key).write(each.prompt, each.limit) for each in requests]


def check_found(found):
    """(code, sentence) for the first load on which the engine is wrong or too dear, else None."""
    for (name, key, requests, *_), (wrote, log) in zip(LOADS, found["loads"], strict=True):
        where = f"In the load “{name}” ({len(requests)} requests)"
        for request, mine, right in zip(requests, wrote, wanted(name, key, requests), strict=True):
            if mine != right:
                fault = fault_of(request.name, mine, right, request.limit)
                return "wrong-values", f"{where}: {fault}"
            read = max(
                (
                    start + count
                    for model, rows in log
                    for who, start, count, _ in rows
                    if model == "target" and who == request.name
                ),
                default=0,
            )
            if read < len(request.prompt) + len(mine) - 1:
                return "wrong-values", (
                    f"{where}: the target has read {read} tokens of {request.name}, and its text "
                    f"before the last token has {len(request.prompt) + len(mine) - 1}."
                )
        if behind := overtaken(log, requests):
            return "wrong-values", f"{where}: {behind}"
        target, drafts = USUAL[name]
        usual = target + DRAFT_COST * drafts
        if calls(log, "target") > 1.1 * target:
            return "wrong-values", (
                f"{where}: the target is called {calls(log, 'target'):,} times; {target} calls are "
                f"usual, and {int(1.1 * target)} are allowed. Its calls have {rows_a_call(log):.1f} "
                "rows on average."
            )
        if cost(log) > 1.1 * usual:
            return "wrong-values", (
                f"{where}: the cost is {cost(log):,.1f} calls of the target, with "
                f"{calls(log, 'draft'):,} calls of the draft model; {usual:.1f} is usual, and "
                f"{1.1 * usual:.1f} is allowed."
            )
    return None


def rows_a_call(log):
    sizes = [len(rows) for model, rows in log if model == "target"]
    return sum(sizes) / max(1, len(sizes))


def overtaken(log, requests):
    """Say who begins before a request that stands in front of it, else ""."""
    first = {}
    for number, (model, rows) in enumerate(log):
        for who, *_ in rows:
            if model == "target":
                first.setdefault(who, number)
    names = [request.name for request in requests]
    for one, later in pairwise(names):
        if first.get(one, 0) > first.get(later, 0):
            return f"{later} begins before {one}, which stands in front of it."
    return ""


def figures(found):
    """What the project's load took, by the names of the plan."""
    wrote, log = found["loads"][0]
    written = sum(map(len, wrote))
    rows = [row for model, rows in log if model == "target" for row in rows]
    return {
        "bytes of the weights": f"{found['weights']:,} bytes",
        "bytes of a block": f"{found['block']:,} bytes",
        "blocks of the largest request": f"{max(row[3] for row in rows)}",
        "requests at once": f"{rows_a_call(log):.2f}",
        "calls of the plain loop": f"{written}",
        "tokens a step": f"{written / len(rows):.2f}",
        "target calls": f"{calls(log, 'target')}",
        "draft calls": f"{calls(log, 'draft')}",
        "cost": f"{cost(log):.1f} calls of the target",
    }


def chart(found):
    """Draw when each request of the project's load runs."""
    _, log = found["loads"][0]
    spans, number = {}, 0
    for model, rows in log:
        if model != "target":
            continue
        for who, start, _, _ in rows:
            runs = spans.setdefault(who, [])
            if runs and runs[-1][2] == number and start:
                runs[-1][2] = number + 1
            else:
                runs.append([who, number, number + 1, "runs" if len(runs) == 0 else "again"])
        number += 1
    spans = [tuple(span) for runs in list(spans.values())[:24] for span in runs]
    return (
        (
            "The first 24 requests of the project’s load, by your engine",
            "calls of the target",
            tuple(spans),
        )
        if spans
        else None
    )


def case(count, prompts, limits, blocks, size, places, multiple=1):
    """Requests by dice; prompts have lengths that are a multiple."""

    def make(g):
        def dice(low, high):
            return int(torch.randint(low, high + 1, (), generator=g))

        lengths = [multiple * dice(*prompts) for _ in range(count)]
        return (
            [[dice(1, 49) for _ in range(length)] for length in lengths],
            [dice(*limits) for _ in range(count)],
            dice(1, 10**6),
            blocks,
            size,
            places,
        )

    return make


CASES = (
    Case("one request", case(1, (5, 5), (9, 9), 20, 4, 4)),
    Case("one request, one token", case(1, (1, 1), (1, 1), 1, 4, 4)),
    Case("one request that fills the cache", case(1, (6, 6), (15, 15), 5, 4, 2)),
    Case("all fit", case(6, (1, 12), (1, 20), 64, 4, 8)),
    Case("more requests than places", case(12, (1, 9), (1, 14), 64, 4, 3)),
    Case("more requests than blocks", case(12, (4, 16), (6, 24), 12, 4, 8)),
    Case("blocks of one token", case(8, (1, 12), (2, 18), 40, 1, 6)),
    Case("prompts that fill their blocks", case(10, (1, 3), (6, 20), 16, 4, 6, 4)),
    Case("a cache that is hardly enough for one", case(8, (3, 12), (8, 20), 8, 4, 8)),
    Case("large blocks", case(12, (1, 30), (1, 24), 7, 16, 8)),
)
