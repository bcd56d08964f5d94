"""A file that repeats a compilation without this program, to send to others: the text of the learner's
file, and below it the call."""

from __future__ import annotations

import ast
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from tutor.base.errors import CannotHere
from tutor.base.python_trees import parse_python
from tutor.hardware.gpus import Target
from tutor.xray.model.input_specs import Arguments, TensorSpec
from tutor.xray.model.kernel_source import KernelSource
from tutor.xray.model.stages import Request, Stage
from tutor.xray.triton_kernels.compiler import find_constants, make_attributes

_KERNEL = """
if __name__ == "__main__":
    import sys

    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    from triton.runtime.jit import JITFunction

    kernel = {name}
    while not isinstance(kernel, JITFunction):  # below @triton.autotune and @triton.heuristics
        kernel = kernel.fn
    source = ASTSource(
        kernel,
        signature={signature},
        constexprs={constexprs},
        attrs={attributes},
    )
    target = GPUTarget({backend!r}, {arch!r}, {warp_size})
    compiled = triton.compile(source, target=target, options={options})
    if len(sys.argv) > 1:
        print(compiled.asm[sys.argv[1]])
    else:
        for name, form in compiled.asm.items():
            print(f"{{name}}: {{len(form)}} {{'bytes' if isinstance(form, bytes) else 'characters'}}")
"""

_COMPARES = (
    "It compares torch.compile's results with\n"
    "# eager mode's. Dropout and its kind draw other numbers when they are compiled."
)
_FUNCTION = '''
if __name__ == "__main__":
    import copy

    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)

    def tensor(dtype, shape, strides=None, symbols=()):
        if dtype.is_floating_point or dtype.is_complex:
            made = torch.randn(shape).to(dtype)
        else:
            made = torch.randint(0, 2, shape).to(dtype)
        if strides:
            made = torch.empty_strided(shape, strides, dtype=dtype).copy_(made)
        made = made.to(device).requires_grad_({backward} and dtype.is_floating_point)
        for dimension in symbols:
            torch._dynamo.mark_dynamic(made, dimension)
        return made

    def call(function):
        arguments, words = torch.utils._pytree.tree_map(
            lambda each: tensor(*each) if type(each) is Tensor else each,
            (positional, named),
            is_leaf=lambda each: type(each) is Tensor,
        )
        torch.manual_seed(0)
        result = function(*arguments, **words)
        leaves = [x for x in torch.utils._pytree.tree_leaves(result) if torch.is_tensor(x)]
        if {backward}:
            sum(x.sum() for x in leaves if x.requires_grad).backward()
            given = [*arguments, *words.values()]
            leaves += [x.grad for x in given if torch.is_tensor(x) and x.grad is not None]
        return [x.detach() for x in leaves]

    class Tensor(tuple):
        """dtype, shape, strides and the dimensions whose sizes are symbols"""

    positional = {positional}
    named = {named}
    subject = {name}
    if isinstance(subject, type):
        subject = subject()
    if isinstance(subject, torch.nn.Module):
        subject = subject.to(device)
    plain = getattr(subject, "_orig_mod", None) or getattr(
        subject, "_torchdynamo_orig_callable", subject
    )
    expected = call(copy.deepcopy(plain))
    found = call(torch.compile(subject) if plain is subject else subject)
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        difference = (one.double() - other.double()).abs().max().item() if one.numel() else 0.0
        what = f"tensor {{number}}: {{tuple(one.shape)}} {{one.dtype}}"
        print(f"{{what}}, largest difference {{difference:.3g}}")
'''


def of_kernel(request: Request, text: str, kernel: KernelSource, target: Target) -> Stage:
    """Return the stage `repro` of a Triton kernel. It needs no GPU.

    Raises `CannotHere` where a constant has no literal."""
    call = _KERNEL.format(
        name=request.name,
        signature=dict(kernel.signature),
        attributes=make_attributes(kernel, target),
        constexprs={
            place: _literal(str(place), value) for place, value in find_constants(kernel).items()
        },
        options={name: _literal(name, value) for name, value in kernel.options},
        backend=target.backend,
        arch=target.triton_arch,
        warp_size=target.warp_size,
    )
    return _stage(
        request,
        text,
        call,
        "It prints the size of each form;\n# `python FILE ttgir` prints one form.",
    )


def of_function(request: Request, text: str, arguments: Arguments) -> Stage:
    """Return the stage `repro` of a function or module. Its file runs on the GPU of its machine, else
    on the CPU."""
    call = _FUNCTION.format(
        name=request.name,
        backward=request.backward,
        positional=f"[{', '.join(map(_argument, arguments.positional))}]",
        named=f"{{{', '.join(f'{k!r}: {_argument(v)}' for k, v in arguments.named.items())}}}",
    )
    return _stage(request, text, call, _COMPARES)


def _stage(request: Request, text: str, call: str, does: str) -> Stage:
    versions = ", ".join(f"{name} {_version(name)}" for name in ("torch", "triton"))
    words = " ".join(f"--input {str(spec)!r}" for spec in request.inputs)
    head = [
        f"# Reproduces: tutor xray {request.path.rpartition('/')[2]}::{request.name} {words}",
        f"# for {request.target}, with {versions}. {does}",
    ]
    body = "\n".join((*head, "", _without_main(text).strip("\n"), "", call))
    return Stage("repro", "Reproduction", "python", f"{body.rstrip()}\n")


def _without_main(text: str) -> str:
    """Return the file without what it does only as a program."""
    lines = text.split("\n")
    try:
        tree = parse_python(text)
    except (SyntaxError, ValueError):
        return text
    for node in reversed(tree.body):
        if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
            del lines[node.lineno - 1 : node.end_lineno]
    return "\n".join(lines)


def _argument(value: Any) -> str:
    if type(value) in (tuple, list):
        inside = ", ".join(map(_argument, value)) + "," * (len(value) == 1)
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if not isinstance(value, TensorSpec):
        return repr(value)
    strides = value.strides or None
    return f"Tensor((torch.{value.torch_name}, {value.shape}, {strides}, {value.symbols}))"


def _literal(name: str, value: Any) -> Any:
    """Return the value where `repr` writes it as Python does."""
    try:
        ast.literal_eval(repr(value))
    except (ValueError, SyntaxError):
        raise CannotHere(
            f"there is no reproduction: the constant {name} is {str(value)[:60]}, which has no literal"
        ) from None
    return value


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"
