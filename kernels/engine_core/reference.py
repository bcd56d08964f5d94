import torch

from tutor.base.number_text import plural
from tutor.judge.cases.engine import END, HashPair
from tutor.judge.spec import Case, Work


class One:
    def __init__(self, prompt, limit):
        self.text, self.most = list(prompt), len(prompt) + limit
        self.read = self.drafted = 0


def walked(prompts, limits, pair, size, k, count):
    """Yield, step by step, (new tokens, blocks) of each request, and the machine's numbers.

    Nothing runs on a machine: the models are asked about whole texts.
    """
    key, ends, kept = pair
    models = HashPair(key, ends=ends, kept=kept)
    every = [One(*pair) for pair in zip(prompts, limits, strict=True)]
    running = list(every)
    for _ in range(count):
        found, numbers = {}, [1, 0, 0, 0]
        for one in running:
            old, most = len(one.text), min(k, one.most - len(one.text) - 1)
            drafts = []
            for _ in range(most):
                drafts.append(models.says("draft", one.text + drafts))
            numbers[1] = max(numbers[1], most)
            numbers[2] += old - one.read + most
            if most:
                numbers[3] += old - one.drafted + most - 1
            new = []
            for draft in [*drafts, None]:
                new.append(models.says("target", one.text + new))
                if new[-1] != draft or new[-1] == END:
                    break
            one.text += new
            one.read = len(one.text) - 1
            one.drafted = min(old + most - 1 if most else one.drafted, one.read)
            found[id(one)] = new
        yield (
            [
                (found.get(id(one), []), -(-one.read // size) if one in running else 0)
                for one in every
            ],
            numbers,
        )
        running = [one for one in running if len(one.text) < one.most and one.text[-1] != END]
        if not running:
            return


def fits(prompts, limits, pair, blocks, size, k, count):
    """Tell whether the arguments keep what the task promises."""
    if not prompts or len(prompts) != len(limits) or min(blocks, size, k, count) < 1:
        return False
    if min(limits) < 1 or any(not p or min(p) < 1 or max(p) > 49 for p in prompts):
        return False
    if len(pair) != 3 or pair[1] < 2:
        return False
    return most_blocks(prompts, limits, size) <= blocks


def most_blocks(prompts, limits, size):
    return sum(-(-(len(p) + limit - 1) // size) for p, limit in zip(prompts, limits, strict=True))


PROMISED = (("there are blocks for all", fits),)


def reference(prompts, limits, pair, blocks, size, k, count):
    if not fits(prompts, limits, pair, blocks, size, k, count):
        raise ValueError("no arguments that the task allows")
    out = torch.full((count, len(prompts) + 1, max(k + 3, 6)), -1)
    for at, (rows, numbers) in enumerate(walked(prompts, limits, pair, size, k, count)):
        for row, (new, held) in zip(out[at], rows, strict=False):
            row[: len(new)] = torch.tensor(new, dtype=torch.int64)
            row[-1] = held
        out[at, -1, :4] = torch.tensor(numbers)
        out[at, -1, 4:6] = torch.tensor([blocks - sum(held for _, held in rows), 1])
    return out


eager = reference


def work(prompts, limits, pair, blocks, size, k, count):
    cells = count * (len(prompts) + 1) * max(k + 3, 6)
    return Work(bytes=8 * (sum(map(len, prompts)) + len(limits) + 7 + cells), flops=0)


def scale(prompts, limits, pair, blocks, size, k, count):
    return 0.0


NUMBERS = (
    "the target is called {got} times, and one call is asked for",
    "the draft model is called {got} times, and {want} calls are asked for",
    "the target reads {got} tokens, and {want} are asked for",
    "the draft model reads {got} tokens, and {want} are asked for",
    "{got} blocks are spare, and it should be {want}",
    "a block is in two places, or in none",
)


def explain_wrong(got, prompts, limits, pair, blocks, size, k, count):
    """Say what the first step that is wrong does."""
    want = reference(prompts, limits, pair, blocks, size, k, count)
    for at, (mine, right) in enumerate(zip(got.tolist(), want.tolist(), strict=True)):
        if mine == right:
            continue
        where = f"Step {at} ({plural(len(prompts), 'request')}, k = {k}, blocks of {size})"
        for i, (one, other) in enumerate(zip(mine[:-1], right[:-1], strict=True)):
            a, b = ([token for token in row[: k + 2] if token >= 0] for row in (one, other))
            if a != b:
                same = next((j for j, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
                if same is not None:
                    return (
                        f"{where}: new token {same} of r{i} is {a[same]}, not what the target says."
                    )
                more = " or more" if len(a) == k + 2 else ""  # what is behind them is cut off
                return (
                    f"{where}: r{i} gets {plural(len(a), 'new token')}{more}, and it should be "
                    f"{len(b)}."
                )
        for place, says in enumerate(NUMBERS):
            if mine[-1][place] != right[-1][place]:
                return f"{where}: {says.format(got=mine[-1][place], want=right[-1][place])}."
        for i, (one, other) in enumerate(zip(mine[:-1], right[:-1], strict=True)):
            if one[-1] != other[-1]:
                held = plural(one[-1], "block")
                return f"{where}: the table of r{i} has {held}, and {other[-1]} are needed."
    return None


def case(count, prompts, limits, size, k, ends=25, kept=75, steps=12, multiple=1, more=0):
    """Requests by dice; prompts have lengths that are a multiple. `more` blocks are never needed."""

    def make(g):
        def dice(low, high):
            return int(torch.randint(low, high + 1, (), generator=g))

        lengths = [multiple * dice(*prompts) for _ in range(count)]
        texts = [[dice(1, 49) for _ in range(length)] for length in lengths]
        tops = [dice(*limits) for _ in range(count)]
        blocks = most_blocks(texts, tops, size) + more
        return texts, tops, [dice(1, 10**6), ends, kept], blocks, size, k, steps

    return make


CASES = (
    Case("one request", case(1, (5, 5), (12, 12), 4, 3, ends=10**6)),
    Case(
        "a draft model that is always right", case(2, (3, 6), (20, 30), 4, 3, ends=10**6, kept=100)
    ),
    Case("a draft model that is never right", case(2, (3, 6), (8, 9), 4, 3, ends=10**6, kept=0)),
    Case("texts that end early", case(6, (1, 9), (10, 20), 4, 3, ends=4, kept=95)),
    Case(
        "texts that end early, blocks of one token",
        case(8, (1, 5), (10, 12), 1, 4, ends=3, kept=100),
    ),
    Case("low limits", case(7, (1, 7), (1, 6), 4, 4, ends=10**6, kept=90)),
    Case("eight requests", case(8, (1, 17), (4, 24), 4, 3, more=5)),
    Case("prompts that fill their blocks", case(5, (1, 3), (6, 20), 4, 3, multiple=4)),
    Case("blocks of one token, one draft", case(4, (1, 6), (5, 12), 1, 1, kept=60)),
    Case("large blocks, six drafts", case(5, (1, 30), (6, 30), 16, 6, kept=90)),
)
