# expect: wrong-values
import torch


def kd_gradient(student, teacher, labels, temperature, share):
    work = torch.float64

    def loss(s):
        t = teacher.detach().to(work)
        log_p = torch.log_softmax(t / temperature, -1)
        log_q = torch.log_softmax(s / temperature, -1)
        soft = temperature**2 * (log_p.exp() * (log_p - log_q)).sum(-1)
        counts = labels != -100
        chosen = labels.clamp(min=0)[..., None]
        hard = -torch.log_softmax(s, -1).gather(-1, chosen)[..., 0]
        place = share * soft + (1 - share) * hard
        return place.where(counts, 0).sum() / counts.sum().clamp(min=1)

    s = student.double()
    step = 1e-4
    ways = torch.eye(s.numel(), dtype=work).view(-1, *s.shape) * step
    out = [(loss(s + way) - loss(s - way)) / (2 * step) for way in ways]
    kind = torch.float64 if student.dtype == torch.float64 else torch.float32
    return torch.stack(out).view(s.shape).to(kind)
