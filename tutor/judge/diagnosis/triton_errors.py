"""Error messages of Triton and the explanations that a learner gets. Data only."""

from tutor.judge.diagnosis.error_pattern import ErrorPattern as Row

# Triton raises either its own error with the cause inside or the cause alone. This depends on its
# version and on whether the kernel is compiled or interpreted.
_COMPILER = (
    "CompilationError|UnsupportedLanguageConstruct|CompileTimeAssertionFailure|ValueError|TypeError|"
    "AssertionError|IncompatibleTypeErrorImpl|NotImplementedError"
)
_KERNELS = f"{_COMPILER}|AttributeError|NameError|IndexError|RuntimeError"

# What the compiler printed, where it did (`refusals.find_reasons` of the X-ray).
_PRINTED = r"(?:[^\n]*?:\d+:\d+: )?error: ([^\n]+)"

# Only for errors that Triton raises or that a kernel raises: elsewhere the same words mean something
# else.
LAUNCHED: tuple[Row, ...] = (
    Row(
        _KERNELS,
        r"'(?:int|dtype)' object is not iterable|'Name' object has no attribute 'func'",
        "compile-error",
        "A tile or a pointer can be neither indexed nor looped over: memory is read by `tl.load(pointer "
        "+ offsets)`, `tl.sum` adds up a tile, and a loop goes over `range`. A shape is a list, "
        "`tl.zeros([BLOCK], tl.float32)`.",
    ),
    Row(
        _KERNELS,
        r"'tuple' object has no attribute append|'list' object has no attribute|'append' is not in list",
        "compile-error",
        "A list cannot grow in a kernel. Keep a tile, and add to it.",
    ),
    Row(
        _KERNELS,
        r"list index out of range",
        "compile-error",
        "In a kernel a tensor argument is a bare address, without shape or strides: pass these as "
        "arguments of their own.",
    ),
    Row(
        "AxisError",
        r"axis -?\d+ is out of bounds for array of dimension (\d+)",
        "compile-error",
        "A tile of {0} dimensions is reduced along an axis that it lacks. The second argument of "
        "`tl.max`, `tl.min` and `tl.sum` is the axis; the larger of two is `tl.maximum(a, b)`.",
    ),
    Row(
        "ValueError",
        r"operands could not be broadcast together with remapped shapes.*requested shape \(1?,?\)",
        "compile-error",
        "A whole tile goes to a single address: add offsets, such as `tl.arange`, to the pointer, or "
        "make one number of the tile first, as by `tl.sum`.",
    ),
    Row(
        _KERNELS,
        r"'block_type' object has no attribute 'primitive_bitwidth'",
        "compile-error",
        "Atomic operations take addresses (`x + offsets`), not a block pointer.",
    ),
    Row(
        _KERNELS,
        r"used as tl\.static_range \w+ value is not a constexpr",
        "compile-error",
        "`tl.static_range` is unrolled by the compiler and needs numbers that it knows: make them "
        "parameters annotated `tl.constexpr`, or use `range`.",
    ),
    Row(
        _KERNELS,
        r"'builtin_function_or_method' object has no attribute 'scalar'"
        r"|'torch\.dtype' object has no attribute 'is_ptr'",  # from Triton 3.9 on
        "compile-error",
        "A PyTorch tensor stands where the kernel works with pointers, tiles and numbers. Did torch "
        "make it in the kernel? Take the function in `tl`. Was the kernel called without a grid, "
        "`kernel[grid](...)`?",
    ),
    Row(
        _KERNELS,
        r"object of type '(?:int|float)' has no len\(\)|'int' object is not subscriptable",
        "compile-error",
        "A grid is a tuple, with one number for each axis: `kernel[(n,)](...)`, with the comma.",
    ),
    Row(
        _KERNELS,
        r"'float' object cannot be interpreted as an integer",
        "compile-error",
        "A fraction stands where a whole number belongs, as in a grid or a `range`: `/` gives "
        "fractions. Take `triton.cdiv(n, BLOCK)`, and in a kernel `tl.cdiv` or `//`.",
    ),
    Row(
        _KERNELS,
        r"for \*\* or pow\(\)|has no attribute '__pow__'",
        "compile-error",
        "Triton has no `**`. For a square write `x * x`; there are `tl.sqrt`, `tl.exp` and `tl.log` "
        "for the rest.",
    ),
    Row(
        _KERNELS,
        r"unsupported operand type\(s\) for @|'MatMult' object has no attribute",
        "compile-error",
        "Triton has no `@`. The product of two tiles is `tl.dot(a, b)`.",
    ),
    Row(
        _KERNELS,
        r"bad operand type for (abs)\(\)|\b(?:abs|sum|pow|round|any|all|map|zip|enumerate|"
        r"sorted|divmod) is not defined",
        "compile-error",
        "Python's built-in functions are not part of Triton, but for `range`, `min`, `max`, `len` "
        "and a few more: look for one in `tl`, such as `tl.abs` and `tl.sum`.",
    ),
    Row(
        _KERNELS,
        r"unexpected type (fp\d+|bf16)",
        "compile-error",
        "`//` is for whole numbers, and this is {0}: divide by `/`, and round by `tl.floor` where "
        "that is meant.",
    ),
    Row(
        _KERNELS,
        r"invalid operands of type (?:triton\.language\.)?(\w+) and "
        r"(?:triton\.language\.)?(\w+)",
        "compile-error",
        "This operator does not combine {0} with {1}: `&`, `|`, `^` and the shifts take truths or "
        "whole numbers.",
    ),
    Row(
        _KERNELS,
        r"wrong type argument to unary invert",
        "compile-error",
        "`~` turns truths and whole numbers round; for the negative of a number write `-x`.",
    ),
    Row(
        _KERNELS,
        r"can only convert an array of size 1 to a Python scalar|only (?:length-1|size-1|"
        r"0-dimensional) arrays can be converted to Python scalars|must be real number, not tensor",
        "compile-error",
        "Python wants one number here and gets a tile. In place of Python's functions take those of "
        "`tl` (`tl.exp` for `math.exp`), and `tl.where` to set some elements of a tile.",
    ),
    Row(
        _KERNELS,
        r"must be Tensor, not tensor",
        "compile-error",
        "A function of PyTorch is called in the kernel, and knows no tiles. Take its counterpart in "
        "`tl`, or call it before the launch.",
    ),
    Row(
        _KERNELS,
        r"(?s)axis \[.*out of bounds|Did you forget to add @triton\.jit",
        "compile-error",
        "A tile stands where a number known at compile time belongs, or a function of Python is called "
        "with one. `tl.max` reduces one tile along an axis; the larger of two is `tl.maximum(a, b)`; "
        "`triton.cdiv` is `tl.cdiv` in a kernel.",
    ),
    Row(
        _KERNELS,
        r"'(?:str|type|torch\.dtype)' object has no attribute 'scalar'|type object '\w+' has "
        r"no attribute 'scalar'",
        "compile-error",
        "Types in a kernel are Triton's: `x.to(tl.float32)`.",
    ),
    Row(
        _KERNELS,
        r"'dtype' object is not callable",
        "compile-error",
        "A type of Triton is no function: convert with `x.to(tl.float32)`.",
    ),
    Row(
        _KERNELS,
        r"'(NoneType|range|str|tuple|list|dict|float|numpy\.ndarray|ndarray)' object has no "
        r"attribute 'type'|cannot convert .*? of type <class '(?:\w+\.)*(\w+)'> to tensor",
        "compile-error",
        "A kernel works with pointers, tiles and numbers, and finds a value of Python's type "
        "`{0}{1}`. Pass tensors and single numbers, and check what is used here.",
    ),
    Row(
        _KERNELS,
        r"'tuple_type' object has no attribute '(?:is_ptr|scalar|is_block)'",
        "compile-error",
        "A tuple is used where a tile or a pointer belongs: a comma at the end of a line, or of what "
        "stands in parentheses, makes one.",
    ),
    Row(
        _KERNELS,
        r"'tensor' object has no attribute '(load|store|gather|scatter|atomic_\w+)'",
        "compile-error",
        "Only a tensor descriptor has `.{0}`, and this is none. `tl.make_tensor_descriptor` makes one "
        "of a pointer, `TensorDescriptor` of a tensor, and the input `f16[64,128]@[32,64]` gives one, "
        "with its block, to the X-ray of a kernel alone.",
    ),
    Row(
        _KERNELS,
        r"'tensor' object has no attribute '(\w+)'",
        "compile-error",
        "A tile is no tensor of PyTorch and has no `.{0}`. What there is for tiles is in `tl`, such as "
        "`tl.trans` and `tl.sum`.",
    ),
    Row(
        _KERNELS,
        r"can only unsplat single-element",
        "compile-error",
        "`.item()` makes a number of a tile that has one element, and this one has more.",
    ),
    Row(
        _KERNELS,
        r"cannot cast (?:\[\d{12}|pointer<)",
        "compile-error",
        "Addresses stand where numbers belong: is a `tl.load` missing?",
    ),
    Row(
        _KERNELS,
        r"is not string",
        "compile-error",
        '`print` in a kernel takes a text first, as in `print("x", x)`.',
    ),
    Row(
        _KERNELS,
        r"f-string",
        "compile-error",
        'A kernel prints a text and values, `print("x", x)`: it has no f-strings.',
    ),
    Row(
        _KERNELS,
        r"num_warps must be a power of 2",
        "compile-error",
        "`num_warps` must be a power of two.",
    ),
    Row(
        _KERNELS,
        r"PassManager::run failed\s[^\n]*operation 'tt\.return' that was explicitly marked illegal",
        "compile-error",
        "The kernel returns a value, and nothing takes it: results are stored, by `tl.store`.",
    ),
    Row(
        _KERNELS,
        rf"PassManager::run failed\s+{_PRINTED}",
        "compile-error",
        "A pass of the compiler failed on the kernel: {0}.",
    ),
    Row(
        _KERNELS,
        r"PassManager::run failed\s+pass without a reason: TritonRewriteTensorPointer",
        "compile-error",
        "A block pointer cannot advance in a `while` loop: write a `for` loop.",
    ),
    Row(
        _KERNELS,
        r"PassManager::run failed\s+pass without a reason: (\w+)",
        "compile-error",
        "The compiler's pass `{0}` failed on the kernel and gave no reason. Leave lines out until it "
        "compiles: the last one left out is what the pass cannot take.",
    ),
    Row(
        _KERNELS,
        r"PassManager::run failed",
        "compile-error",
        "One of the compiler's passes failed on the kernel, and its reason is not known.",
    ),
    Row(
        _KERNELS,
        r"Expected pointer argument to have shape",
        "compile-error",
        "The addresses are a tile of another shape than what is loaded or stored there, or than its "
        "mask. Is a `[:, None]` or a `[None, :]` left out, or one too many?",
    ),
    Row(
        _KERNELS,
        r"cannot reshape array of size (\d+) into shape \(([\d, ]+)\)",
        "compile-error",
        "The addresses, the value and the mask of one operation have different shapes: {0} elements "
        "meet the shape ({1}). Is an offset left out, or a `[:, None]`?",
    ),
    Row(
        _KERNELS,
        r"accumulator shape is incompatible",
        "compile-error",
        "The third argument of `tl.dot(a, b, acc)` must have the rows of `a` and the columns of `b`.",
    ),
    Row(
        _KERNELS,
        r"Unsupported ptr type .+? in `tl\.store`",
        "compile-error",
        "`tl.store(pointer, value)` was given a value for its pointer: have the two changed places, or "
        "is the pointer left out of the sum?",
    ),
    Row(
        "AttributeError",
        r"'InterpreterBuilder' object has no attribute '(?:create_)?(\w+)'",
        "not-interpretable",
        "Triton's interpreter lacks an operation of this kernel ({0}), so without a GPU it cannot "
        "be checked, right or wrong: write it with other functions of `tl`.",
    ),
)

TRITON: tuple[Row, ...] = (
    Row(
        "ValueError|CompilationError",
        r"arange's range must be a power of 2",
        "compile-error",
        "`tl.arange` needs a length that is a power of two. Take the next one "
        "(`triton.next_power_of_2`) and mask the lanes that are too many.",
    ),
    Row(
        "ValueError|CompilationError",
        r"arange's arguments must be of type tl.constexpr",
        "compile-error",
        "Both ends of `tl.arange` must be known when the kernel is compiled: numbers, or parameters "
        "annotated `tl.constexpr`. What differs between programs is added to the block afterwards.",
    ),
    Row(
        _COMPILER,
        r"arange's end argument must be greater",
        "compile-error",
        "`tl.arange(start, end)` counts upwards: its end must be greater than its start.",
    ),
    Row(
        _COMPILER,
        r"Shape element \d+ must be a power of 2",
        "compile-error",
        "Every dimension of a tile must be a power of two. Take the next one and mask what is too "
        "much.",
    ),
    Row(
        _COMPILER,
        r"Shape element \d+ must have type `constexpr",
        "compile-error",
        "A tile's shape must be known when the kernel is compiled: a number, or a parameter "
        "annotated `tl.constexpr`, not a value computed in the kernel.",
    ),
    Row(
        _COMPILER,
        r"numel \((\d+)\) exceeds triton maximum tensor numel \((\d+)\)",
        "compile-error",
        "One tile of {0} elements is too large: Triton allows {1}. Give each program less, or loop "
        "over smaller tiles.",
    ),
    Row(
        _COMPILER,
        r"Cannot make_shape_compatible: incompatible dimensions",
        "compile-error",
        "Two blocks of different shapes meet: add the missing axis with `[:, None]` or `[None, :]`.",
    ),
    Row(
        _COMPILER,
        r"Cannot broadcast, the expanded size of the tensor \((\d+)\) must match the "
        r"existing size \((\d+)\)",
        "compile-error",
        "A dimension of {1} elements cannot be broadcast to {0}: only one of 1 can.",
    ),
    Row(
        _COMPILER,
        r"reshape\(\) cannot change total number of elements",
        "compile-error",
        "A reshape keeps the number of elements; these two shapes hold different numbers.",
    ),
    Row(
        _COMPILER,
        r"Input shapes should have M >= (\d+), N >= (\d+) and K >= (\d+)",
        "compile-error",
        "`tl.dot` was given tiles that are too small for the matrix instructions: M, N and K must "
        "be at least {0}, {1} and {2} here. Use larger tiles, or `tl.sum` of a product.",
    ),
    Row(
        _COMPILER,
        r"input and other must have equal reduction dimensions",
        "compile-error",
        "The tiles of `tl.dot` do not fit: the columns of the first must be as many as the rows of "
        "the second. Is one of them to be transposed?",
    ),
    Row(
        _COMPILER,
        r"Both operands must be same dtype\. Got (\w+) and (\w+)",
        "compile-error",
        "`tl.dot` multiplies tiles of one dtype, and got {0} and {1}: convert one with `.to(...)`.",
    ),
    Row(
        _COMPILER,
        r"input and other must have equal ranks >= 2",
        "compile-error",
        "`tl.dot` takes two tiles of two dimensions, or two of three; for two vectors take "
        "`tl.sum(a * b)`.",
    ),
    Row(
        _COMPILER,
        r"Value argument cannot be block type if pointer argument is not a block",
        "compile-error",
        "A whole tile is stored at a single address: is one number to be stored there, or one for each "
        "lane, at offsets of its own?",
    ),
    Row(
        _COMPILER,
        r"Mask argument cannot be block type if pointer argument is not a block",
        "compile-error",
        "The mask is a tile, and the pointer is a single address: add the offsets to the pointer.",
    ),
    Row(
        _COMPILER,
        r"`other` cannot be provided without `mask`",
        "compile-error",
        "`other=` says what masked lanes hold, and this load has no `mask=`.",
    ),
    Row(
        _COMPILER,
        r"Unsupported ptr type (.+?) in `tl\.(\w+)`",
        "compile-error",
        "`tl.{1}` was given a value of type {0}, not a pointer. Is an argument in another's place, "
        "or the pointer left out of the sum?",
    ),
    Row(
        _COMPILER,
        r"cannot add pointers together",
        "compile-error",
        "Two pointers are added. Add an offset, a number of elements, to one pointer.",
    ),
    Row(
        _COMPILER,
        r"invalid operands of type pointer<\w+> and (?:triton\.language\.)?(\w+)",
        "compile-error",
        "A pointer and a value of type {0} cannot be combined like this: only whole numbers can be "
        "added to it, counted in elements.",
    ),
    Row(
        _COMPILER,
        r"__setitem__ is not supported|'tensor' object does not support item assignment",
        "compile-error",
        "A tile's elements cannot be assigned one by one: make the new tile with `tl.where`, or "
        "store to memory through a pointer.",
    ),
    Row(
        _COMPILER,
        r"unsupported tensor index",
        "compile-error",
        "A tile cannot be indexed or sliced; `[:, None]` and `[None, :]` only add axes. To take "
        "elements out, load them by pointer, or use a mask and a reduction.",
    ),
    Row(
        _COMPILER,
        r"(?:invalid )?axis (-?\d+)(?:\. Expected| (?:is )?out of bounds)",
        "compile-error",
        "There is no axis {0} here, neither to reduce along nor to add: axes count from 0, and a single "
        "number has none.",
    ),
    Row(
        _COMPILER,
        r"program_id axis must be 0, 1, or 2 but got (-?\d+)",
        "compile-error",
        "A grid has the axes 0, 1 and 2; `tl.program_id` was asked for axis {0}.",
    ),
    Row(
        _COMPILER,
        r"Expected dtype \[(.+?)\] but got (\w+)",
        "compile-error",
        "This function takes floating-point tiles ({0}), and got {1}: convert with "
        "`.to(tl.float32)`.",
    ),
    Row(
        _COMPILER,
        r"Loop-carried variable (\w+) has initial type (.+?) but is re-assigned to (.+?) "
        r"in loop",
        "compile-error",
        "`{0}` changes its type or shape in the loop. Before the loop give it the type and shape "
        "that it has in the loop, for an accumulator `tl.zeros((...), tl.float32)`.",
    ),
    Row(
        _COMPILER,
        r"Mismatched type for (\w+) between then block",
        "compile-error",
        "`{0}` has one type or shape after the `if` and another after the `else`; it must have one.",
    ),
    Row(
        _COMPILER,
        r"Boolean value of Tensor with more than one value is ambiguous",
        "compile-error",
        "An `if` or `while` needs one truth, and a tile has one for each lane: choose by lane with "
        "`tl.where`, or with a mask.",
    ),
    Row(
        _COMPILER,
        r"Return type mismatch|Inconsistent return types",
        "compile-error",
        "The function returns values of different types on different ways; they must be the same.",
    ),
    Row(
        _COMPILER,
        r"unsupported AST node type: (?:Break|Continue)",
        "compile-error",
        "Triton compiles no `break` or `continue`: put the end of the loop into its bound, or what "
        "is left out under a mask or an `if`.",
    ),
    Row(
        _COMPILER,
        r"unsupported AST node type: (\w+)",
        "compile-error",
        "Triton compiles a part of Python, and this ({0} in Python's syntax tree) is not in it. "
        "Compute it before the launch and pass it as an argument.",
    ),
    Row(
        _COMPILER,
        r"simultaneous multiple comparison is not supported",
        "compile-error",
        "Triton compiles no chained comparison: write `(a < b) & (b < c)`.",
    ),
    Row(
        _COMPILER,
        r"Cannot access global variable (\w+) from within @jit'ed function",
        "compile-error",
        "The kernel reads `{0}`, a variable of the module. Pass it as an argument, or make it a "
        "constant: `{0} = tl.constexpr(...)`.",
    ),
    Row(
        "RuntimeError",
        r"Unsupported function referenced: <(?:built-in method|function) (\w+)",
        "compile-error",
        "The kernel calls `{0}`, an ordinary Python function. Inside a kernel only `tl` functions "
        "and functions under `@triton.jit` can be called.",
    ),
    Row(
        _COMPILER,
        r"must be real number, not tensor|'tensor' object cannot be interpreted as an "
        r"integer|argument must be a string, a bytes-like object or a real number, not 'tensor'|"
        r"object of type 'tensor' has no len\(\)",
        "compile-error",
        "A Python function is called with a value that exists only when the kernel runs. Use its "
        "counterpart in `tl`, or compute it before the launch.",
    ),
    Row(
        "CompileTimeAssertionFailure",
        r"(?s)^(?:.*\^)?\s*(\S.*)",
        "compile-error",
        "A `tl.static_assert` of the kernel does not hold: {0}.",
    ),
    Row(
        "RuntimeError",
        r"Cannot call @triton.jit'd outside of the scope of a kernel",
        "compile-error",
        "A kernel was called like a function. Launch it over a grid: `kernel[grid](...)`.",
    ),
    Row(
        "InterpreterError|AssertionError|IndexError|Exception",
        r"grid must have at most 3 dimensions",
        "compile-error",
        "A grid has at most three dimensions.",
    ),
    Row(
        "RuntimeError",
        r"0 active drivers",
        "compile-error",
        "Triton is asked for its GPU, and there is none here. For the device of a new tensor take "
        "`x.device`, and measure nothing.",
    ),
    Row(
        "AttributeError|CompilationError",
        r"module 'triton\.language([^']*)' has no attribute '([^']+)'",
        "compile-error",
        "Triton's language has no `tl{0}.{1}`.",
    ),
    Row(
        "KeyError",
        r"^\((triton\.language\.[\w., ]+?),?\)$",
        "compile-error",
        "The library of the GPU (libdevice) has this function for other types of arguments, none for "
        "({0}). Convert them, as by `.to(tl.float32)`.",
    ),
    Row(
        "NotImplementedError",
        r"atomics on bfloat16 not supported in interpreter mode",
        "not-interpretable",
        "Triton's interpreter cannot do atomic operations in bfloat16, so without a GPU this cannot be "
        "checked, right or wrong: add up in float32, and convert to bfloat16 when the sum is complete.",
    ),
    Row(
        "NotImplementedError",
        r"(\w+) of libdevice not supported in interpreter mode",
        "not-interpretable",
        "Triton's interpreter cannot run libdevice's `{0}` on these types, so without a GPU this cannot "
        "be checked, right or wrong: write it with functions of `tl` (`tl.exp`, `tl.erf`, `tl.sqrt` "
        "and so on).",
    ),
    Row(
        "NotImplementedError",
        r"^(tl\.extra\.\w+\.\w+) not supported in interpreter mode",
        "not-interpretable",
        "`{0}` asks the GPU that runs the kernel, so without a GPU this cannot be checked, right or "
        "wrong.",
    ),
    Row(
        "NotImplementedError",
        r"inline_asm not supported in interpreter mode",
        "not-interpretable",
        "Triton's interpreter cannot run inline assembly, so without a GPU this cannot be checked, "
        "right or wrong: write it with functions of `tl`.",
    ),
    Row(
        "NotImplementedError",
        r"dot_scaled not supported in interpreter mode",
        "not-interpretable",
        "Triton's interpreter cannot run `tl.dot_scaled`, so without a GPU this cannot be checked, "
        "right or wrong: convert the tiles to float32, multiply by their scales, and use `tl.dot`.",
    ),
    Row(
        _COMPILER,
        r"index must be an integer tensor",
        "compile-error",
        "The index of `tl.gather` must be a tile of whole numbers, its second argument.",
    ),
    Row(
        "TypeError",
        r"fp8: no conversion from (\w+) to (\w+)",
        "compile-error",
        "Triton does not convert {0} to {1} directly: go by `.to(tl.float32)`.",
    ),
    Row(
        "TypeError",
        r"fp8: no arithmetic in (\w+)",
        "compile-error",
        "Triton does not compute or compare in {0}: convert with `.to(tl.float32)` after the load, and "
        "back before the store.",
    ),
    Row(
        "RuntimeError",
        rf"error encountered during parsing\s+{_PRINTED}",
        "compile-error",
        "The kernel was translated and then found inconsistent, most often for a mask that is not a "
        "comparison (it must be a tile of truths), or types that do not fit. The compiler says: {0}.",
    ),
    Row(
        "RuntimeError",
        r"error encountered during parsing",
        "compile-error",
        "The kernel was translated, and its types do not fit then: most often a mask is not a "
        "comparison (it must be a tile of truths).",
    ),
    Row(
        "RuntimeError",
        rf"(?:LLD failed to link hsaco|AMD assembler rejected)[^\n]*\s+{_PRINTED}",
        "compile-error",
        "AMD's assembler refused the kernel: {0}.",
    ),
    Row(
        "NotImplementedError",
        r"Block pointers have been removed in favor of the tensor descriptor API",
        "compile-error",
        "This release of Triton has no block pointers (`tl.make_block_ptr`; up to 3.8 it has them): "
        "load and store at addresses with a mask, or by `tl.make_tensor_descriptor`.",
    ),
    Row(
        "UnsupportedLanguageConstruct",
        r"Cannot have `return` statements inside `while` or `for`",
        "compile-error",
        "A `return` stands in a loop, which Triton does not compile: put the end into the loop's "
        "bound, or the rest of the loop under an `if`.",
    ),
    Row(
        _COMPILER,
        r"type (fp8\w+) not supported in this architecture\. The supported fp8 dtypes are "
        r"\(([^)]*?),?\)",
        "compile-error",
        "The GPU that it is compiled for has no {0}; of types of 8 bits it has {1}. NVIDIA's GPUs have "
        "`fp8e4nv` (`torch.float8_e4m3fn`) from sm_89 on.",
    ),
    Row(
        "NameError|CompilationError",
        r"([A-Za-z_]\w*) is not defined",
        "compile-error",
        "`{0}` is used in the kernel but nothing defines it. A name set in only one branch of an "
        "`if` does not count.",
    ),
)
