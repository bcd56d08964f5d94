import torch

from tutor.judge.spec import Case, Work

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


def log_chances(logits, temperature=1.0, axis=-1):
    return torch.log_softmax(logits / temperature, axis)


def parts(s, t, labels, temperature, change=""):
    """Soft and hard part of each place, [B, S]. The option names a mistake."""
    at = {"multiplied": 1 / temperature}.get(change, temperature)
    log_p = log_chances(t, 1.0 if change == "teacher at 1" else at)
    log_q = log_chances(s, 1.0 if change == "student at 1" else at)
    if change == "axis":
        log_p, log_q = log_chances(t, temperature, 1), log_chances(s, temperature, 1)
    soft = log_p.exp() * (log_p - log_q)
    if change == "reversed":
        soft = log_q.exp() * (log_q - log_p)
    if change == "crossed":
        soft = log_p.exp() * -log_q
    soft = soft.mean(-1) if change == "mean of tokens" else soft.sum(-1)
    soft = soft * {"no square": 1.0, "once": temperature}.get(change, temperature**2)
    of = {"hard at temperature": s / temperature, "hard of teacher": t}.get(change, s)
    hard = -log_chances(of).gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    return soft, hard * temperature**2 if change == "square for both" else hard


def loss(s, t, labels, temperature, share, change=""):
    s, t = s.double(), t.double()
    soft, hard = parts(s, t, labels, temperature, change)
    share_of_hard = 1 - share
    if change == "exchanged":
        share, share_of_hard = share_of_hard, share
    if change == "in full":
        share_of_hard = 1.0
    counts = labels != -100
    number = counts.sum().clamp(min=1)
    if change == "padding in soft":
        whole = share * soft.mean() + share_of_hard * hard.where(counts, 0).sum() / number
        return whole.to(torch.float64)
    place = (share * soft + share_of_hard * hard).where(counts, 0)
    if change == "sum":
        return place.sum()
    if change == "texts":
        return place.sum() / len(labels)
    if change == "all places":
        return place.mean()
    if change == "text by text":
        full = counts.any(1)
        return (place.sum(1) / counts.sum(1).clamp(min=1)).sum() / full.sum().clamp(min=1)
    return place.sum() / number


def reference(student, teacher, labels, temperature, share):
    return loss(student, teacher, labels, temperature, share)


def eager(student, teacher, labels, temperature, share):
    work = torch.float64 if student.dtype == torch.float64 else torch.float32
    s, t = student.to(work), teacher.to(work)
    soft, hard = parts(s, t, labels, temperature)
    counts = labels != -100
    return (share * soft + (1 - share) * hard).where(counts, 0).sum() / counts.sum().clamp(min=1)


def scale(student, teacher, labels, temperature, share):
    """Return what rounding errors grow with: the logarithms added up, and the logits."""
    s, t = student.double(), teacher.double()
    log_p, log_q = log_chances(t, temperature), log_chances(s, temperature)
    added = share * temperature**2 * (log_p.exp() * (log_p.abs() + log_q.abs())).sum(-1)
    added += (1 - share) * log_chances(s).abs().gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    largest = float(torch.maximum(s.abs().max(), t.abs().max()))
    counts = labels != -100
    if not counts.any():
        return 0.0 * largest + 1e-30
    return float(added[counts].mean()) + (share * temperature + 1 - share) * largest


def work(student, teacher, labels, temperature, share):
    moved = student.numel() * student.element_size() + teacher.numel() * teacher.element_size()
    return Work(bytes=moved + labels.numel() * 8 + 4, flops=10 * student.numel())


def by_mistake(change):
    return lambda *args: loss(*args, change=change)


NEAR_MISSES = (
    ("the soft part is not multiplied by the temperature's square", by_mistake("no square")),
    ("the soft part is multiplied by the temperature once", by_mistake("once")),
    ("the hard part is multiplied by the temperature's square, too", by_mistake("square for both")),
    ("the divergence is taken the other way round: q (log q - log p)", by_mistake("reversed")),
    ("the teacher's entropy is left out of the soft part", by_mistake("crossed")),
    ("the soft part is a mean over tokens, not a sum", by_mistake("mean of tokens")),
    ("logits are multiplied by the temperature", by_mistake("multiplied")),
    ("the temperature is left out of the teacher's softmax", by_mistake("teacher at 1")),
    ("the temperature is left out of the student's softmax", by_mistake("student at 1")),
    ("the hard part has the temperature, too", by_mistake("hard at temperature")),
    ("the hard part is the teacher's", by_mistake("hard of teacher")),
    ("the two shares are exchanged", by_mistake("exchanged")),
    ("the hard part counts in full", by_mistake("in full")),
    ("the loss is summed over the places that count", by_mistake("sum")),
    ("the sum is divided by the number of texts", by_mistake("texts")),
    ("the sum is divided by the number of all places, padding too", by_mistake("all places")),
    ("each text has the same weight, however many places count", by_mistake("text by text")),
    ("the soft part is a mean over all places, padding too", by_mistake("padding in soft")),
    ("the softmax runs over the places", by_mistake("axis")),
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
    Case(
        "temperature below 1, a float64 teacher",
        batch(2, 3, 7, 0.5, 0.8, pad=0.2, dtypes=(SINGLE, DOUBLE)),
    ),
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
    Case("one token in the vocabulary", batch(2, 2, 1, 2.0, 0.5)),
    Case("views", viewed),
    Case("drawn", drawn),
)

# --- the gradient, of the batches that probe.py draws ------------------------------------------------

DRAWN = (  # as in probe.py
    ("both parts", (2, 5, 7), 2.0, 0.6, 2.0, 7),
    ("the soft part alone", (3, 2, 9), 3.0, 1.0, 1.5, 4),
    ("the hard part alone", (2, 3, 5), 4.0, 0.0, 1.5, 5),
    ("large logits", (1, 4, 6), 2.0, 0.5, 5000.0, 3),
    ("no place counts", (2, 3, 4), 2.0, 0.5, 1.0, 0),
)


def draw(sizes, factor, counted, seed):
    """Return logits of student and teacher and labels, as probe.py draws them."""
    g = torch.Generator().manual_seed(seed)
    student, teacher = (factor * torch.randn(sizes, generator=g) for _ in range(2))
    if factor > 1000:
        student, teacher = student.clamp(-20_000, 20_000), teacher.clamp(-20_000, 20_000)
    labels = torch.randint(0, sizes[2], sizes[:2], generator=g)
    labels.view(-1)[torch.randperm(labels.numel(), generator=g)[counted:]] = -100
    return student, teacher, labels


def gradient(student, teacher, labels, temperature, share):
    s, t = student.double(), teacher.double()
    counts = labels != -100
    q_less_p = torch.softmax(s / temperature, -1) - torch.softmax(t / temperature, -1)
    label = torch.nn.functional.one_hot(labels.clamp(min=0), s.shape[-1])
    each = share * temperature * q_less_p + (1 - share) * (torch.softmax(s, -1) - label)
    return each.where(counts[..., None], 0) / counts.sum().clamp(min=1)


def check_found(found):
    """(code, sentence) where a gradient is missing, wrong, or computed for the teacher, else None."""
    for name in [each[0] for each in DRAWN]:
        if not found[name]["asks"]:
            return "input-modified", (
                f"After the call the teacher's logits ask for no gradient any more ({name}). They "
                "belong to the caller, who may train them."
            )
        if found[name]["asked"]:
            return "wrong-values", (
                f"The loss has a gradient for the teacher's logits, too ({name}). The teacher is given, "
                "and a training step would compute and keep what nobody uses."
            )
    for seed, (name, sizes, temperature, share, factor, counted) in enumerate(DRAWN):
        if not found[name]["reaches"]:
            return "wrong-values", (
                f"No gradient reaches the student's logits ({name}): `backward` of the result fails, "
                "or leaves `student.grad` at None."
            )
        want = gradient(*draw(sizes, factor, counted, 5200 + seed), temperature, share)
        got = torch.tensor(found[name]["gradient"], dtype=torch.float64)
        if not torch.isfinite(got).all():
            return (
                "wrong-values",
                f"The student's gradient has numbers that are not finite ({name}).",
            )
        off = (got - want).abs()
        if off.max() > 1e-5:
            at = [int(index) for index in torch.unravel_index(off.argmax(), off.shape)]
            return "wrong-values", (
                f"The loss is right and its gradient is not ({name}): at {at} it is "
                f"{got[tuple(at)]:.5f}, and {want[tuple(at)]:.5f} is right."
            )
    return None
