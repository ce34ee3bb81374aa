"""One square filter over one image, with zeros around it."""

from pytorch_rivals import Convolution


def convolution(sizes):
    radius = sizes["radius"]
    side = 2 * radius + 1
    return Convolution(input=(1, 1, sizes["height"], sizes["width"]), weight=(1, 1, side, side), padding=((radius, radius),) * 2)
