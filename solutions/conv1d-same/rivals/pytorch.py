"""One filter over one sequence, with zeros beyond both ends."""

from pytorch_rivals import Convolution


def convolution(sizes):
    radius = sizes["filter_width"] // 2
    return Convolution(input=(1, 1, sizes["width"]), weight=(1, 1, sizes["filter_width"]), padding=((radius, radius),))
