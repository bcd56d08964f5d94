"""What each of Triton's passes is for, in a sentence.

Checked against Triton 3.7.1: the order of the passes in the wheel's backends/*/compiler.py, and the
summaries and patterns that its libtriton.so names. Details are from triton-lang/triton (Passes.td of the
dialects and conversions, and the passes' C++, at other commits than the release), and for the general
passes from MLIR's Transforms/Passes.td (llvm/llvm-project 0303b3c5). A pass that is not told here
is left without words.
"""

_WORDS = {
    "inliner": "puts the body of a called function in the place of the call, unless it is noinline",
    "canonicalizer": "simplifies operations by their dialects' rules and drops those that nobody uses",
    "cse": "computes an expression that stands there twice only once",
    "loop_aware_cse": "does cse, and also merges values that a loop carries and that are always equal",
    "symbol_dce": "drops private functions that nobody refers to",
    "sccp": "puts a constant in the place of a value that is the same on every path that can run",
    "triton_licm": "moves what is the same in every turn of a loop in front of it",
    "loop_unroll": "repeats the body of a loop by the factor that was asked for: loop_unroll_factor",
    "combine": "joins operations on tiles: a product and the sum that follows, two pointer additions",
    "reorder_broadcast": "computes on the small operand and spreads the result over the tile",
    "rewrite_tensor_pointer": "turns block pointers into plain addresses and masks",
    "rewrite_tensor_descriptor_to_pointer": "turns tensor descriptors into plain addresses and masks",
    "convert_to_ttgpuir": "gives each tile a first layout: which thread holds which elements",
    "coalesce": "gives loads and stores a layout in which threads touch neighbouring addresses, several "
    "elements at a time",
    "f32_dot_tc": "splits a float32 product into TF32 or BF16 ones: tf32x3, bf16x3, bf16x6",
    "plan_cta": "divides the tile among the blocks of a cluster",
    "remove_layout_conversions": "chooses layouts that operations share: few conversions are left",
    "optimize_thread_locality": "keeps a loop's reduction within each thread until the loop ends",
    "accelerate_matmul": "gives products the layout that tensor cores want, or AMD's matrix cores",
    "optimize_dot_operands": "lets a product read a transposed operand straight from shared memory",
    "fuse_nested_loops": "makes one loop of two nested ones, where flatten asks for it",
    "combine_tensor_select_and_if": "moves a choice of values into the branch with its condition",
    "assign_latencies": "says how many stages the pipeline gives a load, or a product on Blackwell",
    "schedule_loops": "divides the operations of a loop among the pipeline's stages",
    "pipeline": "overlaps the turns of a loop: later ones are loaded while one computes",
    "warp_specialize": "gives warps tasks of their own: some load, some multiply",
    "prefetch": "reads the next operands of a product from shared memory while one runs",
    "coalesce_async_copy": "gives asynchronous copies a layout that suits how shared memory is written",
    "tma_lowering": "turns loads and stores by descriptor into copies by TMA",
    "reduce_data_duplication": "sends an operand through a shared buffer, which others can use",
    "reorder_instructions": "moves operations to where fewer registers are held",
    "optimize_accumulator_init": "tells a product to begin at zero, in place of storing zeros",
    "hoist_tmem_alloc": "keeps the accumulator in tensor memory over the turns of a loop",
    "fence_insertion": "orders plain stores to shared memory before asynchronous reads of it",
    "proxy_fence_insertion": "orders plain accesses to shared memory before asynchronous ones",
    "allocate_shared_memory_nv": "gives each buffer its place in shared memory",
    "allocate_shared_memory": "gives each buffer its place in shared memory",
    "allocate_tensor_memory": "gives each buffer its place in tensor memory",
    "scf_to_cf": "turns loops and branches into jumps",
    "to_llvmir": "turns operations on tiles into those of one thread, in LLVM's dialect",
    "nvgpu_to_llvm": "turns operations of NVIDIA's dialect into LLVM's, mostly PTX in inline assembly",
    "di_scope": "adds the lines of the source that a debugger shows",
}


def describe_pass(name: str) -> str:
    """Return a sentence on what the pass does; "" for one that is not told."""
    words = _WORDS.get(name)
    return f"{words[0].upper()}{words[1:]}." if words else ""
