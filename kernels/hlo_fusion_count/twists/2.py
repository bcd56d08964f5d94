import torch

EXPENSIVE = ("exponential", "log", "tanh", "sqrt", "atan2")


def hlo_fusion_count(lines, results):
    same, calls = {}, []
    for line in lines:
        name, call = line[:-1].split(" = ")
        operation, operands = call.split("(")
        call = [operation] + [same.get(each, each) for each in operands.split(", ")]
        if call not in calls:
            calls.append(call)
        same[name] = calls.index(call)
    bits = [0] * len(calls)
    for name in results:
        bits[same[name]] |= 1 << same[name]
    fusions = computed = 0
    for i, (operation, *operands) in reversed(list(enumerate(calls))):
        if operation in EXPENSIVE and bits[i] & (bits[i] - 1):
            bits[i] = 1 << i
        for each in operands:
            if isinstance(each, int):
                bits[each] |= bits[i]
        fusions |= bits[i]
        computed += bin(bits[i]).count("1")
    return torch.tensor([bin(fusions).count("1"), computed])
