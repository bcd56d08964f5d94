"""Calls the learner's `kd_loss` with logits that ask for gradients. Plain values leave the process."""

import torch

DRAWN = (  # name, sizes, temperature, share, factor of the logits, how many places count
    ("both parts", (2, 5, 7), 2.0, 0.6, 2.0, 7),
    ("the soft part alone", (3, 2, 9), 3.0, 1.0, 1.5, 4),
    ("the hard part alone", (2, 3, 5), 4.0, 0.0, 1.5, 5),
    ("large logits", (1, 4, 6), 2.0, 0.5, 5000.0, 3),
    ("no place counts", (2, 3, 4), 2.0, 0.5, 1.0, 0),
)


def draw(sizes, factor, counted, seed):
    """Return logits of student and teacher, float32, and labels of which `counted` are no padding."""
    g = torch.Generator().manual_seed(seed)
    student, teacher = (factor * torch.randn(sizes, generator=g) for _ in range(2))
    if factor > 1000:
        student, teacher = student.clamp(-20_000, 20_000), teacher.clamp(-20_000, 20_000)
    labels = torch.randint(0, sizes[2], sizes[:2], generator=g)
    hidden = torch.randperm(labels.numel(), generator=g)[counted:]
    labels.view(-1)[hidden] = -100
    return student, teacher, labels


def probe(module, device):
    found = {}
    for seed, (name, sizes, temperature, share, factor, counted) in enumerate(DRAWN):
        student, teacher, labels = draw(sizes, factor, counted, 5200 + seed)
        student.requires_grad_(True)
        teacher.requires_grad_(True)
        loss = module.kd_loss(student, teacher, labels, temperature, share)
        reaches = isinstance(loss, torch.Tensor) and loss.requires_grad
        if reaches:
            loss.backward()
        found[name] = {
            "reaches": reaches and student.grad is not None,
            "asked": teacher.grad is not None,
            "asks": teacher.requires_grad,
            "gradient": [] if student.grad is None else student.grad.double().tolist(),
        }
    return found
