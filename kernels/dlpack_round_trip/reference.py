import torch

from tutor.judge.spec import Case, Work


def reference(x):
    return x.clone()


eager = reference


def work(x):
    return Work(bytes=2 * x.numel() * x.element_size(), flops=0)


def scale(x):
    return 0.0


CONTIGUOUS = True


def check_found(found):
    """(code, sentence) where memory is not shared, or shared where it must not be; else None."""
    for name, each in found["taken"].items():
        told = fault_of(name, each)
        if told is None and not (each["same"] and each["seen"]):
            told = f"TVM takes {name} as it stands, and what comes back has other memory: it was copied."
        if told:
            return "wrong-values", told
    for name, each in found["refused"].items():
        told = fault_of(name, each)
        if told is None and each["seen"]:
            told = f"Of {name} a copy is needed, and a write into what comes back changed `x`."
        if told:
            return "wrong-values", told
    for name, got in found["gradients"].items():
        if got != "ValueError":
            instead = f"a {got} was raised" if got else "it was taken"
            return (
                "wrong-values",
                f"{name} that requires a gradient should raise a ValueError; {instead}.",
            )
    return None


def fault_of(name, each):
    if each["error"]:
        return f"With {name}, {each['error']}"
    if not each["asked"]:
        return f"With {name}, `tvm.runtime.from_dlpack` is not called, so nothing was in TVM."
    if not each["visited"]:
        return (
            f"With {name}, what comes back has other memory than the tensor of TVM: it was copied "
            "on the way back."
        )
    if not each["left"]:
        return (
            f"With {name}, what comes back is not made from the tensor of TVM: it is one that was "
            "given to TVM, or made from that."
        )
    return None


def drawn(*shape, dtype=torch.float32):
    return lambda g: (torch.randn(*shape, generator=g, device=g.device).to(dtype),)


def view_of(make, view):
    return lambda g: (view(*make(g)),)


def whole(g):
    return (torch.randint(-9, 9, (5, 7), generator=g, device=g.device),)


CASES = (
    Case("a vector", drawn(100)),
    Case("a matrix", drawn(7, 9)),
    Case("a transposed matrix", view_of(drawn(6, 11), torch.t)),
    Case("every second column", view_of(drawn(5, 12), lambda x: x[:, ::2])),
    Case("the second row", view_of(drawn(4, 3), lambda x: x[1])),
    Case(
        "channels last",
        view_of(drawn(2, 3, 4, 5), lambda x: x.contiguous(memory_format=torch.channels_last)),
    ),
    Case("bf16", drawn(33, dtype=torch.bfloat16)),
    Case("one number", drawn(1)),
    Case("integers", whole),
)
