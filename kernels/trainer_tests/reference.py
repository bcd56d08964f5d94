import torch

from tutor.judge.spec import Case, Work

BUILD = """
from collections import namedtuple

import torch

Run = namedtuple("Run", "weights losses state alive sent")


def order_of(stage, stages, count):
    ahead = min(stages - stage, count)
    order = [("F", i) for i in range(ahead)]
    for i in range(count):
        order += [("B", i)] + [("F", i + ahead)] * (i + ahead < count)
    return order


class Rank:
    def __init__(self, layers, replicas):
        self.layers = layers.clone()
        self.gradient = torch.zeros_like(self.layers)
        self.kept, self.alive, self.sent = {}, 0, 0
        self.size = self.layers.numel()
        self.share = -(-self.size // replicas)
        self.state = torch.zeros(2, self.share, dtype=torch.float64)
        self.steps = 0

    def forward(self, number, x):
        values = [x]
        for layer in self.layers:
            values.append(torch.tanh(values[-1] @ layer))
        self.kept[number] = values
        self.alive = max(self.alive, len(self.kept))
        return values[-1]

    def backward(self, number, gradient):
        values = self.kept.pop(number)
        for place in reversed(range(len(self.layers))):
            gradient = gradient * (1 - values[place + 1] ** 2)
            self.gradient[place] += values[place].T @ gradient
            gradient = gradient @ self.layers[place].T
        return gradient

    def send(self, message):
        self.sent += message.numel() * message.element_size()
        return message.double()

    def adam(self, weights, gradient):
        self.steps += 1
        mean, squares = self.state
        mean.mul_(0.9).add_(0.1 * gradient)
        squares.mul_(0.99).add_(0.01 * gradient**2)
        corrected = mean / (1 - 0.9**self.steps)
        root = (squares / (1 - 0.99**self.steps)).sqrt()
        return weights - 0.01 * corrected / (root + 1e-3)


def pipeline(ranks, xs, ys):
    count, losses, mail = len(xs), [], {}
    orders = [order_of(s, len(ranks), count) for s in range(len(ranks))]
    while any(orders):
        for s, rank in enumerate(ranks):
            if not orders[s]:
                continue
            what, i = orders[s][0]
            if what == "F":
                if s > 0 and ("F", s, i) not in mail:
                    continue
                out = rank.forward(i, mail.pop(("F", s, i)) if s > 0 else xs[i])
                if s < len(ranks) - 1:
                    mail["F", s + 1, i] = rank.send(out)
                else:
                    losses.append(((out - ys[i]) ** 2).mean().item())
                    mail["B", s, i] = 2 * (out - ys[i]) / out.numel()
            else:
                if ("B", s, i) not in mail:
                    continue
                back = rank.backward(i, mail.pop(("B", s, i)))
                if s > 0:
                    mail["B", s - 1, i] = rank.send(back)
            orders[s].pop(0)
    return losses


def padded(rank, tensor, replicas):
    flat = torch.zeros(rank.share * replicas, dtype=torch.float64)
    flat[: rank.size] = tensor.reshape(-1)
    return flat


def exchange(group, microbatches):
    replicas = len(group)
    total = sum(padded(rank, rank.gradient, replicas) for rank in group)
    total = total / (replicas * microbatches)
    for rank in group:
        rank.sent += 8 * rank.share * (replicas + 1) * (replicas > 1)
    new = []
    for r, rank in enumerate(group):
        place = slice(r * rank.share, (r + 1) * rank.share)
        flat = padded(rank, rank.layers, replicas)
        new.append(rank.adam(flat[place], total[place]))
    for r, rank in enumerate(group):
        whole = torch.cat(new)[: rank.size]
        rank.layers.copy_(whole.view_as(rank.layers))
        rank.gradient.zero_()


def train(weights, steps, stages, replicas, microbatches):
    layers, width, _ = weights.shape
    cuts = [s * layers // stages for s in range(stages + 1)]
    ranks = []
    for s in range(stages):
        ranks += [Rank(weights[cuts[s] : cuts[s + 1]], replicas) for r in range(replicas)]
    losses = []
    for x, y in steps:
        parts = [each.reshape(replicas, microbatches, -1, width) for each in (x, y)]
        seen = []
        for r in range(replicas):
            seen += pipeline(ranks[r::replicas], parts[0][r], parts[1][r])
        losses.append(sum(seen) / len(seen))
        for s in range(stages):
            exchange(ranks[s * replicas : (s + 1) * replicas], microbatches)
    return Run(
        [torch.cat([rank.layers for rank in ranks[r::replicas]]) for r in range(replicas)],
        losses,
        [rank.state.numel() for rank in ranks],
        [rank.alive for rank in ranks],
        [rank.sent for rank in ranks],
    )
"""
MEAN = "    total = total / (replicas * microbatches)\n"
STATE = "self.state = torch.zeros(2, self.share, dtype=torch.float64)"
HANDED = "rank.sent += 8 * rank.share * (replicas + 1) * (replicas > 1)"
WHOLE = "whole = torch.cat(new)[: rank.size]"
LOSS = "losses.append(sum(seen) / len(seen))"
AHEAD = "ahead = min(stages - stage, count)"
PLACES = "place = slice(r * rank.share, (r + 1) * rank.share)"

RIGHT = (  # replacements, what the build does
    ((), "is right: it does 1F1B and hands over just what it may"),
    (
        (
            (PLACES, "place = slice(r, None, replicas)"),
            (WHOLE, "whole = torch.stack(new, 1).reshape(-1)[: rank.size]"),
            (HANDED, "rank.sent += 8 * rank.share * replicas * (replicas > 1)"),
        ),
        "is right: it shares the weights out one by one, and keeps its own share of the gradients",
    ),
    (
        (
            (AHEAD, "ahead = 1"),
            (
                "self.gradient[place] += values[place].T @ gradient",
                "self.gradient[place] += (values[place].T / 4) @ gradient",
            ),
            (MEAN, "    total = total / replicas / microbatches * 4\n"),
        ),
        "is right: it does one microbatch after the other, keeps less, and rounds in another order",
    ),
    (
        (
            (STATE, "self.state = torch.zeros(2, self.size, dtype=torch.float64)"),
            (
                "    return Run(",
                "    for r, rank in enumerate(ranks):\n"
                "        part = min(rank.share, max(0, rank.size - r % replicas * rank.share))\n"
                "        rank.state = rank.state[:, :part]\n    return Run(",
            ),
            ("mean, squares = self.state", "mean, squares = self.state[:, : len(gradient)]"),
        ),
        "is right: it holds no state for the padding",
    ),
)
WRONG = (  # replacements, what the build does
    (
        ((MEAN, "    total = total / microbatches\n"),),
        "adds the replicas' gradients, and takes no mean",
    ),
    (
        ((MEAN, "    total = total / replicas\n"),),
        "adds the microbatches' gradients, and takes no mean",
    ),
    (
        (("self.gradient[place] += ", "self.gradient[place] = "),),
        "keeps the gradient of the last microbatch alone",
    ),
    ((("        rank.gradient.zero_()\n", ""),), "does not clear the gradients after a step"),
    (
        (("self.steps += 1", "self.steps = 1"),),
        "corrects Adam's means in each step as in the first",
    ),
    (
        (
            (
                WHOLE,
                "whole = torch.cat(new)[: rank.size]\n"
                "        even = rank.size // replicas * replicas\n"
                "        whole[even:] = rank.layers.reshape(-1)[even:]",
            ),
        ),
        "leaves the weights behind the last whole share as they were",
    ),
    (
        (
            (STATE, "self.state = torch.zeros(2, self.size + replicas, dtype=torch.float64)"),
            ("mean, squares = self.state", "mean, squares = self.state[:, : len(gradient)]"),
        ),
        "holds the whole stage's state on each rank",
    ),
    (((AHEAD, "ahead = count"),), "does all forwards first, as GPipe does"),
    (
        ((HANDED, "rank.sent += 8 * rank.share * 2 * replicas * (replicas > 1)"),),
        "hands all weights to the second collective, and not a share",
    ),
    (
        (
            (
                WHOLE,
                "whole = padded(rank, rank.layers, replicas)\n"
                "        whole[r * rank.share : (r + 1) * rank.share] = new[r]\n"
                "        whole = (whole if r else torch.cat(new))[: rank.size]",
            ),
        ),
        "gathers the new weights on the first replica alone",
    ),
    (
        (
            ("self.kept[number] = values", "self.kept[number] = self.latest = values"),
            (
                "values = self.kept.pop(number)",
                "self.kept.pop(number)\n        values = self.latest",
            ),
        ),
        "takes the activations of the latest forward for every backward",
    ),
    (
        (("parts[0][r], parts[1][r])", "parts[0][0], parts[1][0])"),),
        "trains every replica on the rows of the first",
    ),
    (
        (("self.layers = layers.clone()", "self.layers = layers"),),
        "writes into the weights it is given",
    ),
    (((LOSS, "losses.append(seen[-1])"),), "tells the loss of the last microbatch alone"),
    ((("rank.send(out)", "rank.send(out.half())"),), "sends activations in float16"),
    (
        (
            (
                '                if s > 0:\n                    mail["B"',
                "                back = back if s in (0, len(ranks) - 1) else back * 0.5\n"
                '                if s > 0:\n                    mail["B"',
            ),
        ),
        "halves the gradient that a stage in the middle sends back",
    ),
    (
        ((LOSS, "losses.append(sum(seen[: microbatches]) / microbatches)"),),
        "tells the loss of the first replica alone",
    ),
    (
        ((AHEAD, "ahead = min(stages - stage + 1, count)"),),
        "does one forward more than 1F1B before the first backward",
    ),
    (((LOSS, LOSS + "\n        x.mul_(1.0 + 1e-6)"),), "writes into the rows that it is given"),
    (
        (
            ("rank.layers.copy_", "rank.before = rank.layers.clone()\n        rank.layers.copy_"),
            (
                "[rank.layers for rank in ranks[r::replicas]]",
                "[rank.before if r else rank.layers for rank in ranks[r::replicas]]",
            ),
        ),
        "leaves out the update after the last step on every replica but the first",
    ),
    (
        (
            (
                "    return Run(",
                "    ranks[-1].state = torch.zeros(2, ranks[-1].size + replicas)\n    return Run(",
            ),
        ),
        "holds the whole stage's state on the last rank",
    ),
    (
        ((AHEAD, "ahead = min(stages, count)"),),
        "does as many forwards first on every stage as on the first one",
    ),
    (
        (
            ("orders = [order_of(s, len(ranks), count)", "orders = [order_of(s, len(ranks), full)"),
            ("    orders = [", "    full = max(count, len(ranks))\n    orders = ["),
            ("if s > 0 else xs[i])", "if s > 0 else xs[i] if i < count else xs[0][:0])"),
            (
                "                else:\n                    losses.append",
                "                elif i >= count:\n"
                '                    mail["B", s, i] = out\n'
                "                else:\n                    losses.append",
            ),
        ),
        "adds empty microbatches where there are fewer than stages, and keeps those too",
    ),
    (
        (
            (
                HANDED,
                "if replicas > 1 and rank is group[-1]:\n"
                "            rank.sent += 8 * rank.share * (replicas + 1) * replicas",
            ),
        ),
        "lets the last replica hand over what all of them should",
    ),
    (
        ((LOSS, "losses.append(losses[0] if losses else sum(seen) / len(seen))"),),
        "tells the loss of the first step after each step",
    ),
    (
        (
            ("rank.layers.copy_", "rank.before = rank.layers.clone()\n        rank.layers.copy_"),
            (
                "[rank.layers for rank in ranks[r::replicas]]",
                "[rank.layers if r or replicas < 2 else rank.before for rank in ranks[r::replicas]]",
            ),
        ),
        "leaves out the update after the last step on the first replica alone",
    ),
    (
        (
            (
                "    return Run(",
                "    for r, rank in enumerate(ranks):\n"
                "        if replicas > 1:\n"
                "            all_of_it = rank.size * (r % replicas == replicas - 1)\n"
                "            rank.state = torch.zeros(2, all_of_it)\n    return Run(",
            ),
        ),
        "holds a stage's whole state on the last replica, and none on the others",
    ),
)


def text_of(replacements):
    text = BUILD
    for old, new in replacements:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


LABELS = {text_of(change): (1, what) for change, what in RIGHT}
LABELS |= {text_of(change): (0, what) for change, what in WRONG}


def reference(builds):
    return torch.tensor([LABELS[text][0] for text in builds])


eager = reference


def work(builds):
    return Work(bytes=sum(map(len, builds)), flops=0)


def explain_wrong(got, builds):
    """Say what the first build does that was judged wrongly."""
    for place, (said, text) in enumerate(zip(got.tolist(), builds, strict=True)):
        want, what = LABELS[text]
        if said != want:
            did = "accept" if said else "refuse"
            return f"You {did} build {place}. It {what}."
    return None


def chosen(*places, right=1):
    """Some wrong builds by their places in `WRONG`, with some right ones, in an order by dice."""

    def make(g):
        def dice(n, count):
            return torch.randperm(n, generator=g, device=g.device)[:count].tolist()

        texts = [text_of(WRONG[place][0]) for place in places]
        texts += [text_of(RIGHT[place][0]) for place in dice(len(RIGHT), right)]
        return ([texts[place] for place in dice(len(texts), len(texts))],)

    return make


CASES = (
    Case("right builds", chosen(right=len(RIGHT))),
    Case("sums and means", chosen(0, 1, 2)),
    Case("from step to step", chosen(3, 4, right=2)),
    Case("shares of weights", chosen(5, 9, 19, 25)),
    Case("what is held", chosen(6, 7, 17, 20, 21, 22, 26)),
    Case("what is sent", chosen(8, 14, 23)),
    Case("forwards and backwards", chosen(10, 15)),
    Case("rows of each replica", chosen(11)),
    Case("losses", chosen(13, 16, 24, right=2)),
    Case("what was given", chosen(12, 18)),
)
