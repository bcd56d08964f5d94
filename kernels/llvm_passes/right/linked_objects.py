"""Instructions as objects that hold their operands, with uses counted, as LLVM has them."""

from dataclasses import dataclass, field

import torch

ARG, CONST, ADD, SUB, MUL, LOAD, STORE, RET = range(8)


@dataclass(eq=False)
class Instruction:
    op: int
    number: int = 0  # of an argument or a cell, or a constant's value
    operands: list["Instruction"] = field(default_factory=list)
    uses: int = 0
    place: int = -1


class Builder:
    def __init__(self):
        self.instructions = []
        self.table = {}
        self.memory = {}

    def emit(self, op, number=0, operands=()):
        made = Instruction(op, number, list(operands), place=len(self.instructions))
        for each in operands:
            each.uses += 1
        self.instructions.append(made)
        return made

    def value(self, op, number=0, operands=()):
        key = (op, number, *map(id, operands))
        if key not in self.table:
            self.table[key] = self.emit(op, number, operands)
        return self.table[key]

    def constant(self, number):
        return self.value(CONST, number)

    def arithmetic(self, op, left, right):
        if op != SUB and right.place < left.place:
            left, right = right, left
        match op, left, right:
            case _, Instruction(op=1, number=a), Instruction(op=1, number=b):
                return self.constant({ADD: a + b, SUB: a - b, MUL: a * b}[op])
            case (2, Instruction(op=1, number=0), x) | (4, Instruction(op=1, number=1), x):
                return x
            case (2 | 3, x, Instruction(op=1, number=0)) | (4, x, Instruction(op=1, number=1)):
                return x
            case (4, Instruction(op=1, number=0), _) | (4, _, Instruction(op=1, number=0)):
                return self.constant(0)
            case (3, x, y) if x is y:
                return self.constant(0)
        return self.value(op, 0, (left, right))

    def load(self, cell):
        if cell not in self.memory:
            self.memory[cell] = self.emit(LOAD, cell)
        return self.memory[cell]

    def store(self, cell, value):
        self.memory[cell] = value
        return self.emit(STORE, cell, (value,))


def optimise(program):
    build, new = Builder(), []
    for op, a, b in program.tolist():
        if op in (ADD, SUB, MUL):
            new.append(build.arithmetic(op, new[a], new[b]))
        elif op == LOAD:
            new.append(build.load(a))
        elif op == STORE:
            new.append(build.store(a, new[b]))
        elif op == RET:
            new.append(build.emit(RET, 0, (new[a],)))
        else:
            new.append(build.value(op, a))

    alive = []
    for each in reversed(build.instructions):
        if each.uses or each.op in (STORE, RET):
            alive.append(each)
        else:
            for operand in each.operands:
                operand.uses -= 1
    alive.reverse()
    for place, each in enumerate(alive):
        each.place = place
    out = torch.zeros(len(alive), 3, dtype=torch.int64)
    for i, each in enumerate(alive):
        places = [operand.place for operand in each.operands]
        if each.op in (ADD, SUB, MUL):
            out[i] = torch.tensor([each.op, *places])
        elif each.op == STORE:
            out[i] = torch.tensor([STORE, each.number, *places])
        else:
            out[i] = torch.tensor([each.op, *(places or [each.number]), 0])
    return out
