import torch


def kd_gradient(student, teacher, labels, temperature, share):
    """Subtract one mixture of the teacher's p and the label."""
    kind = torch.float64 if student.dtype == torch.float64 else torch.float32
    with torch.no_grad():
        s, t = student.to(kind), teacher.to(kind)
        weight = (labels != -100).to(kind)
        weight = (weight / weight.sum().clamp(min=1)).unsqueeze(-1)
        label = torch.arange(s.shape[-1], device=s.device) == labels.unsqueeze(-1)
        given = share * temperature * torch.exp(torch.log_softmax(s / temperature, -1))
        given = given + (1 - share) * torch.exp(torch.log_softmax(s, -1))
        wanted = share * temperature * torch.softmax(t / temperature, -1)
        wanted = wanted + (1 - share) * label.to(kind)
        return ((given - wanted) * weight).clone(memory_format=torch.contiguous_format)
