"""The 103 cases of the review of the ladder of 23 November 2026: a call each, and its Triton kernels.

The functions are written for this, in the folder `review`; names are the review's.
`python tests/xray/review_cases.py [NAME …]` lowers them to SASS in one process and prints the count.
"""

import sys
import time
from pathlib import Path

from tutor.judge.processes import learner_module
from tutor.xray import engine
from tutor.xray.model.input_specs import parse_inputs
from tutor.xray.model.stages import Event, Failure, Request, Stage

FOLDER = Path(__file__).with_name("review")

# name: (file::function and inputs, kernels)
CASES = {
    "tel_eval": ("blocks::tel_eval f32[2,128,256]", 0),
    "tel_train": ("blocks::tel_train f32[2,128,256] --backward", 17),
    "mha": ("blocks::mha f32[2,128,256] f32[2,128,256] f32[2,128,256]", 6),
    "basic": ("blocks::basic f32[2,64,56,56] --backward", 6),
    "basic_eval": ("blocks::basic_eval f32[2,64,56,56]", 4),
    "bottleneck_eval": ("blocks::bottleneck_eval f32[2,256,28,28]", 4),
    "lstmcell": ("blocks::lstmcell f32[32,128]", 2),
    "lstm": ("blocks::lstm f32[4,8,64]", 0),
    "gn": ("blocks::gn f32[2,64,32,32] --backward", 5),
    "emb": ("blocks::emb i64[4,16] --backward", 3),
    "drop": ("blocks::drop f32[1024,1024] --backward", 2),
    "convbn": ("blocks::convbn f32[4,3,32,32] --backward", 3),
    "convbn_eval": ("blocks::convbn_eval f32[4,3,32,32]", 3),
    "mlp": ("blocks::mlp bf16[512,256]", 1),
    "rms": ("blocks::rms f32[1024,512] --backward", 4),
    "embbag": ("blocks::embbag i64[4,16]", 1),
    "convt": ("blocks::convt f32[2,16,16,16]", 3),
    "maxpool": ("blocks::maxpool f32[2,16,32,32] --backward", 5),
    "llama_norm": ("blocks::norm bf16[2,128,256]", 1),
    "llama_rope": ("blocks::rope bf16[2,128,4,64] bf16[128,32,2]", 1),
    "llama_rope_complex": (
        "blocks::llama_rope_complex bf16[2,128,4,64] f32[128,32] f32[128,32]",
        2,
    ),
    "llama_block": ("blocks::block f32[1,128,256] i64[128] f32[128,32,2] bool[1,1,128,128]", 6),
    "moe": ("blocks::moe f32[4,64]", 4),
    "gate": ("blocks::gate f32[128,64] f32[64,8]", 2),
    "sdpa": ("functions::sdpa_causal bf16[2,4,256,64] bf16[2,4,256,64] bf16[2,4,256,64]", 0),
    "sdpa_bwd": (
        "functions::sdpa_causal bf16[2,4,256,64] bf16[2,4,256,64] bf16[2,4,256,64] --backward",
        0,
    ),
    "naive_attn": ("functions::naive_attention f16[2,4,256,64] f16[2,4,256,64] f16[2,4,256,64]", 0),
    "xent": ("functions::xent f32[64,1000] i64[64] --backward", 3),
    "adam": ("functions::adam_step f32[1000] f32[1000] f32[1000] f32[1000] 1e-3 3", 1),
    "item": ("functions::item f32[128]", 2),
    "item_noif": ("functions::item_noif f32[128]", 2),
    "prints": ("functions::prints f32[128]", 2),
    "inplace": ("functions::inplace f32[8,8] f32[8,8]", 1),
    "views": ("functions::views f32[8,8]", 3),
    "alias": ("functions::returns_alias f32[8,8]", 0),
    "complexes": ("functions::complexes f32[64] f32[64]", 0),
    "quant_dequant": ("functions::quant_dequant f32[64,128] i8[128,64]", 2),
    "quant_only": ("functions::quant_only f32[64,128]", 1),
    "autocast": ("functions::autocast f32[128,128] f32[128,128] --backward", 4),
    "autocast_cpu": ("functions::autocast_cpu f32[128,128] f32[128,128]", 1),
    "custom_op": ("decisions::custom_op f32[1024]", 2),
    "custom_op_bwd": ("decisions::custom_op f32[1024] --backward", 3),
    "autograd_function": ("decisions::autograd_function f32[1024] --backward", 2),
    "flex_plain": ("decisions::flex_plain f16[2,4,256,64] f16[2,4,256,64] f16[2,4,256,64]", 3),
    "flex_causal": ("decisions::flex_causal f16[2,4,256,64] f16[2,4,256,64] f16[2,4,256,64]", 4),
    "cums": ("functions::cums f32[64,2048]", 1),
    "sorts": ("functions::sorts f32[16,256]", 1),
    "sorts_big": ("functions::sorts f32[4,100000]", 0),
    "argmaxes": ("functions::argmaxes f32[16,256]", 1),
    "index_put": ("functions::index_put f32[100] i64[20] f32[20]", 2),
    "scatter": ("functions::scatter f32[10,8] i64[4,8] f32[4,8]", 2),
    "randomness": ("functions::randomness f32[4096]", 1),
    "conds": ("functions::conds f32[128]", 3),
    "while_loop": ("functions::while_loop f32[128]", 4),
    "scan_assoc": ("functions::scan_assoc f32[128,64]", 1),
    "fft": ("functions::fft f32[8,256]", 0),
    "nonzero": ("functions::nonzero f32[128]", 2),
    "unique": ("functions::unique i64[128]", 1),
    "dyn": ("functions::dyn f32[64,32]", 1),
    "dynmark": ("decisions::mark f32[64,32]", 0),
    "dyntrue": ("decisions::dyntrue f32[64,32]", 1),
    "long_chain": ("functions::long_chain f32[4096]", 1),
    "very_long_chain": ("functions::very_long_chain f32[4096]", 1),
    "einsum": ("functions::einsum f32[4,32,64] f32[4,64,32]", 0),
    "logsumexp": ("functions::logsumexp f32[64,1000]", 1),
    "bmm_bias_gelu": ("functions::bmm_bias_gelu f16[64,128] f16[256,128] f16[256]", 1),
    "fp8_mm": ("functions::fp8_mm f8e4m3[64,128] f8e4m3[64,128]", 1),
    "dict_out": ("functions::dict_out f32[16]", 1),
    "numpy_call": ("functions::numpy_call f32[16]", 1),
    "kwonly": ("functions::kwonly f32[16] scale=3.0", 1),
    "varargs": ("functions::varargs f32[16] f32[16] f32[16]", 1),
    "int_div": ("functions::int_div i32[64] i32[64]", 1),
    "bool_ops": ("functions::bool_ops f32[64] f32[64]", 1),
    "int64_index": ("functions::int64_index i64[64]", 1),
    "nested": ("functions::nested f32[64]", 1),
    "try_except": ("functions::try_except f32[64]", 1),
    "recursion": ("functions::recursion f32[64] 4", 1),
    "already_compiled": ("functions::already_compiled f32[64]", 1),
    "nograd": ("functions::nograd f32[64]", 1),
    "grad_in_bwd": ("functions::grad_in f32[64] --backward", 2),
    "vmaps": ("functions::vmaps f32[64,8] f32[64,8]", 1),
    "func_grad": ("functions::func_grad f32[64]", 1),
    "checkpointed": ("functions::checkpointed f32[64,64] f32[64,64] --backward", 2),
    "cuda_literal": ("functions::cuda_literal f32[8]", 1),
    "to_device": ("functions::to_device f32[8]", 1),
    "gqa": ("decisions::gqa bf16[2,8,128,64] bf16[2,2,128,64] bf16[2,2,128,64]", 0),
    "interp": ("decisions::interp f32[2,3,16,16]", 1),
    "softmax": ("functions::softmax f32[1024,1024]", 1),
    "kv": ("decisions::set_item_slice f32[2,64,32] f32[2,4,32] 5", 2),
    "out_arg": ("decisions::two_outs_inplace f32[8,8] f32[8,8]", 1),
    "adam_opt": ("decisions::step", 2),
    "fullgraph": ("decisions::full f32[8]", 0),
    "maxauto": ("decisions::maxauto f16[256,256] f16[256,256]", 1),
    "train_step_bwd": ("decisions::train_step f32[8,64] f32[8,64] --backward", 2),
    "cpu_const": ("decisions::cpu_const f32[8,8]", 1),
    "host_sync": ("decisions::host_sync f32[64]", 2),
    "tiny": ("decisions::tiny f32[1,16]", 1),
    "outer": ("decisions::outer f32[64,1] f32[1,64]", 1),
    "dot": ("decisions::dot f32[1,64] f32[64,1]", 1),
    "branches": ("decisions::branches f32[64]", 1),
    "conv_bias": ("decisions::conv_bias f32[2,8,16,16] --backward", 2),
    "grid": ("decisions::grid f32[2,3,16,16] f32[2,8,8,2]", 1),
    "autocast_devtype": ("decisions::bf16_autocast_current f32[64,64] f32[64,64]", 1),
}
# Those that cannot end with all stages, and torch's or this program's reason.
ENDED = {
    "lstm": "Dynamo does not support RNN, GRU, or LSTM",
    "dynmark": "`mark_dynamic` inside the function",
    "fullgraph": "Failed to trace builtin operator",
}


def look(name: str, last_stage: str | None) -> list[Event]:
    """Return what an X-ray for sm_90 says of a case."""
    what, *inputs = CASES[name][0].split()
    file, _, function = what.partition("::")
    backward = "--backward" in inputs
    inputs = tuple(word for word in inputs if word != "--backward")
    events: list[Event] = []
    path = str(FOLDER / f"{file}.py")
    request = Request(path, function, parse_inputs(inputs), "sm_90", last_stage, backward)
    done = engine.run_request(request, events.append, load=learner_module.load_module, explain=str)
    assert done.status == int(name in ENDED), (name, done, failures_of(events))
    return events


def stages_of(events: list[Event]) -> dict[str, Stage]:
    return {event.key: event for event in events if isinstance(event, Stage)}


def failures_of(events: list[Event]) -> str:
    return " ".join(event.sentence for event in events if isinstance(event, Failure))


def main(names: list[str]) -> int:
    """Return the exit status: 0 if each case ends as is written above."""
    whole = 0
    for name in names or CASES:
        started = time.perf_counter()
        events = look(name, None)
        keys = list(stages_of(events))
        kernels = sum(key.startswith("triton:") for key in keys)
        machine_code = sum(key.startswith("sass:") for key in keys)
        whole += name not in ENDED and kernels == machine_code == CASES[name][1]
        took = time.perf_counter() - started
        print(
            f"{name:20} {machine_code} of {kernels} kernels to SASS, {took:.1f} s "
            f"{failures_of(events)[:100]}",
            flush=True,
        )
    print(f"{whole} of {len(names or CASES)} end with all stages")
    return int(whole != len(set(names or CASES) - set(ENDED)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
