import torch


def count(values, machine):
    rows, columns, depths, warps, stages = values
    shared, registers, threads = machine
    found = torch.zeros(5, dtype=torch.int64)
    few = [32 * w <= threads for w in warps]
    pairs = len(depths) * len(stages)
    # For one tile, warps and (depth, stages) are independent, so their counts multiply.
    for m in rows:
        for n in columns:
            light = [m * n <= (registers - 32) * 32 * w for w in warps]
            bytes_a_buffer = [2 * k * (m + n) for k in depths]
            small = sum((s - (m < 64)) * b <= shared for s in stages for b in bytes_a_buffer)
            both = sum(map(min, few, light))
            found += torch.tensor(
                [
                    len(warps) * pairs,
                    sum(few) * pairs,
                    sum(light) * pairs,
                    len(warps) * small,
                    both * small,
                ]
            )
    return found
