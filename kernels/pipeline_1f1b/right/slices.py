def bubbles(plans):
    p, m = plans[:, 0], plans[:, 1]
    pair = plans[:, 2:].sum(1)
    out = plans.new_empty(len(plans), 3)
    out[:, 0] = (m + p - 1) * pair
    out[:, 1] = (p - 1) / (m + p - 1)
    out[:, 2] = (p - 1) / m
    return out


def orders(stages, microbatches):
    forwards = [f"F{m}" for m in range(microbatches)]
    backwards = [f"B{m}" for m in range(microbatches)]

    def order(stage):
        warm = min(stages - 1 - stage, microbatches)
        rest = microbatches - warm
        pairs = zip(forwards[warm:], backwards[:rest], strict=True)
        return forwards[:warm] + [each for pair in pairs for each in pair] + backwards[rest:]

    return [order(stage) for stage in range(stages)]
