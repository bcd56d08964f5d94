import torch

from tutor.judge.spec import Case, Work

REGISTERS_IN_A_FILE, SHARED = 1 << 14, 228 << 10
LIMITS = ("warps", "blocks", "registers", "shared memory")


def reference(registers, shared, warps):
    """By putting warps and blocks on the multiprocessor, one after the other."""
    warp, block = registers * 32, shared + 1024
    warp += -warp % 256
    block += -block % 128
    files = [REGISTERS_IN_A_FILE] * 4
    held = 0
    while max(files) >= warp:
        files[files.index(max(files))] -= warp
        held += 1
    fits = [64 // warps, 32, held // warps, SHARED // block]
    return torch.tensor([*fits, min(fits) * warps])


eager = reference


def work(registers, shared, warps):
    return Work(bytes=40, flops=0)


def with_limit(at, number):
    """Return what comes out where limit `at` is `number` of the arguments."""

    def made(registers, shared, warps):
        fits = reference(registers, shared, warps).tolist()[:4]
        fits[at] = number(registers, shared, warps)
        return torch.tensor([*fits, min(fits) * warps])

    return made


def in_files(size, registers, warps):
    """Blocks by registers, where each file is divided by pieces of `size` registers for a warp."""
    return 4 * (REGISTERS_IN_A_FILE // size(registers)) // warps


NEAR_MISSES = (
    (
        "the four register files are divided as one",
        with_limit(2, lambda r, s, w: 4 * REGISTERS_IN_A_FILE // (r * 32 + -r * 32 % 256) // w),
    ),
    (
        "a warp's registers are not rounded up to a multiple of 256",
        with_limit(2, lambda r, s, w: in_files(lambda n: n * 32, r, w)),
    ),
    (
        "the registers are counted for one thread of a warp, and not for 32",
        with_limit(2, lambda r, s, w: in_files(lambda n: n + -n % 256, r, w)),
    ),
    (
        "the registers are divided as one file and without rounding",
        with_limit(2, lambda r, s, w: 4 * REGISTERS_IN_A_FILE // (r * 32 * w)),
    ),
    (
        "a block's shared memory is not rounded up to 128 bytes",
        with_limit(3, lambda r, s, w: SHARED // (s + 1024)),
    ),
    (
        "the 1 KiB of shared memory that CUDA keeps for each block is left out",
        with_limit(3, lambda r, s, w: SHARED // max(128, s + -s % 128)),
    ),
)


def explain_wrong(got, registers, shared, warps):
    """The sentence on the first limit that is wrong, or on what the last number is instead."""
    got, want = got.tolist(), reference(registers, shared, warps).tolist()
    for at in (2, 3, 0, 1):
        if got[at] != want[at]:
            return wrong_limit(at, got, want)
    made_wrong = (
        (
            min(want[:4]),
            f"Element 4 is {got[4]}: so many blocks fit, and the task wants their warps.",
        ),
        (
            min(want[0], *want[2:4]) * warps,
            f"Element 4 is {got[4]}: so many warps fit without the limit of 32 blocks.",
        ),
        (
            max(want[:4]) * warps,
            f"Element 4 is {got[4]}: that is the number for the largest of the four limits. The "
            "smallest decides.",
        ),
    )
    broken = f"Element 4 is no multiple of the block's {warps} warps. A block comes as a whole."
    return only(got[4], made_wrong) or (broken if got[4] % warps else None)


def wrong_limit(at, got, want):
    """Name a limit that is wrong, with both numbers."""
    return f"By {LIMITS[at]} you allow {got[at]} blocks (element {at}); it is {want[at]}."


def only(number, mistakes):
    """The sentence of the one mistake that makes this number; None where several do, or none."""
    sentences = [sentence for made, sentence in mistakes if made == number]
    return sentences[0] if len(sentences) == 1 else None


def check_module(constants):
    """Return one sentence on the learner's BLOCKS and LIMIT where they are wrong, else None."""
    blocks, limit = constants.get("BLOCKS"), constants.get("LIMIT")
    if limit not in LIMITS:
        return f"LIMIT is {limit!r}; expected one of {', '.join(map(repr, LIMITS))}."
    if blocks == 8:
        return "BLOCKS is 8: 228 // 28. CUDA keeps 1 KiB more of shared memory for each block."
    if blocks in (9, 10):
        return f"BLOCKS is {blocks}: that is about what the registers allow. Look at all four."
    if blocks == 28:
        return "BLOCKS is 28: those are the warps. A block has four of them."
    if isinstance(blocks, bool) or blocks != 7:
        return f"BLOCKS is {blocks!r}; work out the four limits by hand and take the smallest."
    if limit != "shared memory":
        return f"LIMIT is {limit!r}, which allows more than 7 blocks."
    return None


def check_found(found):
    """(code, sentence) where `needs` misread one of the compiled kernels, else None."""
    if found.get("missing"):
        return "wrong-values", "The file has no function `needs(compiled)`."
    names = ("registers a thread", "bytes of shared memory a block", "warps a block")
    for wanted, said in zip(found["wanted"], found["said"], strict=True):
        if isinstance(said, str):
            return (
                "wrong-values",
                f"`needs(compiled)` returned {said}; expected a tuple of three integers.",
            )
        for name, want, got in zip(names, wanted, said, strict=True):
            if want != got:
                return "wrong-values", (
                    f"`needs(compiled)` says {got} {name} for a kernel that needs {want}. "
                    f"{_why(name, got)}"
                ).rstrip()
    return None


def _why(name, got):
    if name.startswith("registers") and got == 0:
        return "They are in the text of `usage(compiled)`, after `REG:`."
    if name.startswith("bytes") and got % 1024 == 0:
        return (
            "What cuobjdump prints as SHARED is the 1 KiB that CUDA keeps, not what the kernel asks "
            "for at its launch: that is in the metadata."
        )
    return ""


def draw(g, low, high):
    return int(torch.randint(low, high, (1,), generator=g, device=g.device))


def fixed(*kernel):
    return lambda g: kernel


def any_kernel(g):
    shared = draw(g, 0, 2) * draw(g, 0, 100 << 10)
    return draw(g, 16, 256), shared, 1 << draw(g, 0, 5)


CASES = (
    Case("a small kernel", fixed(32, 0, 4)),
    Case("blocks of one warp", lambda g: (draw(g, 16, 33), 0, 1)),
    Case("the kernel of part 1", fixed(50, 28 << 10, 4)),
    Case("64 registers, 8 warps", fixed(64, 0, 8)),
    Case("90 registers: a piece is not used up", fixed(90, 0, 8)),
    Case("168 registers: 3 warps a file", fixed(168, 0, 4)),
    Case("200 registers, odd blocks", lambda g: (draw(g, 193, 209), 0, 3)),
    Case("96 KiB of shared memory", fixed(40, 96 << 10, 4)),
    Case("shared memory just past a piece", fixed(32, 107 * 128 + 1 - 1024, 2)),
    Case("an odd number of pieces of shared memory", fixed(32, 57 * 128 - 1024, 2)),
    Case("half a piece of shared memory", fixed(32, 57 * 64 - 1024, 1)),
    Case("all the shared memory there is", fixed(32, 227 << 10, 8)),
    Case("more shared memory than there is", lambda g: (32, (227 << 10) + draw(g, 1, 999), 8)),
    Case("too many registers for one block", fixed(255, 0, 32)),
    Case("the largest block", lambda g: (draw(g, 16, 65), 0, 32)),
    *(Case(f"drawn, {i}", any_kernel) for i in range(1, 9)),
)
