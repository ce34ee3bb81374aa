"""One filter over one volume, without borders."""

from pytorch_rivals import Convolution


def convolution(sizes):
    volume, filter = ([sizes[f"{what}_{axis}"] for axis in ("depth", "rows", "cols")] for what in ("input", "kernel"))
    return Convolution(input=(1, 1, *volume), weight=(1, 1, *filter))
