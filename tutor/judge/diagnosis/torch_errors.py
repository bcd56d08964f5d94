"""Error messages of PyTorch, Dynamo, Inductor and CUDA, and their explanations. Data only."""

from tutor.judge.diagnosis.error_pattern import ErrorPattern as Row

_DYNAMO = "Unsupported|UserError|GuardOnDataDependentSymNode"
DYNAMO: tuple[Row, ...] = (
    Row(
        "AssertionError",
        r"Attempt to trace forbidden callable <function (mark_\w+) at",
        "crash",
        "`{0}` is called inside the compiled function. It is called before it, on its input: leave it "
        "out where others make the calls. (An X-ray takes a size that is a symbol: `f32[s0,32]`.)",
    ),
    Row(
        _DYNAMO,
        r"^Data-dependent branching|^generic_jump",
        "graph-break",
        "Which branch an `if` or `while` takes depends on a tensor's value, and while Dynamo traces "
        "there are no values. Compute both sides and choose with `torch.where`, or use `torch.cond`.",
    ),
    Row(
        _DYNAMO,
        r"Could not guard on data-dependent expression|Could not extract specialized "
        r"integer",
        "graph-break",
        "A number that comes out of a tensor decides a branch, a loop or a shape, and while the "
        "graph is captured it has no value. Keep it in a tensor (`torch.where`), or state what is "
        "known of it with `torch._check`.",
    ),
    Row(
        _DYNAMO,
        r"Tensor\.item\(\)",
        "graph-break",
        "`.item()` takes a number out of a tensor, which Python waits for. Keep it in a tensor.",
    ),
    Row(
        _DYNAMO,
        r"Tensor\.tolist\(\)|to_list",
        "graph-break",
        "`.tolist()` takes the values out of a tensor into Python, which waits for them.",
    ),
    Row(
        _DYNAMO,
        r"(?i)data-dependent operator|dynamic shape operator",
        "graph-break",
        "The shape of an operation's output depends on values (`nonzero`, a boolean index), and a "
        "graph is captured without values.",
    ),
    Row(
        _DYNAMO,
        r"builtin operator `print`",
        "graph-break",
        "Dynamo leaves `print` to Python, which ends the graph there. Print after the call.",
    ),
    Row(
        _DYNAMO,
        r"builtin operator `(\w+)`",
        "graph-break",
        "Dynamo cannot trace Python's `{0}` here. Do it before or after the compiled function.",
    ),
    Row(
        _DYNAMO,
        r"Call to `torch\._dynamo\.graph_break\(\)`",
        "graph-break",
        "The code asks for a break itself, by `torch._dynamo.graph_break()`.",
    ),
    Row(
        _DYNAMO,
        r"(?s)^Attempted to call function marked as skipped.*builtin `([^`]+?)\.?`",
        "graph-break",
        "`{0}` is a function of Python or of a C extension that Dynamo cannot look into. Call it "
        "outside the compiled function and pass its result.",
    ),
    Row(
        _DYNAMO,
        r"torch\.compiler\.disable\(\)`d function",
        "graph-break",
        "A function is called that `torch.compiler.disable` keeps out of graphs.",
    ),
    Row(
        _DYNAMO,
        r"Unsupported Tensor\.(\w+)\(\) call",
        "graph-break",
        "`.{0}()` changes autograd's state, which a captured graph does not hold. Call it outside "
        "the compiled function.",
    ),
    Row(
        _DYNAMO,
        r"inplace view on a graph input",
        "graph-break",
        "The shape of an input is changed in place, which a captured graph cannot do. Return a new "
        "tensor.",
    ),
    Row(
        _DYNAMO,
        r"failed to find name in frame builtins|Failed to find name `(\w+)`",
        "crash",
        "The compiled function uses a name that nothing defines.",
    ),
    Row(
        "Unsupported|FailOnRecompileLimitHit",
        r"recompile[ _]limit",
        "recompiles",
        "The function was compiled again until torch's limit was reached: a guard fails at call "
        "after call. Look at what changes, a size or a Python number; `dynamic=True` or a tensor "
        "instead of the number makes one compilation serve all.",
    ),
    Row(
        "ConstraintViolationError",
        r"You marked (\S+) as dynamic but your code specialized it to be "
        r"a constant \((\d+)\)",
        "recompiles",
        "{0} is marked as dynamic, and the code compares it with a number or uses it as one, so "
        "that it holds for {1} only.",
    ),
    Row(
        "RecursionError|MemoryError",
        r"during compilation|Parser stack overflowed",
        "compile-error",
        "The file is nested too deeply for Python's compiler. A chain of very many `elif` is nested, "
        "too: each stands in the `else` of the one before.",
    ),
    Row(
        "InternalTorchDynamoError|RecursionError",
        r"(?i)maximum recursion depth exceeded",
        "crash",
        "A function calls itself without an end.",
    ),
    Row(
        "InvalidBackend",
        r"Invalid backend: '([^']*)'",
        "crash",
        "`torch.compile` has no backend named `{0}`.",
    ),
    Row(
        "RuntimeError",
        r"Unexpected optimization option (\w+)",
        "crash",
        "Inductor has no option `{0}`.",
    ),
    Row(
        "BackendCompilerFailed",
        r"compiler_fn did not return callable",
        "crash",
        "The backend was called with a graph and returned nothing that can be called; it must return "
        "a function that runs the graph.",
    ),
    Row("BackendCompilerFailed", r"raised:\s*(\S.*)", "crash", "The backend raised {0}."),
    Row(
        "TorchRuntimeError|RuntimeError",
        r"There was no fake impl registered for <CustomOpDef\("
        r"([\w:]+)\)>",
        "crash",
        "The custom operator `{0}` says nothing of its output's shape, which tracing needs: register "
        "a function for it with `register_fake`.",
    ),
    Row(
        "AssertionError",
        r"(?s)expected size .*incorrect fake \(aka meta\) kernel",
        "crash",
        "A custom operator returned another shape or stride than its `register_fake` function had "
        "said.",
    ),
    Row(
        "TraceError",
        r"(?:symbolically traced variables cannot be used as inputs to control flow|"
        r"Proxy object cannot be iterated)",
        "graph-break",
        "`torch.fx.symbolic_trace` met an `if`, a `while` or a loop over a traced value. It records "
        "operations and has no values to decide by.",
    ),
    Row(
        "RuntimeError",
        r"Tried to erase Node (\w+) but it still had (\d+) users",
        "crash",
        "The node `{0}` is erased while other nodes ({1}) use it: give its users another input "
        "first, with `replace_all_uses_with`.",
    ),
)
INDUCTOR: tuple[Row, ...] = (
    Row(
        "InductorError|InvalidCxxCompiler",
        r"No working C\+\+ compiler found",
        "crash",
        "Inductor compiles C++ for a CPU and found no compiler (`g++`). Install one, or set `CXX`.",
    ),
    Row(
        "InductorError|LoweringException",
        r"LoweringException: (\w+: [^\n]*)",
        "crash",
        "Inductor could not lower an operation of the graph: {0}.",
    ),
)
CUDA: tuple[Row, ...] = (
    Row("CannotHere", r"^(.*: this needs a GPU)$", "not-interpretable", "{0}."),
    Row(
        "RuntimeError|OutOfMemoryError|MemoryError|DefaultCPUAllocator|AcceleratorError",
        r"can't allocate memory|CUDA out of memory|CUDA error: out of memory|Unable to allocate|^$",
        "out-of-memory",
        "More memory was asked for than the limit allows.",
    ),
    Row(
        "OutOfResources",
        r"out of resource: (shared memory|tensor memory), Required: (\d+), "
        r"Hardware limit: (\d+)",
        "too-many-resources",
        "The kernel needs {1} bytes of {0}; the device has {2}. Use smaller blocks or fewer stages.",
    ),
    Row(
        "OutOfResources",
        r"out of resource: (.+?), Required: (\d+), Hardware limit: (\d+)",
        "too-many-resources",
        "The kernel needs {1} {0} a block; the device has {2}. Launch it with fewer warps.",
    ),
    Row(
        "PTXASError",
        r"(?s)ptxas.*?error\s*:\s*([^\n]*requires \.target (sm_\d+)[^\n]*)",
        "compile-error",
        "NVIDIA's assembler refused the kernel: {0}. It needs {1} or later as its target.",
    ),
    Row(
        "PTXASError",
        r"(?s)ptxas.*?error\s*:\s*([^\n]*too (?:many|much)[^\n]*)",
        "too-many-resources",
        "NVIDIA's assembler refused the kernel: {0}. Use smaller tiles, fewer warps or fewer stages.",
    ),
    Row(
        "PTXASError",
        r"(?s)ptxas.*?error\s*:\s*([^\n]*)",
        "compile-error",
        "NVIDIA's assembler refused the kernel: {0}.",
    ),
    Row(
        "AcceleratorError|RuntimeError",
        r"illegal memory access",
        "out-of-bounds-store",
        "The GPU stopped the kernel: it touched memory that is not its own. Check the mask and the "
        "offsets of every load and store.",
    ),
    Row(
        "AcceleratorError|RuntimeError",
        r"misaligned address",
        "out-of-bounds-load",
        "The GPU stopped the kernel: an address is not a multiple of its element's size. Was a "
        "pointer cast, or an offset counted in bytes?",
    ),
    Row(
        "AcceleratorError|RuntimeError",
        r"device-side assert triggered",
        "crash",
        "An assertion failed on the GPU: an index out of range in a PyTorch operation, or a "
        "`tl.device_assert`.",
    ),
    Row(
        "AcceleratorError|RuntimeError",
        r"CUDA error: invalid configuration argument|"
        r"Triton Error \[CUDA\]: invalid argument",
        "compile-error",
        "The GPU refused the launch: the grid has an axis of zero or too many programs (65,535 along "
        "axes 1 and 2), or a block too many threads.",
    ),
    Row(
        "AcceleratorError|RuntimeError",
        r"no kernel image is available",
        "compile-error",
        "This code was compiled for another GPU.",
    ),
    Row(
        "ValueError",
        r"Pointer argument \(at (\d+)\) cannot be accessed from Triton \(cpu tensor\?\)",
        "crash",
        "Argument {0} of the launch (counted from 0) is a tensor in the CPU's memory: allocate it on "
        "the device of the inputs.",
    ),
    Row(
        "RuntimeError|TorchRuntimeError|AcceleratorError",
        r"Expected all tensors to be on the same "
        r"device",
        "crash",
        "Tensors of two devices meet: create new ones with `device=x.device`.",
    ),
    Row(
        "AssertionError|TorchRuntimeError|RuntimeError",
        r"Torch not compiled with CUDA enabled|"
        r"PyTorch is not linked with support for cuda|Found no NVIDIA driver|"
        r"CUDA driver version is insufficient|No CUDA GPUs are available",
        "crash",
        "The code asks for a GPU, and there is none here that this PyTorch can use: take the inputs' "
        "device (`x.device`) instead of naming `cuda`.",
    ),
)
PYTORCH: tuple[Row, ...] = (
    Row(
        "CheckpointError",
        r"A different number of tensors was saved during the original forward",
        "crash",
        "What `checkpoint` ran again in the backward pass was not what it ran before: what does the "
        "function that it calls read that has changed since, such as the variable of a loop?",
    ),
    Row(
        "RuntimeError|TorchRuntimeError",
        r"mat1 and mat2 shapes cannot be multiplied \((\d+x\d+) and "
        r"(\d+x\d+)\)",
        "crash",
        "Matrices of {0} and {1} cannot be multiplied: the columns of the first must be as many as "
        "the rows of the second.",
    ),
    Row(
        "RuntimeError|TorchRuntimeError",
        r"must have same reduction dim, but got (\[.+?\]) X (\[.+?\])",
        "crash",
        "Matrices of {0} and {1} have no product: the columns of the first must be as many as the "
        "rows of the second.",
    ),
    Row(
        "RuntimeError",
        r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)",
        "crash",
        "Tensors of {0} and {1} elements along one dimension cannot be combined.",
    ),
    Row(
        "RuntimeError|TorchRuntimeError",
        r"Attempting to broadcast a dimension of length (\d+)",
        "crash",
        "A dimension of {0} elements cannot be broadcast to the other tensor's.",
    ),
    Row(
        "RuntimeError|TorchRuntimeError",
        r"expected m1 and m2 to have the same dtype, but got: "
        r"(.+?) != (\w+)",
        "crash",
        "Matrices of different dtypes ({0} and {1}) are multiplied: convert one with `.to(...)`.",
    ),
    Row(
        "RuntimeError|TorchRuntimeError",
        r"a leaf Variable that requires grad is being used in an "
        r"in-place operation",
        "crash",
        "A tensor that wants a gradient is changed in place: work on a copy, or under "
        "`torch.no_grad()`.",
    ),
    Row(
        "RuntimeError",
        r"view size is not compatible with input tensor's size and stride",
        "crash",
        "`view` cannot rearrange memory, and this tensor is not contiguous: who calls `view` on it "
        "needs `reshape`, or a tensor that is contiguous.",
    ),
    Row(
        "RuntimeError",
        r"Boolean value of Tensor with more than one value is ambiguous",
        "crash",
        "An `if` or `while` needs one truth, and this tensor has many: reduce it with `.any()` or "
        "`.all()`.",
    ),
    Row(
        "RuntimeError",
        r"Trying to backward through the graph a second time",
        "crash",
        "`backward` ran twice through one graph, which frees what it kept after the first.",
    ),
    Row(
        "RuntimeError",
        r"state_ >= CONNECTED.*Pair is not connected",
        "crash",
        "A rank receives from itself: gloo joins each rank with the others, and not with itself.",
    ),
    Row(
        "IndexError",
        r"Dimension out of range \(expected to be in range of (\[.+?\]), but got "
        r"(-?\d+)\)",
        "crash",
        "The tensor has no dimension {1}: dimensions count from 0, and its are {0}.",
    ),
    Row(
        "IndexError",
        r"(?:tuple|list|string) index out of range",
        "crash",
        "An index lies past the end: the first element has the number 0.",
    ),
    Row(
        "AttributeError",
        r"module 'torch[^']*' has no attribute '([^']+)'",
        "crash",
        "PyTorch has no `torch.{0}`.",
    ),
)
