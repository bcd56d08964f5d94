import torch


def kd_gradient(student, teacher, labels, temperature, share):
    work = torch.float64 if student.dtype == torch.float64 else torch.float32
    s, t = student.detach().to(work), teacher.detach().to(work)
    q_less_p = torch.softmax(s / temperature, -1) - torch.softmax(t / temperature, -1)
    place = share * temperature * q_less_p + (1 - share) * torch.softmax(s, -1)
    place = place.contiguous()
    counts = labels != -100
    index = labels.clamp(min=0)[..., None]
    place.scatter_add_(-1, index, torch.full(index.shape, share - 1, dtype=work, device=s.device))
    return (place.where(counts[..., None], 0) / counts.sum().clamp(min=1)).contiguous()
