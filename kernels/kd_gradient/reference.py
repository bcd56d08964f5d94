import torch

from tutor.judge.spec import Case, Work

CONTIGUOUS = True
PROMISED = (
    ("`temperature` is a number above 0", lambda s, t, labels, temperature, share: temperature > 0),
    ("`share` one from 0 to 1", lambda s, t, labels, temperature, share: 0 <= share <= 1),
    ("logits, `[B, S, V]`", lambda s, t, labels, temperature, share: s.shape == t.shape),
    (
        "the token that follows at each place, or -100",
        lambda s, t, labels, temperature, share: bool(
            ((labels >= 0) & (labels < s.shape[-1]) | (labels == -100)).all()
        ),
    ),
    (
        "finite, with magnitudes up to 20,000",
        lambda s, t, labels, temperature, share: bool(
            ((s.abs() <= 20_000) & (t.abs() <= 20_000)).all()
        ),
    ),
)


def gradient(s, t, labels, temperature, share, change=""):
    """The formula. The option names a mistake."""
    s, t = s.double(), t.double()
    at = 1 / temperature if change == "multiplied" else temperature
    q = torch.softmax(s / at, -1)
    p = torch.softmax(t / (1.0 if change == "teacher at 1" else at), -1)
    label = torch.nn.functional.one_hot(labels.clamp(min=0), s.shape[-1])
    factor = {"no square": 1 / temperature, "left over": temperature**2}.get(change, temperature)
    soft = factor * (q - p)
    if change == "sign":
        soft = -soft
    if change == "logits":
        soft = (s - t) / s.shape[-1]
    if change == "reversed":
        inside = torch.log_softmax(s / temperature, -1) - torch.log_softmax(t / temperature, -1)
        soft = temperature * q * (inside - (q * inside).sum(-1, keepdim=True))
    hard = (q if change == "hard at temperature" else torch.softmax(s, -1)) - label
    share_of_hard = 1 - share
    if change == "exchanged":
        share, share_of_hard = share_of_hard, share
    if change == "in full":
        share_of_hard = 1.0
    counts = (labels != -100)[..., None]
    place = (share * soft).where(counts | (change == "soft at padding"), 0)
    place = place + (share_of_hard * hard).where(counts, 0)
    if change == "sum":
        return place
    if change == "all places":
        return place / labels.numel()
    if change == "all numbers":
        return place / s.numel()
    if change == "text by text":
        texts = counts.any(1).sum().clamp(min=1)
        return place / counts.sum(1, keepdim=True).clamp(min=1) / texts
    return place / counts.sum().clamp(min=1)


def reference(student, teacher, labels, temperature, share):
    return gradient(student, teacher, labels, temperature, share)


def eager(student, teacher, labels, temperature, share):
    work = torch.float64 if student.dtype == torch.float64 else torch.float32
    s, t = student.to(work), teacher.to(work)
    soft = temperature * (torch.softmax(s / temperature, -1) - torch.softmax(t / temperature, -1))
    hard = torch.softmax(s, -1)
    hard = hard - torch.nn.functional.one_hot(labels.clamp(min=0), s.shape[-1]).to(work)
    counts = labels != -100
    both = share * soft + (1 - share) * hard
    return both.where(counts[..., None], 0) / counts.sum().clamp(min=1)


def scale(student, teacher, labels, temperature, share):
    """Return what rounding errors grow with: logits over the temperature, as the exponent sees them."""
    largest = max(1.0, float(torch.maximum(student.abs().max(), teacher.abs().max())))
    count = max(1, int((labels != -100).sum()))
    return (1 + share * temperature) * (1 + min(largest / temperature, 100.0)) / count


def work(student, teacher, labels, temperature, share):
    wide = 8 if student.dtype == torch.float64 else 4
    moved = student.numel() * (student.element_size() + wide)
    moved += teacher.numel() * teacher.element_size() + labels.numel() * 8
    return Work(bytes=moved, flops=12 * student.numel())


def by_mistake(change):
    return lambda *args: gradient(*args, change=change)


NEAR_MISSES = (
    ("the square of the temperature is left out", by_mistake("no square")),
    ("the difference of probabilities has the temperature's square", by_mistake("left over")),
    ("the soft part has the other sign", by_mistake("sign")),
    ("the soft part is a difference of logits over the number of tokens", by_mistake("logits")),
    ("the divergence is taken the other way round", by_mistake("reversed")),
    ("logits are multiplied by the temperature", by_mistake("multiplied")),
    ("the temperature is left out of the teacher's softmax", by_mistake("teacher at 1")),
    ("the hard part has the temperature, too", by_mistake("hard at temperature")),
    ("the two shares are exchanged", by_mistake("exchanged")),
    ("the hard part counts in full", by_mistake("in full")),
    ("it is the gradient of a sum, not of a mean", by_mistake("sum")),
    ("it is divided by the number of all places, padding too", by_mistake("all places")),
    ("it is divided by the number of all logits", by_mistake("all numbers")),
    ("each text has the same weight, however many places count", by_mistake("text by text")),
    ("padding has the soft part's gradient", by_mistake("soft at padding")),
)


def batch(b, s, v, temperature, share, *, pad=0.0, factor=2.0, dtypes=None, near=0.0):
    """A batch with a part `pad` of padding. `dtypes` are those of student and teacher."""
    student_type, teacher_type = dtypes or (torch.float32, torch.float32)

    def make(g):
        student, teacher = (
            factor * torch.randn(b, s, v, generator=g, device=g.device, dtype=torch.float64)
            for _ in range(2)
        )
        if near:
            teacher = student + near * torch.randn(b, s, v, generator=g, device=g.device).double()
        if factor > 1000:
            student, teacher = student.clamp(-20_000, 20_000), teacher.clamp(-20_000, 20_000)
        labels = torch.randint(0, v, (b, s), generator=g, device=g.device)
        hidden = int(pad * b * s)
        order = torch.randperm(b * s, generator=g, device=g.device)
        labels.view(-1)[order[:hidden]] = -100
        return student.to(student_type), teacher.to(teacher_type), labels, temperature, share

    return make


def unequal(g):
    """Texts of 9, 4 and 1 places that count, and one of none."""
    student, teacher, labels, *rest = batch(4, 9, 13, 2.5, 0.4)(g)
    for text, length in enumerate((9, 4, 1, 0)):
        labels[text, length:] = -100
    return student, teacher, labels, *rest


def viewed(g):
    """Logits that lie as [V, B, S], and labels in every second column."""
    student, teacher, labels, *rest = batch(3, 4, 10, 2.0, 0.7, pad=0.3)(g)
    student, teacher = (
        x.permute(2, 0, 1).contiguous().permute(1, 2, 0) for x in (student, teacher)
    )
    return student, teacher, labels.repeat_interleave(2, 1)[:, ::2], *rest


def certain(g):
    """Probabilities that are 0 in float32, with tokens that the student thinks impossible."""
    student, teacher, labels, *rest = batch(2, 3, 5, 1.0, 0.5, factor=6000.0)(g)
    return student, teacher, labels, *rest


def drawn(g):
    def number(low, high):
        return int(torch.randint(low, high, (1,), generator=g, device=g.device))

    temperature = number(3, 14) / 4
    return batch(
        number(1, 5), number(2, 8), number(2, 40), temperature, number(1, 10) / 10, pad=0.4
    )(g)


HALF, BRAIN, DOUBLE, SINGLE = torch.float16, torch.bfloat16, torch.float64, torch.float32
CASES = (
    Case("one place", batch(1, 1, 4, 2.0, 0.5)),
    Case("soft and hard", batch(2, 3, 6, 3.0, 0.7)),
    Case("the soft part alone", batch(2, 4, 11, 4.0, 1.0)),
    Case("the hard part alone", batch(2, 4, 11, 4.0, 0.0)),
    Case("temperature 1, padding", batch(3, 5, 8, 1.0, 0.5, pad=0.4)),
    Case("temperature below 1", batch(2, 3, 7, 0.5, 0.8, pad=0.2)),
    Case("texts of unequal lengths", unequal),
    Case("no place counts", batch(2, 3, 5, 2.0, 0.5, pad=1.0)),
    Case("96 tokens", batch(2, 16, 96, 2.0, 0.9, pad=0.25)),
    Case("large logits", certain),
    Case(
        "float64, a student near its teacher",
        batch(2, 5, 9, 2.0, 0.9, dtypes=(DOUBLE, DOUBLE), near=1e-3),
    ),
    Case("bfloat16 both", batch(2, 6, 12, 2.0, 0.6, dtypes=(BRAIN, BRAIN))),
    Case("a bfloat16 teacher", batch(2, 4, 10, 3.0, 0.5, pad=0.3, dtypes=(SINGLE, BRAIN))),
    Case("float16, a float32 teacher", batch(1, 6, 10, 1.5, 0.5, dtypes=(HALF, SINGLE))),
    Case("a float64 teacher", batch(2, 3, 9, 2.0, 0.5, dtypes=(SINGLE, DOUBLE))),
    Case("one token in the vocabulary", batch(2, 2, 1, 2.0, 0.5)),
    Case("views", viewed),
    Case("drawn", drawn),
)


def check_found(found):
    """(code, sentence) where autograd takes part, else None."""
    if found["names"] or found["kept"]:
        how = (
            "`" + found["names"][0] + "`" if found["names"] else "tensors put aside for a backward"
        )
        return "wrong-values", (
            f"The numbers are right, and autograd has computed them: seen were {how}. The gradient "
            "is asked for as a formula."
        )
    if "torch.func" in found["error"]:
        return "wrong-values", (
            "The numbers are right, and autograd has computed them: a transform of `torch.func` was "
            "called. The gradient is asked for as a formula."
        )
    if found["error"]:
        return "wrong-values", f"A batch of [2, 3, 8] ends with: {found['error']}"
    return None
