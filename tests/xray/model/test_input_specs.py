"""What `--input` says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.base.errors import UsageError
from tutor.judge.model.message_format import MessageDecoder, encode_message
from tutor.xray.model.input_specs import (
    DTYPES,
    MAX_BYTES,
    Arguments,
    DescriptorSpec,
    DtypeSpec,
    TensorSpec,
    parse_input,
    parse_inputs,
    split_inputs,
)
from tutor.xray.model.stages import Request

SPECS = st.builds(
    TensorSpec,
    st.sampled_from(sorted(DTYPES)),
    st.lists(st.integers(min_value=0, max_value=30), max_size=8).map(tuple),
).filter(lambda spec: spec.bytes <= MAX_BYTES)
LITERALS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple),
    max_leaves=6,
)


@given(SPECS)
def test_a_tensor_is_read_as_it_is_written(spec: TensorSpec) -> None:
    assert parse_input(str(spec)) == spec
    assert parse_input(f"  {str(spec).replace(',', ' , ')} ") == spec


def test_a_descriptor_is_a_tensor_with_a_block() -> None:
    inputs = parse_inputs(("a=f16[64,128]@[32,64]",))
    request = Request("/l.py", "f", inputs, "sm_90", None, False)
    arrived = MessageDecoder(Request).decode(encode_message(request))
    assert Arguments.of(arrived.inputs).named == {"a": DescriptorSpec("f16", (32, 64))}
    assert "a whole number for each dimension" in said("f16[64,128]@[32]")
    assert "has the stride 1, not 64" in said("f16[64,128][1,64]@[32,64]")


@given(LITERALS)
def test_a_literal_is_its_value(value: object) -> None:
    assert parse_input(repr(value)) == value


@given(st.lists(st.one_of(SPECS.map(str), LITERALS.map(repr)), max_size=5))
def test_inputs_travel_as_they_were_parsed(texts: list[str]) -> None:
    """Also those that msgpack lacks: tuples, and integers of more than 64 bits."""
    inputs = parse_inputs(tuple(texts))
    request = Request("/l.py", "f", inputs, "sm_90", None, False)
    arrived = MessageDecoder(Request).decode(encode_message(request))
    assert arrived == request
    assert Arguments.of(arrived.inputs) == Arguments.of(inputs)


def said(text: str) -> str:
    try:
        parse_input(text)
    except UsageError as error:
        return str(error)
    return ""


@given(st.text(max_size=40))
def test_any_other_text_is_one_sentence(text: str) -> None:
    assert said(text).isprintable()  # so it holds no line break


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("f33[4]", "no dtype f33"),
        ("f32[4x4]", "whole numbers with commas"),
        ("f32[-1]", "whole numbers with commas"),
        ("f32[1,1,1,1,1,1,1,1,1]", "9 dimensions"),
        ("f32[1000000,1000000]", "larger than 1 TiB"),
        ("f32", "neither a dtype and shape"),
        ("__import__('os')", "neither a dtype and shape"),
        ("torch.float17", "torch has no such dtype"),
        ("tl.zeros", "tl has no such dtype"),
        ("torch.float32.is_signed", "neither a dtype and shape"),
        ("1" * 20_000, "too long"),
    ],
)
def test_what_does_not_fit_is_said(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says.replace("(", r"\(")):
        parse_input(text)


def test_a_dtype_is_named_as_in_code() -> None:
    inputs = parse_inputs(("torch.float16", "ACC=tl.float32", "pair=(f32[8], torch.int8)"))
    found = Arguments.of(inputs)
    assert found.positional == (DtypeSpec("torch", "float16"),)
    assert found.named["ACC"] == DtypeSpec("tl", "float32")
    assert found.named["pair"] == (TensorSpec("f32", (8,)), DtypeSpec("torch", "int8"))


def test_arguments_by_place_and_by_name() -> None:
    spec = TensorSpec("f32", (8,))
    texts = ("f32[8]", "8", "BLOCK=16", "other=f32[8]")
    inputs = parse_inputs(texts)
    assert Arguments.of(inputs) == Arguments((spec, 8), {"BLOCK": 16, "other": spec})
    assert tuple(map(str, inputs)) == texts
    with pytest.raises(UsageError, match="twice"):
        parse_inputs(("A=1", "A=2"))
    with pytest.raises(UsageError, match="follows one that has"):
        parse_inputs(("A=1", "2"))
    with pytest.raises(UsageError, match="too many"):
        parse_inputs(("1",) * 65)


def test_sizes_and_types() -> None:
    spec = TensorSpec("bf16", (8, 64))
    assert (spec.bytes, spec.pointer, spec.torch_name) == (1024, "*bf16", "bfloat16")
    assert TensorSpec("f64", ()).bytes == 8


@given(st.lists(st.one_of(SPECS.map(str), st.integers().map(str)), max_size=5))
def test_inputs_on_one_line_come_apart_again(inputs: list[str]) -> None:
    assert split_inputs(",".join(inputs)) == tuple(inputs)
    assert split_inputs("  ".join(inputs)) == tuple(inputs)
    assert split_inputs(" , ".join(text.replace(",", ", ") for text in inputs)) == tuple(inputs)


def test_symbols_strides_and_torchs_names() -> None:
    assert parse_input("f32[s0,32]") == TensorSpec("f32", (96, 32), symbols=(0,), numbers=(0,))
    both = Arguments.of(parse_inputs(("f32[s0,s1]", "f32[s1]"))).positional
    assert (both[0].shape[1], both[0].symbols, both[1].symbols) == (both[1].shape[0], (0, 1), (0,))
    assert parse_input("float32[8,4][1,8]") == TensorSpec("f32", (8, 4), (1, 8))
    assert parse_input("f32[2,3,8,8][channels_last]").strides == (192, 1, 24, 3)
    assert str(parse_input("c64[8,4][1,8]")) == "c64[8,4][1,8]"
    assert parse_input("u32[4]").bytes == 16


@pytest.mark.parametrize(
    "text", ["f32[8,4][1]", "f32[8][channels_last]", "f32[8][x]", "f32[t0]", "f32[8][1][1]"]
)
def test_strides_that_do_not_fit_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_input(text)


def test_a_word_is_to_be_quoted() -> None:
    with pytest.raises(UsageError, match="a text is quoted"):
        parse_input("sum")


def test_a_symbol_may_have_a_size() -> None:
    given, other = parse_inputs(("f32[s0=10,4]", "x=f32[8,s0]"))
    assert given.tensor == TensorSpec("f32", (10, 4), (), (0,), (0,))
    assert other.tensor == TensorSpec("f32", (8, 10), (), (1,), (0,))
    with pytest.raises(UsageError, match="s0 is 10 and 12: a symbol has one size a call"):
        parse_inputs(("f32[s0=10,4]", "f32[s0=12]"))


def test_tuples_and_lists_may_have_tensors() -> None:
    pair, listed, plain = parse_inputs(("(f32[8], bf16[2,2][1,2])", "[f32[8], 3]", "(8, 8)"))
    assert pair.value == (TensorSpec("f32", (8,)), TensorSpec("bf16", (2, 2), (1, 2)))
    assert listed.value == [TensorSpec("f32", (8,)), 3]
    assert plain.value == (8, 8)
    assert plain.members == ()
    with pytest.raises(UsageError, match="no dtype f33"):
        parse_inputs(("(f33[8], 2)",))


@pytest.mark.parametrize(
    "texts",
    [
        ("sum",),
        ("f33[8]",),
        ("f32[a]",),
        ("f32[8,4][1]",),
        ("f16[64,128]@[32]",),
        ("x=1", "x=2"),
        ("x=1", "2"),
        ("f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",),
        (" " * 100_000,),
    ],
)
def test_a_refused_input_names_no_option_of_a_command(texts: tuple[str, ...]) -> None:
    """The ladder has a field for them."""
    with pytest.raises(UsageError) as said:
        parse_inputs(texts)
    assert "--" not in str(said.value)
    assert "input" in str(said.value)
