import torch


def kd_loss(student, teacher, labels, temperature, share):
    work = torch.float64 if student.dtype == torch.float64 else torch.float32
    s, t = student.to(work), teacher.detach().to(work)
    log_p = t / temperature - torch.logsumexp(t / temperature, -1, keepdim=True)
    log_q = s / temperature - torch.logsumexp(s / temperature, -1, keepdim=True)
    soft = temperature**2 * (log_p.exp() * (log_p - log_q)).sum(-1)
    counts = labels != -100
    at_label = s.gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    place = share * soft + (1 - share) * (s.logsumexp(-1) - at_label)
    return place.where(counts, 0).sum() / counts.sum().clamp(min=1)
