// A causal convolution of each channel with its own few taps. Further macros:
// CHANNELS    of a thread, neighbours: 1, or 4 that are loaded and stored at once
// ACROSS 1    neighbouring threads have neighbouring positions, not channels
// A thread computes OUTPUTS_X positions, one after the other, and keeps its taps in registers if FILTER is FILTER_SHARED.
#pragma once
#include "common.cuh"

#ifndef CHANNELS
#define CHANNELS 1
#endif
#ifndef ACROSS
#define ACROSS 0
#endif

constexpr int MOST_TAPS = 8;

struct Channels {
    float of[CHANNELS];
};

__device__ inline Channels read_channels(const float* from)
{
    Channels c;
    if (CHANNELS == 4) {
        float4 v = *reinterpret_cast<const float4*>(from);
        c.of[0] = v.x;
        c.of[1 % CHANNELS] = v.y;
        c.of[2 % CHANNELS] = v.z;
        c.of[3 % CHANNELS] = v.w;
    } else {
        c.of[0] = *from;
    }
    return c;
}

__device__ inline void write_channels(float* to, const Channels& c)
{
    if (CHANNELS == 4)
        *reinterpret_cast<float4*>(to) = make_float4(c.of[0], c.of[1 % CHANNELS], c.of[2 % CHANNELS], c.of[3 % CHANNELS]);
    else
        *to = c.of[0];
}

__global__ void BOUNDS convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K,
                                long long items, int first_block)
{
    long long item = (static_cast<long long>(first_block) + blockIdx.x) * THREADS + threadIdx.y * BLOCK_X + threadIdx.x;
    if (item >= items)
        return;
    int groups = D / CHANNELS, runs = (L + OUTPUTS_X - 1) / OUTPUTS_X;
    int d = (ACROSS ? item / runs % groups : item % groups) * CHANNELS;
    int run = ACROSS ? item % runs : item / groups % runs;
    size_t first = (item / groups / runs * L) * static_cast<size_t>(D) + d; // of the sequence
    float taps[CHANNELS][MOST_TAPS];
    bool kept = FILTER == FILTER_SHARED && K <= MOST_TAPS;
    _Pragma("unroll") for (int c = 0; c < CHANNELS; c++)
        _Pragma("unroll") for (int k = 0; k < MOST_TAPS; k++)
            taps[c][k] = kept && k < K ? weight[(d + c) * K + k] : 0.0f;
    for (int l = run * OUTPUTS_X; l < L && l < (run + 1) * OUTPUTS_X; l++) {
        Channels sum = read_channels(bias + d);
        if (kept) {
            _Pragma("unroll") for (int k = 0; k < MOST_TAPS; k++)
                if (k < K && k <= l) {
                    Channels past = read_channels(x + first + static_cast<size_t>(l - k) * D);
                    _Pragma("unroll") for (int c = 0; c < CHANNELS; c++)
                        sum.of[c] += past.of[c] * taps[c][k];
                }
        } else {
            UNROLLED(UNROLL)
            for (int k = 0; k < K && k <= l; k++) {
                Channels past = read_channels(x + first + static_cast<size_t>(l - k) * D);
                _Pragma("unroll") for (int c = 0; c < CHANNELS; c++)
                    sum.of[c] += past.of[c] * (FILTER == FILTER_CONSTANT ? c_filter[(d + c) * K + k]
                                                                         : weight[(d + c) * K + k]);
            }
        }
        write_channels(output + first + static_cast<size_t>(l) * D, sum);
    }
}

__global__ void convolve_any(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K,
                             long long items)
{
    long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= items)
        return;
    int d = i % D, l = i / D % L;
    float sum = bias[d];
    for (int k = 0; k < K && k <= l; k++)
        sum += x[i - static_cast<long long>(k) * D] * weight[d * K + k];
    output[i] = sum;
}

// The other sizes than those that the templates are for have a plain kernel.
extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    if (D % CHANNELS != 0 || (FILTER == FILTER_CONSTANT && D * K > CONSTANT_TAPS)) {
        long long items = static_cast<long long>(B) * L * D;
        convolve_any<<<(items + 255) / 256, 256>>>(x, weight, bias, output, L, D, K, items);
        cudaDeviceSynchronize();
        return;
    }
    long long items = static_cast<long long>(B) * (D / CHANNELS) * ((L + OUTPUTS_X - 1) / OUTPUTS_X);
    if (FILTER == FILTER_CONSTANT)
        cudaMemcpyToSymbol(c_filter, weight, D * K * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    in_launches(static_cast<int>((items + THREADS - 1) / THREADS), [&](int first, int blocks) {
        convolve<<<blocks, dim3(BLOCK_X, BLOCK_Y)>>>(x, weight, bias, output, L, D, K, items, first);
    });
    cudaDeviceSynchronize();
}
