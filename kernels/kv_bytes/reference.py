import json

import torch

from tutor.judge.spec import Case, Work

BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "float8_e4m3fn": 1}


def reference(config, prompts, outputs):
    return counted(config, prompts, outputs)


def counted(config, prompts, outputs, change=""):
    """The bytes of each request. `change` names a mistake."""
    model = json.loads(config)
    heads = model["num_attention_heads"]
    kv_heads = model.get("num_key_value_heads") or heads
    head = model.get("head_dim") or model["hidden_size"] // heads
    if change == "query heads":
        kv_heads = heads
    if change == "hidden":
        head = model["hidden_size"] // heads
    if change == "hidden of kv":
        head = model["hidden_size"] // kv_heads
    size = BYTES[model["torch_dtype"]]
    size = {"two bytes": 2, "bits": 8 * size}.get(change, size)
    layers = 1 if change == "one layer" else model["num_hidden_layers"]
    token = (1 if change == "keys" else 2) * layers * kv_heads * head * size
    kept = prompts.long() + outputs.long() - 1
    if change == "32 bits":
        return (reference(config, prompts, outputs) + 2**31) % 2**32 - 2**31
    if change == "prompt":
        kept = prompts.long()
    if change == "last":
        kept = kept + 1
    window = model.get("sliding_window")
    if window is not None and change != "window":
        kept = kept.clamp(max=window)
    return kept * token


eager = reference


def by_mistake(change):
    return lambda config, prompts, outputs: counted(config, prompts, outputs, change)


NEAR_MISSES = (
    ("each query head keeps keys and values", by_mistake("query heads")),
    (
        "a head has `hidden_size` divided by `num_attention_heads` numbers always",
        by_mistake("hidden"),
    ),
    (
        "a head has `hidden_size` divided by the heads of keys and values",
        by_mistake("hidden of kv"),
    ),
    ("a number takes two bytes always", by_mistake("two bytes")),
    ("bits are taken for bytes", by_mistake("bits")),
    ("one layer is counted", by_mistake("one layer")),
    ("keys or values are counted, and not both", by_mistake("keys")),
    ("only the prompt is kept", by_mistake("prompt")),
    ("the last token that is written is kept as well", by_mistake("last")),
    ("the window is not looked at", by_mistake("window")),
    ("the bytes are counted in 32 bits, and wrap round", by_mistake("32 bits")),
)


def work(config, prompts, outputs):
    return Work(bytes=24 * prompts.numel() + len(config), flops=0)


def scale(config, prompts, outputs):
    return 0.0


LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "torch_dtype": "bfloat16",
    "vocab_size": 128256,
}


def draw(g, low, high, count):
    return torch.randint(low, high + 1, (count,), generator=g)


def case(name, count=4, most=4000, indent=2, **changes):
    """Llama's shape with changes; None: the key is null, `...`: it is missing."""

    def make(g):
        model = {k: v for k, v in (LLAMA | changes).items() if v is not ...}
        keys = list(model)
        order = torch.randperm(len(keys), generator=g).tolist()
        text = json.dumps({keys[place]: model[keys[place]] for place in order}, indent=indent)
        return text, draw(g, 1, most, count), draw(g, 1, most, count)

    return Case(name, make)


# Keys that begin or end like those of the task.
LONGER_NAMES = {
    "index_head_dim": 96,
    "v_head_dim": 80,
    "vision_hidden_size": 1280,
    "mamba_ssm_dtype": "float32",
    "head_dim_of_draft": 72,
    "num_hidden_layers_of_draft": 3,
    "draft_sliding_window": 512,
}


def nested(g, indent):
    """A text model with the parts for pictures and sound around its own keys."""
    other = {
        "head_dim": 80,
        "hidden_size": 1280,
        "num_attention_heads": 16,
        "num_hidden_layers": 24,
        "num_key_value_heads": 2,
        "sliding_window": 100,
        "torch_dtype": "float32",
    }
    model = {"vision_config": other, **LLAMA, "audio_config": {**other, "num_hidden_layers": 6}}
    del model["num_key_value_heads"]  # so there are as many as query heads
    return json.dumps(model, indent=indent), draw(g, 1, 4000, 5), draw(g, 1, 4000, 5)


def views(g):
    prompts, outputs = draw(g, 1, 900, 12), draw(g, 1, 900, 12)
    return json.dumps(LLAMA), prompts[::2], outputs.view(6, 2)[:, 1]


CASES = (
    Case(
        "one request of Llama 3 8B",
        lambda g: (json.dumps(LLAMA), torch.tensor([1000]), torch.tensor([200])),
    ),
    case("no heads of keys and values named", 5, num_key_value_heads=..., num_hidden_layers=12),
    case("null for heads and for a head's numbers", num_key_value_heads=None, head_dim=None),
    case("a head's numbers are given", hidden_size=1024, num_attention_heads=16, head_dim=128),
    case("one head of keys and values", num_key_value_heads=1, hidden_size=2560, head_dim=256),
    case("float32, heads of 64", torch_dtype="float32", hidden_size=2048, num_hidden_layers=7),
    case("float8", 6, torch_dtype="float8_e4m3fn", num_hidden_layers=61),
    case("a window of 1,024", 9, 1500, sliding_window=1024, torch_dtype="float16"),
    case("no window, null", 6, 6000, sliding_window=None),
    # The odd parts of tokens and of bytes a token are too long for the 24 bits of a float32.
    case(
        "a long context, 61 layers with 5 heads of 192",
        9,
        120_000,
        num_hidden_layers=61,
        num_key_value_heads=5,
        head_dim=192,
    ),
    case("keys with longer names", indent=None, **LONGER_NAMES),
    Case("objects with such keys, before and after", lambda g: nested(g, 2)),
    Case("objects with such keys, on one line", lambda g: nested(g, None)),
    case(
        "a long context of a large model",
        3,
        120_000,
        num_hidden_layers=80,
        hidden_size=8192,
        num_attention_heads=64,
    ),
    Case("views", views),
)
