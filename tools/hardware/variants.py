#!/usr/bin/env python3
"""Writes kernels that differ from each other in one thing at a time, to hold the cost model against hardware.

Usage: tools/hardware/variants.py FOLDER    writes FOLDER/<problem>/<name>.cu, right solutions of their problems
       tools/hardware/variants.py --list    prints "PROBLEM NAME HALF" of each

A kernel is a template of tools/hardware/variants and values of its macros. For each problem there is one to start from,
"base", and others that change one thing: the shape of the block, outputs of a thread, unrolling, registers, spills, what
neighbouring threads load and store, where the filter lies, vectors, launches. HALF is "held" where evaluate.py takes the
kernel for the half that nothing may be fitted to, else "fit".
"""
import pathlib
import re
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "tools/hardware/variants"

SOLVE = {  # problem: template, parameters of solve(), what it does; the dense ones say which Shape they have
    "conv1d": ("dense", "const float* input, const float* kernel, float* output, int input_size, int kernel_size",
               "convolve_dense(input, kernel, output, {1, input_size, 1, 1, kernel_size, 1, 1, "
               "input_size - kernel_size + 1, 0, 0, 0, 0});"),
    "conv1d-same": ("dense", "const float* input, const float* filter, float* output, int width, int filter_width",
                    "convolve_dense(input, filter, output, {1, width, 1, 1, filter_width, 1, 1, width, 0, "
                    "filter_width / 2, 0, 0});"),
    "conv2d": ("dense", "const float* input, const float* kernel, float* output, int input_rows, int input_cols, "
                        "int kernel_rows, int kernel_cols",
               "convolve_dense(input, kernel, output, {input_rows, input_cols, 1, kernel_rows, kernel_cols, 1, "
               "input_rows - kernel_rows + 1, input_cols - kernel_cols + 1, 0, 0, 0, 0});"),
    "conv2d-same": ("dense", "const float* input, const float* filter, float* output, int width, int height, int radius",
                    "convolve_dense(input, filter, output, {height, width, 1, 2 * radius + 1, 2 * radius + 1, 1, height, "
                    "width, radius, radius, 0, 0});"),
    "conv-rgb-planar": ("dense", "const float* input, const float* filter, float* output, int width, int height, int radius",
                        "convolve_dense(input, filter, output, {height, width, 1, 2 * radius + 1, 2 * radius + 1, 3, "
                        "height, width, radius, radius, 0, 0});"),
    "gaussian-blur": ("dense", "const float* input, const float* kernel, float* output, int input_rows, int input_cols, "
                               "int kernel_rows, int kernel_cols",
                      "convolve_dense(input, kernel, output, {input_rows, input_cols, 1, kernel_rows, kernel_cols, 1, "
                      "input_rows, input_cols, kernel_rows / 2, kernel_cols / 2, 0, 0});"),
    "conv3d": ("dense", "const float* input, const float* kernel, float* output, int input_depth, int input_rows, "
                        "int input_cols, int kernel_depth, int kernel_rows, int kernel_cols",
               "convolve_dense(input, kernel, output, {input_rows, input_cols, kernel_depth, kernel_rows, kernel_cols, "
               "input_depth - kernel_depth + 1, input_rows - kernel_rows + 1, input_cols - kernel_cols + 1, 0, 0, 0, 0});"),
    "conv2d-separable": ("separable", "const float* input, const float* row_filter, const float* column_filter, "
                                      "float* output, int width, int height, int radius",
                         "convolve_separable(input, row_filter, column_filter, output, width, height, radius);"),
    "blur-rgb": ("separable", "const unsigned char* image, const float* filter, unsigned char* output, int width, "
                              "int height, int radius",
                 "convolve_separable(reinterpret_cast<const uchar4*>(image), filter, filter, "
                 "reinterpret_cast<uchar4*>(output), width, height, radius);"),
    "depthwise-conv1d": ("depthwise", None, None),
    "conv-layer": ("layer", None, None),
}
SOLVE["conv1d-constant"] = SOLVE["conv1d-same"]
SOLVE["conv2d-constant"] = SOLVE["conv2d-same"]

LINE = dict(BLOCK_X=256, BLOCK_Y=1)
WINDOW = dict(WINDOW=1, OUTPUTS_X=8, FILTER=1, TILE=1)
ONE_DIMENSION = {  # name: the macros that differ from those of the base
    "base": {}, "block_64": dict(BLOCK_X=64), "block_128": dict(BLOCK_X=128), "block_1024": dict(BLOCK_X=1024),
    "block_200": dict(BLOCK_X=200), "unroll_8": dict(UNROLL=8), "two_outputs": dict(OUTPUTS_X=2),
    "four_outputs": dict(OUTPUTS_X=4), "four_outputs_apart": dict(OUTPUTS_X=4, SPREAD=1),
    "four_outputs_wide": dict(OUTPUTS_X=4, WIDE=1), "tile": dict(TILE=1), "tile_1024": dict(TILE=1, BLOCK_X=1024),
    "filter_shared": dict(FILTER=1), "filter_constant": dict(FILTER=2), "filter_constant_1024": dict(FILTER=2, BLOCK_X=1024),
    "window_8": WINDOW, "window_16": WINDOW | dict(OUTPUTS_X=16), "window_32_spills": WINDOW | dict(OUTPUTS_X=32, MIN_BLOCKS=8),
    "launches_16": dict(LAUNCHES=16), "fixed_5": dict(FIXED_X=5, FIXED_Y=1), "double_sum": dict(SUM="double"),
}
PLANE = dict(BLOCK_X=32, BLOCK_Y=8)
ROWS = dict(WINDOW=1, OUTPUTS_X=4, OUTPUTS_Y=4, FILTER=1, TILE=1, BLOCK_X=16, BLOCK_Y=8)
TWO_DIMENSIONS = {
    "base": {}, "block_16x16": dict(BLOCK_X=16, BLOCK_Y=16), "block_8x8": dict(BLOCK_X=8, BLOCK_Y=8),
    "block_32x32": dict(BLOCK_Y=32), "block_32x2": dict(BLOCK_Y=2), "block_128x1": dict(BLOCK_X=128, BLOCK_Y=1),
    "across": dict(ACROSS=1), "unroll_4": dict(UNROLL=4), "two_rows": dict(OUTPUTS_Y=2), "four_rows": dict(OUTPUTS_Y=4),
    "four_columns": dict(OUTPUTS_X=4), "four_columns_apart": dict(OUTPUTS_X=4, SPREAD=1),
    "four_columns_wide": dict(OUTPUTS_X=4, WIDE=1), "tile": dict(TILE=1), "filter_shared": dict(FILTER=1),
    "filter_constant": dict(FILTER=2), "fixed": dict(FIXED_X=3, FIXED_Y=3), "divide": dict(DIVIDE=1),
    "window_4x4": ROWS, "window_8x8": ROWS | dict(OUTPUTS_X=8, OUTPUTS_Y=8),
    "window_8x8_spills": ROWS | dict(OUTPUTS_X=8, OUTPUTS_Y=8, MIN_BLOCKS=8),
    "window_8x8_spills_more": ROWS | dict(OUTPUTS_X=8, OUTPUTS_Y=8, MIN_BLOCKS=16), "launches_16": dict(LAUNCHES=16),
}
SEPARABLE = {
    "base": {}, "block_16x16": dict(BLOCK_X=16, BLOCK_Y=16), "block_32x32": dict(BLOCK_Y=32), "block_64x1": dict(BLOCK_X=64, BLOCK_Y=1),
    "four_outputs": dict(OUTPUTS_X=4), "four_outputs_apart": dict(OUTPUTS_X=4, SPREAD=1), "four_rows_apart": dict(OUTPUTS_Y=4, SPREAD=1),
    "tile": dict(TILE=1), "tile_transposed": dict(TILE=1, TRANSPOSED=1), "tile_four": dict(TILE=1, OUTPUTS_X=4, SPREAD=1),
    "filter_shared": dict(FILTER=1), "filter_constant": dict(FILTER=2), "tile_constant": dict(TILE=1, FILTER=2),
    "unroll_4": dict(UNROLL=4), "launches_8": dict(LAUNCHES=8), "one_pass": dict(PASSES=1),
}
DEPTHWISE = {
    "base": {}, "block_64": dict(BLOCK_X=64), "block_1024": dict(BLOCK_X=1024), "four_channels": dict(CHANNELS=4),
    "taps_kept": dict(FILTER=1), "taps_kept_8": dict(FILTER=1, OUTPUTS_X=8), "taps_kept_32": dict(FILTER=1, OUTPUTS_X=32),
    "four_channels_kept_8": dict(CHANNELS=4, FILTER=1, OUTPUTS_X=8),
    "four_channels_spills": dict(CHANNELS=4, FILTER=1, OUTPUTS_X=8, MIN_BLOCKS=8), "across": dict(ACROSS=1), "unroll_4": dict(UNROLL=4),
    "launches_16": dict(LAUNCHES=16),
}
LAYER = {
    "base": {}, "block_64": dict(BLOCK_X=64), "block_1024": dict(BLOCK_X=1024), "four_pixels": dict(OUTPUTS_Y=4),
    "four_channels": dict(OUTPUTS_X=4), "four_channels_apart": dict(OUTPUTS_X=4, SPREAD=1), "four_by_four": dict(OUTPUTS_X=4, OUTPUTS_Y=4),
    "eight_by_eight": dict(OUTPUTS_X=8, OUTPUTS_Y=8), "eight_by_eight_spills": dict(OUTPUTS_X=8, OUTPUTS_Y=8, MIN_BLOCKS=8),
    "across": dict(ACROSS=1), "unroll_4": dict(UNROLL=4), "launches_16": dict(LAUNCHES=16),
}


def chosen(variants, names):
    return {name: variants[name] for name in names.split()}


def constant(variants):
    """For problems whose rule is that the filter lies in constant memory."""
    return {name: macros | dict(FILTER=2) for name, macros in variants.items() if not name.startswith("filter_")}


FAMILIES = {  # problem: the base's macros, variants
    "conv1d": (LINE, ONE_DIMENSION),
    "conv1d-same": (LINE, chosen(ONE_DIMENSION, "base block_64 block_1024 unroll_8 four_outputs four_outputs_apart tile "
                                                "filter_constant window_8 window_32_spills launches_16 fixed_5")),
    "conv1d-constant": (LINE, constant(chosen(ONE_DIMENSION, "base block_64 block_1024 unroll_8 four_outputs four_outputs_apart "
                                                             "four_outputs_wide tile window_8 window_16 launches_16 fixed_5"))),
    "conv2d": (PLANE, TWO_DIMENSIONS),
    "conv2d-same": (PLANE, chosen(TWO_DIMENSIONS, "base block_8x8 block_16x16 block_32x32 unroll_4 four_rows four_columns "
                                                  "four_columns_apart tile filter_constant fixed window_4x4 window_8x8 "
                                                  "window_8x8_spills")),
    "conv2d-constant": (PLANE, constant(chosen(TWO_DIMENSIONS, "base block_8x8 block_32x32 across unroll_4 two_rows four_columns "
                                                               "four_columns_wide tile fixed window_4x4 launches_16"))),
    "conv-rgb-planar": (PLANE, chosen(TWO_DIMENSIONS, "base block_16x16 block_32x32 block_128x1 four_rows four_columns_apart tile "
                                                      "filter_shared filter_constant fixed window_4x4 window_8x8_spills_more")),
    "gaussian-blur": (PLANE, chosen(TWO_DIMENSIONS, "base block_8x8 block_32x32 block_32x2 two_rows four_rows four_columns tile "
                                                    "filter_shared filter_constant fixed divide window_8x8 launches_16")),
    "conv3d": (PLANE, chosen(TWO_DIMENSIONS, "base block_16x16 block_32x32 block_128x1 two_rows four_rows four_columns_apart tile "
                                             "filter_shared filter_constant fixed unroll_4 window_4x4 window_8x8_spills")),
    "conv2d-separable": ({}, SEPARABLE),
    "blur-rgb": (dict(RGB=1), chosen(SEPARABLE, "base block_16x16 block_32x32 four_outputs four_outputs_apart tile tile_transposed "
                                                "filter_constant tile_constant unroll_4 launches_8 one_pass")),
    "depthwise-conv1d": (LINE, DEPTHWISE),
    "conv-layer": (LINE, LAYER),
}


def variants():
    for problem, (base, changes) in FAMILIES.items():
        for name, macros in changes.items():
            yield problem, name, base | macros


def half(problem, name):
    """As evaluate.py has it."""
    return "held" if zlib.crc32(f"{problem}/{name}".encode()) % 2 == 1 else "fit"


def inlined(name, seen):
    """A template with the files that it includes, since a solution is one file."""
    seen.add(name)
    text = (TEMPLATES / name).read_text().replace("#pragma once\n", "")
    return re.sub(r'#include "(.*)"\n', lambda found: "" if found[1] in seen else inlined(found[1], seen), text)


def source(problem, macros):
    template, parameters, body = SOLVE[problem]
    lines = [f"// problem: {problem}"] + [f"#define {name} {value}" for name, value in macros.items()]
    text = "\n".join(lines) + "\n" + inlined(f"{template}.cuh", set())
    if parameters is not None:
        text += f'\nextern "C" void solve({parameters})\n{{\n    {body}\n}}\n'
    return text


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    for problem, name, macros in variants():
        if sys.argv[1] == "--list":
            print(problem, name, half(problem, name))
            continue
        path = pathlib.Path(sys.argv[1]) / problem / f"{name}.cu"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = source(problem, macros)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


main()
