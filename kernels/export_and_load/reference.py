import torch

from tutor.judge.spec import Case, Work


def reference(x):
    return 2 * x + 1


eager = reference


def work(x):
    return Work(bytes=2 * x.numel() * x.element_size(), flops=2 * x.numel())


def check_found(found):
    """(code, sentence) of what is wrong with the library or with `load`, else None."""
    if found["stored"]:
        return "wrong-values", found["stored"]
    each = found["loaded"]
    if each["error"]:
        return (
            "wrong-values",
            f"With a library of the judge, `load` or its function raised {each['error']}",
        )
    if each["builds"]:
        return (
            "wrong-values",
            "`load`, or the function that it returns, builds a program. It should read one.",
        )
    if not each["right"]:
        return (
            "wrong-values",
            "A library of the judge computes 3 * x - 5, and what `load` returns for it computes "
            "something else. Does it call what the file holds?",
        )
    if not each["two"]:
        return (
            "wrong-values",
            "After a `load` of a second library, the two functions do not each call their own.",
        )
    if each["reads"] != 1:
        return (
            "wrong-values",
            f"The file is read {each['reads']} times in a `load` and three calls.",
        )
    if each["early"] != 1:
        return "wrong-values", "`load` does not read the file: the first call of its function does."
    if not each["own"]:
        return "wrong-values", "A second call changes what the first one returned."
    if each["elsewhere"]:
        return "wrong-values", (
            "With a vector without gaps that begins 4 bytes after a multiple of 64, the function that "
            f"`load` returns {each['elsewhere']}."
        )
    return None


def drawn(n):
    return lambda g: (torch.randn(n, generator=g, device=g.device),)


def gaps(g):
    return (drawn(40)(g)[0][::2],)


def column(g):
    return (drawn(7 * 5)(g)[0].view(7, 5)[:, 2],)


CASES = (
    Case("16 numbers", drawn(16)),
    Case("one number", drawn(1)),
    Case("1,000 numbers", drawn(1000)),
    Case("every second number", gaps),
    Case("a column", column),
    Case("an odd number", drawn(77)),
    Case("from the second number on", lambda g: (drawn(65)(g)[0][1:],)),
)
