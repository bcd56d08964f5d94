"""A class says what an instruction takes; readers are counted in sets of names' identities."""

from collections import Counter
from dataclasses import dataclass

import torch
import tvm
from tvm import relax
from tvm.relax.dpl import is_op, wildcard
from tvm.relax.transform import FusionPattern

NAMES = ("npu.dense_bias_relu", "npu.dense_bias", "npu.dense")


@dataclass
class Instruction:
    """An instruction of the accelerator: the operators behind the product."""

    name: str
    behind: tuple[str, ...]

    def pattern(self):
        parts = {"x": wildcard(), "w": wildcard()}
        whole = parts["dense"] = is_op("relax.matmul")(parts["x"], parts["w"])
        for operator in self.behind:
            if operator == "relax.add":
                parts["b"] = wildcard()
                whole = is_op(operator)(whole, parts["b"])
            else:
                whole = is_op(operator)(whole)
        return FusionPattern(self.name, whole, parts, self.check)

    def check(self, context):
        shapes, dtypes = {}, set()
        for name, part in context.annotated_expr.items():
            shapes[name] = tuple(int(n) for n in part.ty.shape)
            dtypes.add(str(part.ty.dtype))
        if dtypes != {"float32"} or len(shapes["x"]) != 2 or len(shapes["w"]) != 2:
            return False
        if "b" in shapes and shapes["b"] != shapes["w"][1:]:
            return False
        inside = set(context.matched_bindings)
        inner = inside - {context.value_to_bound_var[context.matched_expr]}
        readers = {reader for each in inner for reader in context.var_usages[each]}
        return readers <= inside and all(isinstance(each, relax.DataflowVar) for each in inner)


def patterns() -> list:
    """What each instruction takes, for FuseOpsByPattern."""
    add, relu = "relax.add", "relax.nn.relu"
    steps = ((add, relu), (add,), ())
    return [Instruction(*each).pattern() for each in zip(NAMES, steps, strict=False)]


def partition(module: tvm.IRModule) -> tvm.IRModule:
    """The module with its regions. Leave this as it is."""
    fuse = relax.transform.FuseOpsByPattern
    return fuse(patterns(), annotate_codegen=True)(module)


def byoc_pattern(source: str) -> torch.Tensor:
    """How often main calls each. Leave this as it is."""
    module = partition(tvm.script.from_source(source))
    counts = Counter()
    for binding in module["main"].body.blocks[0].bindings:
        called = getattr(binding.value, "op", None)
        if isinstance(called, tvm.ir.GlobalVar):
            text = module[called].script()
            counts.update(n for n in NAMES if f'"{n}"' in text)
    return torch.tensor([counts[name] for name in NAMES])
