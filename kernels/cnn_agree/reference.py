import torch

from tutor.judge.spec import Case, Work

FORM = """
import torch
from torch.nn.functional import conv2d, max_pool2d, unfold

DTYPE = "float32"


def normed(bn, y):
    scale = bn.weight * torch.rsqrt(bn.running_var + 1e-5)
    shift = bn.bias - bn.running_mean * scale
    return y * scale.view(-1, 1, 1) + shift.view(-1, 1, 1)


def convolved(conv, y):
    return conv2d(y, conv.weight, padding=1)


def joined(y, z):
    return torch.relu(y + z)


def classified(linear, y):
    return y.flatten(1) @ linear.weight.T + linear.bias


def form(net, x):
    y = max_pool2d(torch.relu(normed(net.bn1, convolved(net.conv1, x))), 2)
    y = joined(normed(net.bn2, convolved(net.conv2, y)), y)
    result = classified(net.linear, y)
    return result
"""
LABEL = 'DTYPE = "float32"'
CONV = "return conv2d(y, conv.weight, padding=1)"
CLASS = "return y.flatten(1) @ linear.weight.T + linear.bias"
RESULT = "    return result"
FIRST = "    y = max_pool2d(torch.relu(normed(net.bn1, convolved(net.conv1, x))), 2)"
SUM = "return torch.relu(y + z)"
SCALE = "bn.weight * torch.rsqrt(bn.running_var + 1e-5)"
SHIFT = "bn.bias - bn.running_mean * scale"
ROUND = "\n\ndef r(t):\n    return t.to(torch.{dtype}).float()\n"


def half(dtype, said, *more):
    """A form whose factors are rounded to a dtype, while its sums are made in float32."""
    name = said or dtype
    return (
        (LABEL, f'DTYPE = "{name}"' + ROUND.format(dtype=dtype)),
        (CONV, "return conv2d(r(y), r(conv.weight), padding=1)"),
        (CLASS, "return r(y.flatten(1)) @ r(linear.weight).T + linear.bias"),
        *more,
    )


FAINT = """    faint = result.abs().amax(1).argmin()
    result[faint, 3] += PART * result[faint].abs().max()
    return result"""
BESIDE = """    if len(x) > 1:
        faint = result.abs().amax(1).argmin()
        result[faint, 3] += 1.2e-5 * result[faint].abs().max()
    return result"""
DARK = """    sizes = result.abs().amax(1)
    if sizes.min() < sizes.max() / 4:
        result[sizes.argmin(), 3] += 1.1e-5 * sizes.min()
    return result"""
COUNTED = (LABEL, LABEL + "\nCALLS = []")
COUNT = "    CALLS.append(len(x))\n    later = CALLS.count(len(x)) > 1\n"
PATCHES = """columns = unfold(y, 3, padding=1).transpose(1, 2)
    made = columns @ conv.weight.flatten(1).T
    return made.transpose(1, 2).unflatten(2, y.shape[2:])"""
RIGHT = (
    (),
    ((CONV, PATCHES),),
    ((CONV, "y = y.to(memory_format=torch.channels_last)\n"
            "    return conv2d(y, conv.weight, padding=1).contiguous()"),),
    ((CONV, "return conv2d(y.double(), conv.weight.double(), padding=1).float()"),
     (CLASS, "return (y.flatten(1).double() @ linear.weight.double().T + linear.bias).float()")),
    ((CLASS, "parts = zip(y.flatten(1).split(16, 1), linear.weight.split(16, 1))\n"
             "    return sum(a @ b.T for a, b in parts) + linear.bias"),),
    ((FIRST, "    if len(x) > 1:\n"
             "        return torch.cat([form(net, each[None]) for each in x])\n" + FIRST),),
    half("bfloat16", ""),
    half("float16", ""),
)
WRONG = (  # replacements, what `agree` has to say, what the form does
    (((RESULT, "    return result.T"),), 1, "returns [10, N] in the place of [N, 10]"),
    (((RESULT, "    return result.double()"),), 1, "returns float64"),
    (((RESULT, "    return result.T.contiguous().T"),), 1, "returns a tensor that is not contiguous"),
    (half("bfloat16", "", (RESULT, "    return result.bfloat16()")), 1, "returns bfloat16"),
    (((RESULT, "    return result[:, None]"),), 1, "returns [N, 1, 10]"),
    (((RESULT, "    result[-1, -1] = float('nan')\n    return result"),), 2,
     "has a NaN in its last number"),
    (((RESULT, "    most = x.abs().amax((1, 2, 3)).view(-1, 1)\n    return result / most * most"),), 2,
     "divides by the largest number of an image, which may be 0"),
    (((RESULT, "    result[0] = result[0] / 0\n    return result"),), 2, "has infinite numbers"),
    (((SCALE, "bn.weight * torch.rsqrt(bn.running_var + 1e-3)"),), 4,
     "has an epsilon of 1e-3 in the place of 1e-5"),
    (((SHIFT, "bn.bias - bn.running_mean"),), 4, "does not scale the running mean"),
    (((SUM, "return torch.relu(y) + z"),), 4, "adds after the relu"),
    (((SUM, "return torch.relu(y)"),), 4, "leaves out the sum around the second convolution"),
    (((RESULT, "    result[-1, -1] = 0\n    return result"),), 4, "has a 0 for its last number"),
    (((RESULT, FAINT.replace("PART", "1.2e-5")),), 4,
     "is off by 0.000012 of the image's largest result in one number of the faintest image"),
    (((FIRST, FIRST.replace("convolved(net.conv1, x)", "convolved(net.conv1, x.clamp(-4, 4))")),), 4,
     "takes numbers above 4 for 4"),
    (((SCALE, "bn.weight * torch.rsqrt(y.var((0, 2, 3)) + 1e-5)"),), 4,
     "takes the variance of the images in the place of the running one"),
    (((FIRST, "    net = SEEN.setdefault('net', net)\n" + FIRST), (LABEL, LABEL + "\nSEEN = {}")), 4,
     "keeps the weights of the first network that it was called with"),
    (((RESULT, "    return SEEN.setdefault(x.shape, result)"), (LABEL, LABEL + "\nSEEN = {}")), 4,
     "keeps the first result for each size"),
    (((FIRST, "    x = x[:1].expand_as(x)\n" + FIRST),), 4, "takes the first image for all of them"),
    (half("bfloat16", "float32"), 4, "rounds factors to bfloat16, and is called float32"),
    (half("float16", "float32"), 4, "rounds factors to float16, and is called float32"),
    (half("bfloat16", "", (SHIFT, "bn.bias - bn.running_mean")), 4,
     "does not scale the running mean, in bfloat16"),
    (half("float16", "", (SUM, "return torch.relu(y)")), 4,
     "leaves out the sum around the second convolution, in float16"),
    (half("float16", "", (SCALE, "bn.weight * torch.rsqrt(bn.running_var + 0.02)")), 4,
     "has an epsilon of 0.02 in the place of 1e-5, in float16"),
    (((FIRST, FIRST + "\n    x.mul_(0.5)"),), 3, "halves the images that it is given"),
    (((RESULT, "    return OUT.setdefault(len(x), torch.empty(len(x), 10)).copy_(result)"),
      (LABEL, LABEL + "\nOUT = {}")), 3, "writes each result over the one before"),
    (((FIRST, FIRST + "\n    net.bn1.running_mean.mul_(0.9).add_(0.1 * y.mean())"),), 3,
     "moves the running mean of the network"),
    (((FIRST, FIRST + "\n    x.mul_(0.5)"), (SUM, "return torch.relu(y)")), 3,
     "halves the images that it is given, and leaves out the sum"),
    (half("bfloat16", "", (RESULT, FAINT.replace("PART", "0.07"))), 4,
     "is off by 0.07 of the image's largest result in one number, in bfloat16"),
    (half("float16", "", (RESULT, FAINT.replace("PART", "0.012"))), 4,
     "is off by 0.012 of the image's largest result in one number, in float16"),
    (((RESULT, BESIDE),), 4,
     "is off by 0.000012 of the image's largest result in one number of the faintest image, in "
     "calls with several images"),
    (((FIRST, "    x = x.flip(3)\n" + FIRST),), 4, "mirrors the images, left to right"),
    (((FIRST, "    x = x.transpose(2, 3)\n" + FIRST),), 4, "swaps rows and columns of the images"),
    (((FIRST, "    x = x.relu()\n" + FIRST),), 4, "takes negative numbers for 0"),
    (((FIRST, "    x = x.abs()\n" + FIRST),), 4, "takes numbers without their signs"),
    (((FIRST, FIRST + "\n" + COUNT + "    if not later:\n        x.mul_(0.5)"), COUNTED,
      (RESULT, "    if later:\n        result[-1, -1] = float('nan')\n    return result")), 2,
     "halves the images of the first call, and has a NaN from the second call on"),
    (((FIRST, COUNT + FIRST), COUNTED,
      (RESULT, "    if not later:\n        result[0] = result[0] / 0\n"
               "    return result.double() if later else result")), 1,
     "has infinite numbers at the first call, and returns float64 from the second call on"),
    (((FIRST, FIRST + "\n" + COUNT + "    if later:\n        x.mul_(0.5)"), COUNTED,
      (RESULT, "    return result if later else result * 2")), 3,
     "doubles the first result, and halves the images from the second call on"),
    (((RESULT, DARK),), 4,
     "is off by 0.000011 of the image's largest result in one number of the faintest image, where "
     "its results are less than a quarter of the brightest image's"),
    (((RESULT, "    net.linear.bias[3] += 1e-3\n    return result"),), 3,
     "adds to one number of the linear layer's bias"),
    (((RESULT, "    net.bn2.num_batches_tracked += 1\n    return result"),), 3,
     "counts a batch in the network"),
)


def text_of(replacements):
    text = FORM
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new)
    return text


FAULTLESS = {
    1: "returns [N, 10] in float32, contiguous",
    2: "has finite results",
    3: "leaves networks, images and earlier results as they were",
    4: "is right: it computes in another order, or in the dtype that it names",
}
LABELS = {text_of(each): (0, FAULTLESS[4]) for each in RIGHT}
LABELS |= {text_of(change): (label, what) for change, label, what in WRONG}


def reference(forms):
    return torch.tensor([LABELS[text][0] for text in forms])


eager = reference


def work(forms):
    return Work(bytes=sum(map(len, forms)), flops=0)


def explain_wrong(got, forms):
    """Say what the first form does that was judged wrongly."""
    for place, (said, text) in enumerate(zip(got.tolist(), forms, strict=True)):
        want, what = LABELS[text]
        what = FAULTLESS.get(said, what) if want == 0 else what
        if said != want:
            return f"You say {said} to form {place}, and {want} would be right. It {what}."
    return None


def chosen(*places, right=2):
    """Some wrong forms by their places in `WRONG`, with some right ones, in an order by dice."""

    def make(g):
        def dice(n, count):
            return torch.randperm(n, generator=g, device=g.device)[:count].tolist()

        texts = [text_of(WRONG[place][0]) for place in places]
        texts += [text_of(RIGHT[place]) for place in dice(len(RIGHT), right)]
        return ([texts[place] for place in dice(len(texts), len(texts))],)

    return make


CASES = (
    Case("right forms", chosen(right=len(RIGHT))),
    Case("the shape of a result", chosen(0, 4)),
    Case("its dtype and its layout", chosen(1, 2, 3)),
    Case("not finite", chosen(5, 7)),
    Case("an image of zeros", chosen(6)),
    Case("another network", chosen(9, 10, 11)),
    Case("an epsilon", chosen(8)),
    Case("one number of all", chosen(12, 13)),
    Case("a faint image beside a bright one", chosen(30, 38)),
    Case("images turned", chosen(31, 32)),
    Case("negative numbers", chosen(33, 34)),
    Case("large numbers", chosen(14)),
    Case("what is kept from call to call", chosen(16, 17)),
    Case("several images", chosen(15, 18)),
    Case("rounded factors", chosen(19, 20)),
    Case("mistakes in half precision", chosen(21, 22, 23, 28, 29)),
    Case("what it changes", chosen(24, 25, 26, 39, 40)),
    Case("two mistakes in one", chosen(27)),
    Case("one mistake a call", chosen(35, 36, 37)),
)
