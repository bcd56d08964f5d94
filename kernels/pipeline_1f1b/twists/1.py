import torch


def bubbles(plans):
    stages, microbatches, forward, backward = plans.unbind(1)
    time = (microbatches + stages - 1) * (forward + backward)
    return torch.stack(
        [time, (stages - 1) / (microbatches + stages - 1), (stages - 1) / microbatches], 1
    )


def orders(stages, microbatches):
    out = []
    for stage in range(stages):

        def slot(text, stage=stage):
            m = int(text[1:])
            if text[0] == "B":
                return 2 * stages - 1 - stage + 2 * m
            return stage + m if m < stages - stage else stage + 2 * m

        texts = [f"{kind}{m}" for kind in "FB" for m in range(microbatches)]
        out.append(sorted(texts, key=slot))
    return out
