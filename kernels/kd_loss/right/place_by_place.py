import torch


def kd_loss(student, teacher, labels, temperature, share):
    dtype = torch.double if student.dtype is torch.double else torch.float
    teacher = teacher.detach()
    total, count = student.to(dtype).sum() * 0, 0
    for b, row in enumerate(labels.tolist()):
        for i, label in enumerate(row):
            if label == -100:
                continue
            s, t = student[b, i].to(dtype), teacher[b, i].to(dtype)
            log_q = (s / temperature).log_softmax(0)
            log_p = (t / temperature).log_softmax(0)
            divergence = torch.dot(log_p.exp(), log_p - log_q)
            surprise = s.logsumexp(0) - s[label]
            total = total + share * temperature * temperature * divergence
            total = total + (1 - share) * surprise
            count += 1
    return total / count if count else total
