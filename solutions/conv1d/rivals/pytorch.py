"""One filter over one sequence, without borders."""

from pytorch_rivals import Convolution


def convolution(sizes):
    return Convolution(input=(1, 1, sizes["input_size"]), weight=(1, 1, sizes["kernel_size"]))
