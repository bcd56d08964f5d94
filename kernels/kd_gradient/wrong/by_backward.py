# expect: wrong-values
import torch


def kd_gradient(student, teacher, labels, temperature, share):
    work = torch.float64 if student.dtype == torch.float64 else torch.float32

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

    s = student.detach().to(work).clone(memory_format=torch.contiguous_format)
    s.requires_grad_(True)
    loss(s).backward()
    return s.grad.contiguous()
