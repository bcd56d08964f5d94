import torch
from torch.nn import functional


def kd_loss(student, teacher, labels, temperature, share):
    kind = torch.float64 if student.dtype == torch.float64 else torch.float32
    weight = labels.ne(-100).to(kind)
    weight = weight / weight.sum().clamp_min(1)
    s, t = student.to(kind), teacher.to(kind).detach()
    p = torch.softmax(t / temperature, -1)
    p_log = torch.log_softmax(t / temperature, -1)
    q_log = torch.log_softmax(s / temperature, -1)
    entropy = -torch.einsum("bsv,bsv->bs", p, p_log)
    crossed = -torch.einsum("bsv,bsv->bs", p, q_log)
    hard = functional.cross_entropy(s.transpose(1, 2), labels, reduction="none")
    return torch.sum(weight * (share * temperature**2 * (crossed - entropy) + (1 - share) * hard))
