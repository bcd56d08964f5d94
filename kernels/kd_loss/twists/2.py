import torch


def crossed(log_p, log_q):
    return -(log_p.exp() * log_q).sum(-1)


def entropy(log_p):
    return -(log_p.exp() * log_p).sum(-1)


def kd_loss(student, teacher, labels, temperature, share):
    work = torch.float64 if student.dtype == torch.float64 else torch.float32
    s, t = student.to(work), teacher.detach().to(work)
    log_p = torch.log_softmax(t / temperature, -1)
    soft = crossed(log_p, torch.log_softmax(s / temperature, -1)) - entropy(log_p)
    counts = labels != -100
    chosen = labels.clamp(min=0)[..., None]
    hard = -torch.log_softmax(s, -1).gather(-1, chosen)[..., 0]
    place = share * temperature**2 * soft + (1 - share) * hard
    return place.where(counts, 0).sum() / counts.sum().clamp(min=1)
