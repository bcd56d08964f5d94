"""A place to look at for each cause that the judge can name: the first step of the hint ladder, free.
Not the answer of any exercise: where in a kernel such a mistake sits. Code in backticks, the keys of
actions as `key_labels.with_keys` takes them."""

LOOK_AT = {
    "compile-error": "Read the sentence above with the line it names. In a kernel only part of "
    "Python exists: shapes must be known when it is compiled, so `tl.arange` and every block size "
    "need a `tl.constexpr`.",
    "import-error": "The file is run from top to bottom once before the entry is called. Look at "
    "the line named: what it uses must be defined above it, and be installed.",
    "not-interpretable": "Nothing is said of whether it is right. Where there is a GPU, judge it there; "
    "here, look at the line named: what in `tl` does the same?",
    "wrong-signature": "Compare the first line of your function with the entry in the task "
    "({lab.task}): the name, the number of arguments and their order.",
    "wrong-shape": "Look at where the output is allocated. Does its shape come from the inputs, "
    "also where they are broadcast, reduced or transposed?",
    "wrong-dtype": "Look at where the output is allocated: `torch.empty` without a dtype gives "
    "float32, and `torch.empty_like` takes the dtype of what it is given.",
    "wrong-values": "Take the smallest wrong case and the first wrong element, and work out by "
    "hand what your code computes there. In the scratch cells ({lab.scratch}) you can "
    "call it on that size.",
    "missing-mask": "Look at every `tl.load` and `tl.store` whose offsets can pass the end. Which "
    "lanes are past it, what do they hold, and does a sum or maximum after the load take them in?",
    "out-of-bounds-load": "Write down the largest offset that the last program computes, and "
    "compare it with the number of elements. The mask must be false from there on, in each "
    "dimension.",
    "out-of-bounds-store": "Write down the largest offset that the last program stores to, and "
    "compare it with the number of elements. A store needs a mask as much as a load does.",
    "race": "Which two programs compute the same offset? Follow `tl.program_id` into the offsets of "
    "the store: each output element needs exactly one program, or an atomic.",
    "output-not-written": "Count: programs of the grid times elements of a program. Is that all of "
    "the output? Look at the grid, at the block size, and at a mask that is too strict.",
    "wrong-program-id": "Follow `tl.program_id` into the offsets. With two programs, which elements "
    "has the first one and which the second? Look also at the axis, and at the grid's order.",
    "wrong-stride": "Memory is one row of elements. For element [i, j] the offset is i and j times "
    "their strides: are these the strides that this tensor has, also when it is a view?",
    "hard-coded-size": "Look for numbers that belong to one size: in the grid, the block, the mask. "
    "What would they be if they came from the arguments?",
    "unstable-numerics": "The formula is right on paper. Look for the step where numbers grow large "
    "or nearly equal numbers are subtracted, and do that step in another order.",
    "low-precision": "Look at the dtype in which sums and products are accumulated: is it the "
    "input's, where float32 was meant? For `tl.dot` look at `input_precision` as well.",
    "nan-handling": "Call it on one element that is NaN, and on one that is infinite. Comparisons "
    "with NaN are false, and inf - inf is NaN: which step meets that?",
    "input-modified": "Look for stores into an input, operators that end in an underscore, and "
    "views: a reshape of a contiguous tensor is the same memory.",
    "did-not-launch": "Which call launches the kernel, `kernel[grid](...)`, and does the output that "
    "is returned come from it? PyTorch may allocate and reshape; the arithmetic is the kernel's.",
    "stale-output": "Look for anything kept from one call to the next: a global, a cache, a buffer. "
    "The same tensors may hold other numbers the next time.",
    "wrong-stream": "The kernel must run on PyTorch's current stream. Look for a stream of your own, "
    "or a device chosen by number.",
    "tampering": "The judge found its own parts changed. Look at what your file replaces or patches "
    "outside itself.",
    "too-many-resources": "Work out the bytes of one program: elements of each tile times their "
    "size, times the stages. Which tile can be smaller, or walked in a loop?",
    "graph-break": "Look at the line named: what does it need that is only known when the code runs "
    "(a value, a print, a call into other code)? The ladder ({lab.ladder}) shows where the graph ends.",
    "recompiles": "Look at the guard that failed: it names what changed from call to call. Is it a "
    "number or a shape that could stay symbolic?",
    "wrong-graph": "Compare the graph in the ladder ({lab.ladder}, stage dynamo) with the task: which "
    "operation is missing, or too many?",
    "timeout": "Look for a loop that does not end, or a grid far larger than the work: the "
    "interpreter runs its programs one after the other.",
    "crash": "The process was ended from outside Python: an address far from any tensor, or a "
    "recursion without end. Look at the offsets and at the last call before it.",
    "out-of-memory": "Work out the bytes of the largest tensor that your code makes for the case "
    "named. Is an intermediate as large as rows times columns?",
    "too-much-output": "Look for a print in a loop or in a kernel: each program prints by itself.",
    "too-many-processes": "Look for what starts processes or threads: a pool, a subprocess, a fork.",
}
