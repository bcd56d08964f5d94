import runpy
from pathlib import Path

import torch

from tutor.judge.cases.distributions import chi_square_floor, fit, fit_rows
from tutor.judge.spec import Case, Work

PROBE = runpy.run_path(str(Path(__file__).with_name("probe.py")))
PLACES, TOKENS, REQUESTS = PROBE["PLACES"], PROBE["TOKENS"], PROBE["REQUESTS"]
NAMES = (
    "first token",
    "second token, given the first,",
    "third token, given the two before,",
    "fourth token, after three drafts that were kept,",
)


def reference(p, q, drafts, seed):
    """The cases leave nothing to chance: at each place a draft is kept or refused for sure."""
    if not (fit_together(p, q, drafts) and are_chances(p, q) and is_certain(p, q, drafts)):
        raise ValueError("no arguments of a case")  # so that no smaller example is of this kind
    n, k, _ = q.shape
    out = torch.full((n, k + 1), -1)
    for row in range(n):
        for place in range(k + 1):
            token = int(drafts[row, place]) if place < k else -1
            if place < k and p[row, place, token] >= q[row, place, token]:
                out[row, place] = token
                continue
            out[row, place] = int(p[row, place].argmax())
            break
    return out


eager = reference


def work(p, q, drafts, seed):
    return Work(bytes=4 * (p.numel() + q.numel()) + 8 * (2 * drafts.numel() + len(drafts)) + 1, flops=0)


def scale(p, q, drafts, seed):
    return 0.0


def explain_wrong(got, p, q, drafts, seed):
    """Say which place of a request is wrong, where all is certain."""
    want = reference(p, q, drafts, seed)
    rows = (got != want).any(1).nonzero()
    if not len(rows):
        return None
    row = int(rows[0])
    place = int((got[row] != want[row]).nonzero()[0])
    kept = int((want[row] >= 0).sum()) - 1
    k = drafts.shape[1]
    if place < kept:
        return f"Draft {place} of {k} is kept for sure, as p is not below q for it, and it is not there."
    if place > kept:
        return f"Behind the drawn token stands {int(got[row, place])}, and not -1."
    if kept == k:
        return f"No draft is refused, so a token is drawn from p at place {k}; only one is possible."
    return f"Draft {place} of {k} is refused for sure, and only one token is possible in its place."


def is_certain(p, q, drafts):
    """Tell whether each decision up to the end of a step has one possible outcome."""
    for row in range(len(drafts)):
        for place, token in enumerate([*drafts[row].tolist(), None]):
            rest = p[row, place]
            if token is not None:
                if p[row, place, token] >= q[row, place, token]:
                    continue
                if p[row, place, token] > 0:
                    return False
                rest = (p[row, place] - q[row, place]).clamp(min=0)
            if int((rest > 0).sum()) != 1:
                return False
            break
    return True


def are_chances(*tables):
    return all(bool((t >= 0).all() and ((t.sum(-1) - 1).abs() < 1e-4).all()) for t in tables)


def fit_together(p, q, drafts):
    """Tell whether sizes agree and each draft is a token that the draft model can draw."""
    n, k, tokens = q.shape
    if p.shape != (n, k + 1, tokens) or drafts.shape != (n, k) or min(n, k) < 1:
        return False
    if drafts.min() < 0 or drafts.max() >= tokens:
        return False
    return bool((q.gather(2, drafts[..., None]) > 0).all())


PROMISED = (
    ("`q` of a draft is never 0",
     lambda p, q, drafts, seed: fit_together(p, q, drafts)),
    ("the target's probabilities at each place", lambda p, q, drafts, seed: are_chances(p, q)),
    ("In the cases nothing is left to chance.",
     lambda p, q, drafts, seed: not fit_together(p, q, drafts) or is_certain(p, q, drafts)),
)


# --- draws ----------------------------------------------------------------------------------------


def chances_of_lengths():
    """Return the chance of each number of tokens, 1 to PLACES + 1: a step ends at a refusal."""
    target, draft = PROBE["tables"]()
    reached, ends = torch.ones((), dtype=torch.float64), []
    total = 1.0
    for p, q in zip(target, draft, strict=False):
        reached = reached[..., None] * torch.minimum(p, q).double()
        ends.append(total - float(reached.sum()))
        total = float(reached.sum())
    return [*ends, total]


def find_fits(found):
    """Yield for each place a name, the fit, and what the most unlikely token did."""
    target, _ = PROBE["tables"]()
    for name, counts, table in zip(NAMES, found["rows"], target, strict=True):
        chances = table.double().view(-1, TOKENS)
        chances = chances / chances.sum(1, keepdim=True)
        counted = torch.tensor(counts).double()
        wanted = counted.sum(1, keepdim=True) * chances
        together, hoped = counted.sum(0), wanted.sum(0)
        if hoped.sum() == 0:
            continue
        pooled = fit([int(number) for number in together], (hoped / hoped.sum()).tolist())
        token = int(((together - hoped).abs() / hoped.sqrt()).argmax())
        yield name, pooled, (
            f"token {token} came {int(together[token]):,} times, "
            f"and {hoped[token]:,.0f} times is expected"
        )
        if len(counts) > 1:
            apart = fit_rows(counts, chances.tolist())
            off = (counted - wanted).abs() / wanted.clamp(min=1).sqrt()
            row, token = divmod(int(off.argmax()), TOKENS)
            digits = [row // TOKENS**at % TOKENS for at in range(len(str(name)))][: table.dim() - 1]
            before = ", ".join(map(str, reversed(digits)))
            yield name, apart, (
                f"after {before} token {token} came {int(counted[row, token]):,} times, "
                f"and {wanted[row, token]:,.0f} times is expected"
            )


def check_found(found):
    if found["broken"]:
        return "wrong-values", found["broken"]
    for name, each, most in find_fits(found):
        if not each.is_likely:
            return "wrong-values", (
                f"Of {REQUESTS:,} requests the {name} does not have the target's probabilities: {most} "
                f"(chi-square {each.statistic:,.0f}, at most {each.bound:.0f} by chance)."
            )
    chances, lengths = chances_of_lengths(), found["lengths"]
    if not (each := fit(lengths, chances)).is_likely:
        mean = sum(length * number for length, number in enumerate(lengths, 1)) / REQUESTS
        hoped = sum(length * chance for length, chance in enumerate(chances, 1))
        return "wrong-values", (
            f"The tokens have the target's probabilities, but a step has {mean:.3f} tokens on average, "
            f"and {hoped:.3f} are expected: drafts are kept too {'seldom' if mean < hoped else 'often'} "
            f"(chi-square of the lengths {each.statistic:,.0f}, at most {each.bound:.0f} by chance)."
        )
    if not found["repeats"]:
        return "wrong-values", "The same arguments with the same seed gave other tokens."
    if not found["varies"]:
        return "wrong-values", "500 requests with another seed gave the very same tokens."
    if not found["apart"]:
        return "wrong-values", (
            "250 requests came twice in one call, and got the very same tokens both times: requests "
            "share random numbers."
        )
    if found["together"] > 6:
        return "wrong-values", (
            f"Among {REQUESTS:,} requests, one's draft is kept more often, or less often, where "
            f"another's is ({found['together']:.0f} standard deviations): they share random numbers."
        )
    return uneven(found["even"]) or seldom(found["seldom"])


def uneven(found):
    """Say where equal requests of a call agree more, or less, than those with numbers of their own."""
    what = {
        "kept": "half of the drafts is kept",
        "refused": "one of four tokens is drawn after a refusal",
        "bonus": "one of four tokens is drawn after the drafts",
    }
    for name, calls in found.items():
        each = (
            fit_rows([[row[0], sum(row[1:]) - row[0]] for row in calls], [[0.5, 0.5]] * len(calls))
            if name == "kept"
            else fit_rows([row[1:] for row in calls], [PROBE["EVEN"]] * len(calls))
        )
        if not chi_square_floor(each.freedom) <= each.statistic <= each.bound:
            many = "little" if each.statistic < each.bound else "much"
            return "wrong-values", (
                f"In {len(calls)} calls of {PROBE['EQUALS']} equal requests each, where {what[name]}, "
                f"the counts differ too {many} from call to call (chi-square {each.statistic:.0f}, by "
                f"chance {chi_square_floor(each.freedom):.0f} to {each.bound:.0f}): requests depend "
                "on each other."
            )
    return None


def seldom(counts):
    """Say where what happens once in 256 times happens too often, or never."""
    kept, *tokens = counts
    many, chance = sum(tokens), PROBE["SELDOM"]
    if not fit([kept, many - kept], [chance, 1 - chance]).is_likely:
        return "wrong-values", (
            f"Of {many:,} drafts that are kept with probability 1/256, {kept:,} are kept. Are the "
            "random numbers fine enough?"
        )
    if not fit(tokens, PROBE["RARE"]).is_likely:
        return "wrong-values", (
            f"Of {many:,} draws a token of probability 1/256 comes {tokens[0]:,} times, and one of "
            f"1/65,536 {tokens[1]:,} times. Are the random numbers fine enough?"
        )
    return None


def figures(found):
    """Tell the statistics of a right answer."""
    lines = {}
    for name, each, _ in find_fits(found):
        text = f"{each.statistic:.0f} of {each.bound:.0f}"
        name = name.split(",")[0]
        lines[name] = f"{lines[name]}, by context {text}" if name in lines else f"chi-square {text}"
    mean = sum(length * number for length, number in enumerate(found["lengths"], 1)) / REQUESTS
    hoped = sum(length * chance for length, chance in enumerate(chances_of_lengths(), 1))
    return {**lines, "tokens a step": f"{mean:.3f}, expected {hoped:.3f}"}


# --- cases without chance -------------------------------------------------------------------------


def case(k, tokens, ends, kinds=("same", "sure", "apart", "ruled out")):
    """Requests with k drafts; request i is refused at place ends[i], or not at all for k."""

    def make(g):
        def pick(most, avoid=-1):
            token = int(torch.randint(most - 1, (1,), generator=g, device=g.device)) + 1
            return token if token != avoid else token % (most - 1) + 1

        def soft(*size):
            return torch.softmax(torch.randn(*size, generator=g, device=g.device), -1)

        def one(token):
            return torch.eye(tokens)[token]

        n = len(ends)
        p, q = soft(n, k + 1, tokens), soft(n, k, tokens)
        drafts = torch.tensor([[pick(tokens) for _ in range(k)] for _ in range(n)]).view(n, k)
        for row, end in enumerate(ends):
            for place in range(k):
                draft = int(drafts[row, place])
                if place < end:
                    sure = "sure" in kinds and pick(3) == 1
                    p[row, place] = one(draft) if sure else q[row, place]
                elif place == end:
                    p[row, place] = one(pick(tokens, draft))
                    if "apart" in kinds and pick(3) == 1:
                        q[row, place] = one(draft)
            if end == k:
                p[row, k] = one(pick(tokens))
        return p, q, drafts, pick(1000)

    return make


CASES = (
    Case("one request, its draft is kept", case(1, 4, [1])),
    Case("one request, its draft is refused", case(1, 4, [0])),
    Case("all drafts are kept", case(4, 7, [4] * 6)),
    Case("a refusal at each place", case(4, 7, [0, 1, 2, 3, 4])),
    Case("a refusal in front of good drafts", case(3, 6, [0, 0, 1, 1, 2, 2, 3])),
    Case("200 requests", case(5, 11, [i * 7 % 6 for i in range(200)])),
    Case("eight drafts", case(8, 5, [8, 3, 0, 7, 8])),
    Case("3,000 tokens", case(2, 3000, [0, 1, 2, 2])),
)
