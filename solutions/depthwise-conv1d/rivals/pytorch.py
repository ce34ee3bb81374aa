"""A filter for each channel, over the present and the past.

The problem counts taps backwards; which tap comes first makes no difference to the time."""

from pytorch_rivals import Convolution


def convolution(sizes):
    channels, taps = sizes["D"], sizes["K"]
    return Convolution(
        input=(sizes["B"], channels, sizes["L"]), weight=(channels, 1, taps), padding=((taps - 1, 0),), groups=channels, bias=True
    )
