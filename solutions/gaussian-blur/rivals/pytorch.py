"""One filter over one image, with zeros around it."""

from pytorch_rivals import Convolution


def convolution(sizes):
    image, filter = (sizes["input_rows"], sizes["input_cols"]), (sizes["kernel_rows"], sizes["kernel_cols"])
    return Convolution(input=(1, 1, *image), weight=(1, 1, *filter), padding=tuple((side // 2, side // 2) for side in filter))
