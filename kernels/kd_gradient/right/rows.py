import torch


def kd_gradient(student, teacher, labels, temperature, share):
    kind = torch.promote_types(student.dtype, torch.float32)
    vocabulary = student.size(2)
    kept = (labels.flatten() != -100).nonzero()[:, 0]
    out = torch.zeros(labels.numel(), vocabulary, dtype=kind, device=student.device)
    if len(kept):
        s = student.reshape(-1, vocabulary)[kept].to(kind)
        t = teacher.reshape(-1, vocabulary)[kept].to(kind)
        soft = (s / temperature).softmax(1) - (t / temperature).softmax(1)
        ones = torch.nn.functional.one_hot(labels.flatten()[kept], vocabulary)
        both = share * temperature * soft + (1 - share) * (s.softmax(1) - ones)
        out[kept] = both / len(kept)
    return out.view(student.shape)
