import torch

ARG, CONST, ADD, SUB, MUL, LOAD, STORE, RET = range(8)


def optimise(program: torch.Tensor) -> torch.Tensor:
    """A program that does the same in fewer rows of (operation, a, b)."""
    out = []
    for op, a, b in program.tolist():
        # Rewrite the operands, simplify, look for the
        # same row above; then drop what nobody needs.
        out.append([op, a, b])
    return torch.tensor(out)
