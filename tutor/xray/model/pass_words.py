"""What each of Triton's passes is for, in a sentence.

After the summaries in Triton's own tables of passes (include/triton/Dialect/*/Transforms/Passes.td and
Conversion/TritonGPUToLLVM/Passes.td), and MLIR's for the general ones. A pass that is not told here is
left without words.
"""

_WORDS = {
    "inliner": "puts the body of each function that is called in the place of the call",
    "canonicalizer": "rewrites each operation to its simplest form and drops what nobody uses",
    "cse": "computes an expression that stands there twice only once",
    "loop_aware_cse": "does so too for values that a loop carries from one turn to the next",
    "symbol_dce": "drops functions that nobody calls",
    "sccp": "finds values that are constant on every way through the code",
    "triton_licm": "moves what is the same in every turn of a loop in front of it",
    "loop_unroll": "writes out the turns of a loop for which that was asked",
    "combine": "joins operations on tiles: a product and the sum that follows, two pointer additions",
    "reorder_broadcast": "computes on one number first and makes a tile of it afterwards",
    "rewrite_tensor_pointer": "turns block pointers into plain addresses and masks",
    "rewrite_tensor_descriptor_to_pointer": "turns tensor descriptors into plain addresses and masks",
    "convert_to_ttgpuir": "gives each tile a first layout: which thread holds which elements",
    "coalesce": "gives loads and stores a layout in which threads touch neighbouring addresses, several "
    "elements at a time",
    "f32_dot_tc": "splits products of float32 for tensor cores, where that precision was asked for",
    "plan_cta": "divides the tile among the blocks of a cluster",
    "remove_layout_conversions": "chooses layouts that operations share: few conversions are left",
    "optimize_thread_locality": "lets each thread sum up its own part of a reduction as long as it can",
    "accelerate_matmul": "gives products the layout that the tensor cores want",
    "optimize_dot_operands": "lets the hardware transpose the operands of a product",
    "fuse_nested_loops": "makes one loop of a nest that is to be pipelined",
    "combine_tensor_select_and_if": "moves a choice of values into the branch with its condition",
    "assign_latencies": "marks the loads of a loop that the pipeline begins turns earlier",
    "schedule_loops": "divides the operations of a loop among the pipeline's stages",
    "pipeline": "overlaps the turns of a loop: later ones are loaded while one computes",
    "warp_specialize": "gives warps tasks of their own: some load, some multiply",
    "prefetch": "reads the next operands of a product from shared memory while one runs",
    "coalesce_async_copy": "cuts asynchronous copies to the width that shared memory takes",
    "tma_lowering": "turns loads by descriptor into TMA instructions",
    "reduce_data_duplication": "sends an operand through shared memory: no thread holds copies",
    "reorder_instructions": "moves operations closer to their use, so that fewer registers are held",
    "optimize_accumulator_init": "tells a product to begin at zero, in place of storing zeros",
    "hoist_tmem_alloc": "keeps the accumulator in tensor memory over the turns of a loop",
    "fence_insertion": "orders plain stores to shared memory before asynchronous reads of it",
    "proxy_fence_insertion": "orders plain stores to shared memory before asynchronous reads of it",
    "allocate_shared_memory_nv": "gives each buffer its place in shared memory",
    "allocate_shared_memory": "gives each buffer its place in shared memory",
    "allocate_tensor_memory": "gives each buffer its place in tensor memory",
    "scf_to_cf": "turns loops and branches into jumps",
    "to_llvmir": "turns operations on tiles into those of one thread, in LLVM's dialect",
    "nvgpu_to_llvm": "turns NVIDIA's own operations into PTX instructions",
    "di_scope": "adds the lines of the source that a debugger shows",
}


def describe_pass(name: str) -> str:
    """Return a sentence on what the pass does; "" for one that is not told."""
    words = _WORDS.get(name)
    return f"{words[0].upper()}{words[1:]}." if words else ""
