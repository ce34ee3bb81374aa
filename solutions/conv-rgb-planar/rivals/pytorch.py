"""One filter over three planes, with zeros around each: three images of one channel."""

from pytorch_rivals import Convolution


def convolution(sizes):
    radius = sizes["radius"]
    side = 2 * radius + 1
    return Convolution(input=(3, 1, sizes["height"], sizes["width"]), weight=(1, 1, side, side), padding=((radius, radius),) * 2)
