// A layer of a neural network: all input channels of a patch to each output channel. A thread computes OUTPUTS_X channels
// of OUTPUTS_Y neighbouring pixels of a row. Further macros:
// ACROSS 1    neighbouring threads have neighbouring pixels, not channels
// SPREAD 1    the channels of a thread lie apart, so that neighbouring threads have neighbouring channels
#pragma once
#include "common.cuh"

#ifndef ACROSS
#define ACROSS 0
#endif

struct Layer {
    int height, width, in_channels, filter_height, filter_width, out_channels, stride, out_height, out_width;
    int groups, runs; // threads for the channels of a pixel, for the pixels of a row
    int items;
};

__global__ void BOUNDS convolve(const float* input, const float* weights, const float* bias, float* output, Layer layer,
                                int first_block)
{
    int item = (first_block + blockIdx.x) * THREADS + threadIdx.y * BLOCK_X + threadIdx.x;
    if (item >= layer.items)
        return;
    int group = ACROSS ? item / layer.runs % layer.groups : item % layer.groups;
    int run = ACROSS ? item % layer.runs : item / layer.groups % layer.runs;
    int row = item / layer.groups / layer.runs % layer.out_height, image = item / layer.groups / layer.runs / layer.out_height;
    int col = run * OUTPUTS_Y, step = SPREAD ? layer.groups : 1, channel = SPREAD ? group : group * OUTPUTS_X;
    float sum[OUTPUTS_Y][OUTPUTS_X];
    _Pragma("unroll") for (int p = 0; p < OUTPUTS_Y; p++)
        _Pragma("unroll") for (int c = 0; c < OUTPUTS_X; c++)
            sum[p][c] = channel + c * step < layer.out_channels ? bias[channel + c * step] : 0.0f;
    for (int r = 0; r < layer.filter_height; r++)
        for (int s = 0; s < layer.filter_width; s++) {
            int pixel = (image * layer.height + row * layer.stride + r) * layer.width + col * layer.stride + s;
            int first = (r * layer.filter_width + s) * layer.in_channels;
            UNROLLED(UNROLL)
            for (int i = 0; i < layer.in_channels; i++) {
                float w[OUTPUTS_X];
                _Pragma("unroll") for (int c = 0; c < OUTPUTS_X; c++)
                    w[c] = channel + c * step < layer.out_channels
                               ? weights[(first + i) * layer.out_channels + channel + c * step]
                               : 0.0f;
                _Pragma("unroll") for (int p = 0; p < OUTPUTS_Y; p++) {
                    float v = col + p < layer.out_width ? input[(pixel + p * layer.stride) * layer.in_channels + i] : 0.0f;
                    _Pragma("unroll") for (int c = 0; c < OUTPUTS_X; c++)
                        sum[p][c] += v * w[c];
                }
            }
        }
    int to = ((image * layer.out_height + row) * layer.out_width + col) * layer.out_channels + channel;
    _Pragma("unroll") for (int p = 0; p < OUTPUTS_Y; p++)
        _Pragma("unroll") for (int c = 0; c < OUTPUTS_X; c++)
            if (col + p < layer.out_width && channel + c * step < layer.out_channels)
                output[to + p * layer.out_channels + c * step] = fmaxf(sum[p][c], 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    Layer layer = {height, width, in_channels, filter_height, filter_width, out_channels, stride,
                   (height - filter_height) / stride + 1, (width - filter_width) / stride + 1};
    layer.groups = parts(out_channels, OUTPUTS_X);
    layer.runs = parts(layer.out_width, OUTPUTS_Y);
    layer.items = n * layer.out_height * layer.runs * layer.groups;
    in_launches(parts(layer.items, THREADS), [&](int first, int blocks) {
        convolve<<<blocks, dim3(BLOCK_X, BLOCK_Y)>>>(input, weights, bias, output, layer, first);
    });
    cudaDeviceSynchronize();
}
