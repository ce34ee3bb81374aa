#!/usr/bin/env python3
"""Times what PyTorch makes of a problem's timed cases on a GPU: convolutions by cuDNN, and by Fourier transforms.

    pytorch_rivals.py solutions/<id>/rivals/pytorch.py cuda:0 '{"cases": [{"name": ..., "sizes": {...}}]}'

prints {"rivals": [...]} (docs/reference/formats.md). pytorch.py defines `convolution(sizes)`, which returns a Convolution: shapes alone,
since the values are drawn here. A rival whose output differs from a sum in float64 by more than its precision allows has no times.

Each call has inputs that were drawn anew, an L2 that was overwritten, and an event before and behind it. The device is kept busy
until the whole call is in its queue, so that the host's time for launching does not count. The time is the median over
blocks of the median of a block; the interval reaches to the farthest block.
"""

import dataclasses
import functools
import importlib.util
import json
import statistics
import sys

WARM_UP_CALLS, BLOCKS, CALLS = 5, 5, 20
LEAST_UNCERTAINTY = 0.005  # as of the judge's own times, grader/judge/timing.c
BUSY_CYCLES = 1_000_000  # half a millisecond at 2 GHz
MOST_ERROR = {"float32": 2e-5, "tf32": 5e-3}  # root mean square, over that of the expected output


@dataclasses.dataclass
class Convolution:
    """output[n, o, x] = sum over i and k of input[n, i, stride x + k - before] weight[o, i, k], as PyTorch counts channels."""

    input: tuple  # (images, channels, extents...)
    weight: tuple  # (output channels, input channels of a group, extents...)
    padding: tuple = ()  # (before, after) of each extent; (): none
    stride: int = 1
    groups: int = 1
    bias: bool = False
    positive: bool = False  # negative outputs become 0
    levels: bool = False  # inputs and outputs are bytes
    rows_and_columns: bool = False  # the filter is the product of a column and a row: one convolution for each

    @property
    def rank(self):
        return len(self.input) - 2

    @property
    def borders(self):
        return self.padding or ((0, 0),) * self.rank


class Data:
    """The arrays of a call, and what is done with them. Whatever depends on the filter's shape alone is done before the call."""

    def __init__(self, torch, shape, device):
        self.torch, self.shape, self.device = torch, shape, device
        kind = torch.uint8 if shape.levels else torch.float32
        self.input = torch.empty(shape.input, dtype=kind, device=device)
        sides = shape.weight[2:]
        parts = [(1,) * i + (side,) + (1,) * (len(sides) - i - 1) for i, side in enumerate(sides)]
        self.parts = [torch.empty(shape.weight[:2] + part, device=device) for part in (parts if shape.rows_and_columns else [sides])]
        self.bias = torch.empty(shape.weight[0], device=device) if shape.bias else None
        self.draw()

    def draw(self):
        if self.shape.levels:
            self.input.random_(0, 256)
        else:
            self.input.uniform_(-1, 1)
        for part in self.parts:
            part.uniform_(-1, 1)
            if self.shape.levels:  # a blur: the sums stay between 0 and 255
                part.abs_().div_(part.sum(dim=tuple(range(2, part.dim())), keepdim=True))
        if self.bias is not None:
            self.bias.uniform_(-1, 1)

    def finish(self, output):
        """What follows the sums."""
        if self.shape.positive:
            output = output.relu()
        return output.round().clamp(0, 255).to(self.torch.uint8) if self.shape.levels else output

    def cut(self, output, parts):
        """Leaves out the outputs that exist only because PyTorch pads both ends alike."""
        wanted = wanted_extents(self.shape, parts)
        return output[(...,) + tuple(slice(0, count) for count in wanted)]

    # ---- ways to compute it

    def convolve(self, input, parts):
        functional = self.torch.nn.functional
        call = (functional.conv1d, functional.conv2d, functional.conv3d)[input.dim() - 3]
        for i, part in enumerate(parts):
            sides = part.shape[2:]
            padding = [before if side > 1 or len(parts) == 1 else 0 for side, before in zip(sides, self.befores(input))]
            bias = self.bias if i + 1 == len(parts) else None
            input = call(input, part, bias, stride=self.strides(input), padding=padding, groups=self.shape.groups)
        return input

    def befores(self, input):
        befores = [before for before, _ in self.shape.borders]
        return [0] * (input.dim() - 2 - len(befores)) + befores

    def strides(self, input):
        return [1] * (input.dim() - 2 - self.shape.rank) + [self.shape.stride] * self.shape.rank

    def directly(self):
        input = self.input.float() if self.shape.levels else self.input
        return self.finish(self.cut(self.convolve(input, self.parts), self.parts))

    def channels_last(self):
        """The same on copies whose channels are adjacent, which were made before the call; one dimension as two."""
        input = self.last_input.float() if self.shape.levels else self.last_input
        return self.finish(self.cut(self.convolve(input, self.last_parts), self.parts))

    def lay_channels_last(self):
        flat = self.shape.rank == 1
        layout = self.torch.channels_last_3d if self.shape.rank == 3 else self.torch.channels_last
        self.last_input, *self.last_parts = [
            (array.unsqueeze(2) if flat else array).contiguous(memory_format=layout) for array in [self.input, *self.parts]
        ]

    def by_transforms(self, dtype=None):
        """Correlation is a product of spectra. The length is one with small factors alone."""
        fft, shape = self.torch.fft, self.shape
        dtype = dtype or self.torch.float32
        before = [first for first, _ in shape.borders]
        input = self.input.to(dtype)
        weight = self.parts[0].to(dtype)
        for part in self.parts[1:]:
            weight = weight * part.to(dtype)
        lengths = [good_length(extent + side + first) for extent, side, first in zip(shape.input[2:], weight.shape[2:], before)]
        axes = list(range(2, 2 + shape.rank))
        spectrum, filters = fft.rfftn(input, lengths, axes), fft.rfftn(weight, lengths, axes).conj()
        images, groups = shape.input[0], shape.groups
        spectrum = spectrum.reshape((images, groups, 1, -1) + spectrum.shape[2:])
        filters = filters.reshape((1, groups, shape.weight[0] // groups, shape.weight[1]) + filters.shape[2:])
        if shape.weight[1] == 1:
            product = (spectrum * filters).squeeze(3)
        else:  # channel by channel, since the whole product may not fit into memory
            product = sum(spectrum[:, :, :, i] * filters[:, :, :, i] for i in range(shape.weight[1]))
        output = fft.irfftn(product.reshape((images, -1) + product.shape[3:]), lengths, axes)
        if any(before):
            output = output.roll(before, axes)
        output = output[(...,) + tuple(slice(0, 1 + (count - 1) * shape.stride, shape.stride) for count in wanted_extents(shape, self.parts))]
        if self.bias is not None:
            output = output + self.bias.to(dtype).reshape((1, -1) + (1,) * shape.rank)
        return self.finish(output)

    def by_blocks_of_transforms(self, length):
        """Overlap-save: pieces of `length` elements that overlap, so that each has the outputs that no piece cuts off."""
        fft, shape = self.torch.fft, self.shape
        weight, ((before, _),) = self.parts[0], shape.borders
        step, (wanted,) = length - weight.shape[2] + 1, wanted_extents(shape, self.parts)
        pieces = -(-wanted // step)
        behind = (pieces - 1) * step + length - shape.input[2] - before
        input = self.torch.nn.functional.pad(self.input, (before, behind)).unfold(2, length, step)
        product = fft.rfft(input) * fft.rfft(weight, length).conj().transpose(0, 1).unsqueeze(2)
        output = fft.irfft(product, length)[..., :step].reshape(shape.input[:2] + (-1,))[..., :wanted]
        return self.finish(output if self.bias is None else output + self.bias.reshape(1, -1, 1))

    def lengths_of_blocks(self):
        """For which that works: one dimension, a filter for each channel. Powers of two, from four times the filter on."""
        shape = self.shape
        alone = shape.weight[1] == 1 and shape.weight[0] == shape.input[1]
        if shape.rank != 1 or shape.stride != 1 or shape.levels or not alone:
            return []
        least = 4 * shape.weight[2]
        return [length for length in (1 << power for power in range(10, 16)) if least <= length <= 4 * max(least, 1024)]


def wanted_extents(shape, parts):
    sides = [max(part.shape[2 + i] for part in parts) for i in range(shape.rank)]
    return [(extent + sum(border) - side) // shape.stride + 1 for extent, border, side in zip(shape.input[2:], shape.borders, sides)]


def good_length(least):
    """The smallest even number from `least` on without a prime factor above 7."""
    length = least + least % 2
    while True:
        rest = length
        for prime in (2, 3, 5, 7):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return length
        length += 2


# ---- precision


def allow_tf32(torch, allowed):
    torch.backends.cuda.matmul.allow_tf32 = allowed
    torch.backends.cudnn.allow_tf32 = allowed


def error_of(torch, output, expected, levels):
    """The root mean square of the error, relative; of bytes 0 if none is more than one level off."""
    difference = output.double().reshape_as(expected) - expected.double()
    if levels:
        return 0.0 if difference.abs().max().item() <= 1 else 1.0
    return (difference.square().mean().sqrt() / expected.double().square().mean().sqrt()).item()


# ---- time


class Timer:
    def __init__(self, torch, device):
        self.torch = torch
        l2_bytes = torch.cuda.get_device_properties(device).L2_cache_size
        self.flush = torch.empty(2 * l2_bytes, dtype=torch.uint8, device=device)
        self.start, self.stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def once(self, call):
        self.torch.cuda._sleep(BUSY_CYCLES)
        self.flush.zero_()
        self.start.record()
        call()
        self.stop.record()
        self.stop.synchronize()
        return self.start.elapsed_time(self.stop)

    def median(self, data, call, prepare):
        """Milliseconds, and the relative distance to the farthest block."""
        blocks = []
        for _ in range(BLOCKS):
            for _ in range(WARM_UP_CALLS):
                self.once(call)
            times = []
            for _ in range(CALLS):
                data.draw()
                prepare()
                times.append(self.once(call))
            blocks.append(statistics.median(times))
        middle = statistics.median(blocks)
        return middle, max(LEAST_UNCERTAINTY, max(abs(block / middle - 1) for block in blocks))


# ---- rivals


def ways_of(data, by_transforms):
    """(variant, call, preparation) of one rival."""
    if by_transforms:
        blocks = [(f"in blocks of {length}", functools.partial(data.by_blocks_of_transforms, length)) for length in data.lengths_of_blocks()]
        return [(variant, call, lambda: None) for variant, call in [("at once", data.by_transforms), *blocks]]
    return [("channels first", data.directly, lambda: None), ("channels last", data.channels_last, data.lay_channels_last)]


def check(torch, data, ways, precision):
    """Draws once, and holds every way against sums in float64. Returns what is wrong, or None."""
    data.draw()
    expected = data.by_transforms(torch.float64)
    for variant, call, prepare in ways:
        prepare()
        error = error_of(torch, call(), expected, data.shape.levels)
        if not error <= MOST_ERROR[precision]:
            return f"{variant or 'its output'} is wrong: relative error {error:.1e}"
    return None


def time_case(torch, timer, shape, device, precision, by_transforms):
    """(milliseconds, uncertainty, variant) of the fastest way, or the reason why there is none."""
    data = Data(torch, shape, device)
    ways = ways_of(data, by_transforms)
    wrong = check(torch, data, ways, precision)
    if wrong is not None:
        return wrong
    return min((timer.median(data, call, prepare) + (variant,) for variant, call, prepare in ways), key=lambda found: found[0])


def time_rival(torch, timer, cases, device, name, precision, by_transforms):
    rival = {"name": f"{name} (PyTorch {torch.__version__.split('+')[0]})", "precision": precision, "times": []}
    allow_tf32(torch, precision == "tf32")
    for case_name, shape in cases:
        print(f"{rival['name']}, {precision}: {case_name}", file=sys.stderr)
        try:
            found = time_case(torch, timer, shape, device, precision, by_transforms)
        except RuntimeError as error:  # out of memory, or cuDNN knows no algorithm
            found = str(error).splitlines()[0]
        if isinstance(found, str):
            rival["missing"] = f"{case_name}: {found}"
            continue
        time_ms, uncertainty, variant = found
        item = {"case": case_name, "time_ms": time_ms, "uncertainty": uncertainty}
        rival["times"].append(item | {"variant": variant} if variant else item)
        torch.cuda.empty_cache()
    return rival


def rivals_on(torch, cases, device):
    torch.cuda.set_device(device)
    torch.backends.cudnn.benchmark = True
    timer = Timer(torch, device)
    rivals = [time_rival(torch, timer, cases, device, "cuDNN", precision, False) for precision in ("float32", "tf32")]
    if all(shape.rank == 1 for _, shape in cases):
        rivals.append(time_rival(torch, timer, cases, device, "torch.fft", "float32", True))
    return rivals


def read_convolution(path):
    sys.modules["pytorch_rivals"] = sys.modules[__name__]  # what pytorch.py imports
    spec = importlib.util.spec_from_file_location("rival", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.convolution


def absent(why):
    return [{"name": "PyTorch", "precision": "float32", "missing": why}]


def main():
    _, path, device, question = sys.argv
    sys.dont_write_bytecode = True
    convolution = read_convolution(path)
    cases = [(case["name"], convolution({size: int(value) for size, value in case["sizes"].items()})) for case in json.loads(question)["cases"]]
    try:
        import torch
    except ImportError as error:
        rivals = absent(f"not installed ({error})")
    else:
        rivals = rivals_on(torch, cases, device) if torch.cuda.is_available() else absent("it finds no GPU")
    print(json.dumps({"rivals": rivals}))


if __name__ == "__main__":
    main()
