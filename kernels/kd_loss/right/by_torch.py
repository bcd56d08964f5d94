import torch
import torch.nn.functional as F


def kd_loss(student, teacher, labels, temperature, share):
    wide = torch.promote_types(student.dtype, torch.float32)
    vocabulary = student.shape[-1]
    kept = labels.reshape(-1) != -100
    s = student.reshape(-1, vocabulary)[kept].to(wide)
    with torch.no_grad():
        t = teacher.reshape(-1, vocabulary)[kept].to(wide)
        p = torch.log_softmax(t / temperature, dim=1)
    soft = F.kl_div(torch.log_softmax(s / temperature, dim=1), p, reduction="sum", log_target=True)
    hard = F.cross_entropy(s, labels.reshape(-1)[kept], reduction="sum")
    total = share * temperature**2 * soft + (1 - share) * hard
    return total / max(1, int(kept.sum()))
