import torch


def chances(logits, temperature):
    e = torch.exp((logits - logits.max()) / temperature)
    return e / e.sum()


def kd_gradient(student, teacher, labels, temperature, share):
    dtype = torch.double if student.dtype is torch.double else torch.float
    out = torch.zeros(tuple(student.shape), dtype=dtype, device=student.device)
    places = [(b, i) for b, row in enumerate(labels.tolist()) for i, v in enumerate(row) if v >= 0]
    for b, i in places:
        s, t = student[b, i].to(dtype), teacher[b, i].to(dtype)
        wanted = torch.zeros_like(s)
        wanted[labels[b, i]] = 1
        out[b, i] += share * temperature * (chances(s, temperature) - chances(t, temperature))
        out[b, i] += (1 - share) * (chances(s, 1) - wanted)
    if places:
        out /= len(places)
    return out
