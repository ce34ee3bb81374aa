"""A layer of a network: all channels, a bias, and no negative outputs."""

from pytorch_rivals import Convolution


def convolution(sizes):
    return Convolution(
        input=(sizes["n"], sizes["in_channels"], sizes["height"], sizes["width"]),
        weight=(sizes["out_channels"], sizes["in_channels"], sizes["filter_height"], sizes["filter_width"]),
        stride=sizes["stride"],
        bias=True,
        positive=True,
    )
