"""Pictures of lessons whose lengths mean something: times and rates at a device's peaks, which are the
product's own (`tutor.hardware`)."""

import math

from card import BLUE, BODY, INK, PAPER, QUIET, RAISED, SMALL, YELLOW, Card, Point

from tutor.hardware.gpus import find
from tutor.hardware.roofline import Roof, roof_of_datasheet

ELEMENTS = 2**24  # of Day 1's array
SIDE = 4096  # of Day 14's matrices


def layer(batch: int) -> float:
    """FLOP per byte of a batch of rows times a matrix, both FP16: 2 b n^2 over 2 (n^2 + 2 b n)."""
    return batch * SIDE / (SIDE + 2 * batch)


# What stands under the roofs: units, FLOP per byte, name, where the name stands beside its mark.
# FP32 operators read and write 4 bytes an element; softmax has 5 FLOP, as Day 22 counts.
MARKS: tuple[tuple[str, float, str, Point, str], ...] = (
    ("fp32", 1 / 8, "relu; four operators, eager", (16, 16), "lm"),
    ("fp32", 4 / 8, "four operators, fused", (18, 22), "lm"),
    ("fp32", 5 / 8, "softmax", (18, 4), "lm"),
    ("fp16", layer(1), "layer, batch 1", (-18, -16), "rm"),
    ("fp16", layer(16), "batch 16", (-18, -22), "rm"),
    ("fp16", layer(166), "batch 166", (-18, -20), "rm"),
    ("fp16", 2 * SIDE**3 / (6 * SIDE**2), "matmul", (0, 34), "mm"),
)


def a100(units: str) -> Roof:
    device = find("A100-SXM4-80GB")
    assert device is not None
    return roof_of_datasheet(device, units)


def day_01_to_scale() -> Card:
    """The chain's transfers and its arithmetic on one axis of time."""
    roof = a100("fp32")
    one, fused = roof.limit(8 * ELEMENTS, ELEMENTS).ms, roof.limit(8 * ELEMENTS, 3 * ELEMENTS).ms
    work = ELEMENTS / roof.peak * 1e3
    card = Card(1296, 520, "The chain on an A100 80 GB, to scale: time at the two peaks")
    left, per_ms = 140, 976 / (3 * one)

    def x(ms: float) -> float:
        return left + ms * per_ms

    rows = (
        (110, "eager", [("relu", 1), ("mul", 1), ("add", 1)], f"{3 * one:.3f} ms"),
        (270, "fused", [("relu, mul, add", 3)], f"{fused:.3f} ms"),
    )
    for top, name, kernels, total in rows:
        card.text((40, top + 30), name, INK, BODY, bold=True)
        for n, (kernel, steps) in enumerate(kernels):
            card.box(x(n * one) + 2, top, x((n + 1) * one) - 2, top + 60, BLUE, radius=3)
            card.text((x((n + 0.5) * one), top + 30), f"{kernel}: 128 MiB", PAPER, BODY, "mm")
            width = steps * work * per_ms
            card.box(x(n * one) + 2, top + 68, x(n * one) + 2 + width, top + 108, YELLOW, radius=0)
        card.text((x(len(kernels) * one) + 16, top + 30), total, INK, BODY, bold=True)
    card.text((x(0) + 20, 198), f"arithmetic: {work:.4f} ms", YELLOW)
    card.text((x(0) + 28, 358), f"arithmetic: {3 * work:.4f} ms", YELLOW)
    axis = 410
    card.line([(x(0), axis), (x(3 * one), axis)], QUIET)
    for ms in (0, 0.05, 0.1, 0.15):
        card.line([(x(ms), axis), (x(ms), axis + 9)], QUIET)
        card.text((x(ms), axis + 28), f"{ms:g}", QUIET, SMALL, "mm")
    card.text((x(3 * one), axis + 28), "ms", QUIET, SMALL, "rm")
    legend = f"transfers at {roof.bandwidth / 1e12:.3f} TB/s"
    card.box(x(0), 470, x(0) + 22, 492, BLUE, radius=3)
    card.text((x(0) + 32, 481), legend, INK)
    second = x(0) + 90 + card.width_of(legend)
    card.box(second, 470, second + 22, 492, YELLOW, radius=0)
    card.text((second + 32, 481), f"arithmetic at {roof.peak / 1e12:.1f} TFLOP/s, FP32", INK)
    return card


def day_14_roofline() -> Card:
    """Both roofs of an A100, and what stands under them."""
    fp32, fp16 = a100("fp32"), a100("fp16")
    card = Card(1296, 720, "Roofline of an A100 80 GB: attainable TFLOP/s")
    left, right, top, bottom = 120, 1266, 84, 640
    x_low, x_high, y_low, y_high = 0.05, 4000, 0.05, 700

    def x(intensity: float) -> float:
        return left + math.log(intensity / x_low) / math.log(x_high / x_low) * (right - left)

    def y(flops: float) -> float:
        up = math.log(flops / 1e12 / y_low) / math.log(y_high / y_low)
        return bottom - up * (bottom - top)

    def on(roof: Roof, intensity: float) -> Point:
        return x(intensity), y(roof.at(intensity))

    for value in (0.1, 1, 10, 100, 1000):
        if value < y_high:
            card.line([(left, y(value * 1e12)), (right, y(value * 1e12))], RAISED, 1.5)
            card.text((left - 14, y(value * 1e12)), f"{value:g}", QUIET, SMALL, "rm")
        card.line([(x(value), top), (x(value), bottom)], RAISED, 1.5)
        card.text((x(value), bottom + 24), f"{value:g}", QUIET, SMALL, "mm")
    card.text((right, bottom + 58), "arithmetic intensity, FLOP per byte", QUIET, SMALL, "rm")

    for roof, colour, name in ((fp32, BLUE, "FP32"), (fp16, YELLOW, "tensor cores, FP16")):
        corner = on(roof, roof.ridge)
        card.line([corner, (corner[0], bottom)], colour, 2, dashed=True)
        card.line([corner, (right, corner[1])], colour, 5)
        card.text((right - 6, corner[1] - 24), f"{name}: {roof.peak / 1e12:g}", colour, SMALL, "rm")
        ridge = f"ridge {roof.ridge:.{0 if roof.ridge > 100 else 1}f}"
        card.text((corner[0] + 14, corner[1] + 34), ridge, colour)
        foot = bottom - (26 if roof is fp32 else 70)
        card.text((corner[0] - 14, foot), "memory-bound", colour, SMALL, "rm")
        card.text((corner[0] + 14, foot), "compute-bound", colour)
    start, corner = on(fp16, x_low), on(fp16, fp16.ridge)
    card.line([start, corner], INK, 5)
    slope = math.atan2(start[1] - corner[1], corner[0] - start[0])

    def above(intensity: float, distance: float) -> Point:
        """A point so far from the slope, up and to the left."""
        at = on(fp16, intensity)
        return at[0] - distance * math.sin(slope), at[1] - distance * math.cos(slope)

    words = f"bandwidth {fp16.bandwidth / 1e12:.3f} TB/s"
    card.text(above(3.3, 26), words, INK, angle=math.degrees(slope))
    card.arrow(above(1 / 8, 24), above(1 / 2, 24), BLUE)
    card.text(above(1 / 4, 46), "fusion", BLUE, angle=math.degrees(slope))

    for units, intensity, name, (dx, dy), anchor in MARKS:
        if units == "fp32":
            at = on(fp32, intensity)
            card.dot(at, BLUE)
        else:
            at = on(fp16, intensity)
            card.diamond(at, YELLOW)
        card.text((at[0] + dx, at[1] + dy), name, INK, SMALL, anchor)
    return card
