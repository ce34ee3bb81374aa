"""A column and a row over the four bytes of each pixel. PyTorch convolves floats, so the bytes are converted within the call."""

from pytorch_rivals import Convolution


def convolution(sizes):
    radius = sizes["radius"]
    side = 2 * radius + 1
    return Convolution(
        input=(1, 4, sizes["height"], sizes["width"]),
        weight=(4, 1, side, side),
        padding=((radius, radius),) * 2,
        groups=4,
        levels=True,
        rows_and_columns=True,
    )
