// Mistake: one block for the outputs near the ends: there are up to 126, and up to 3 that are left of groups of four.
// problem: conv1d-constant
#include <cuda_runtime.h>

#define OUTPUTS 4
#define MAX_FILTER_WIDTH 127

__constant__ float c_filters[2][MAX_FILTER_WIDTH];

__global__ void convolve_inside(const float* input, float* output, int width, int filter_width, int which)
{
    int radius = filter_width / 2;
    int i = radius + (blockIdx.x * blockDim.x + threadIdx.x) * OUTPUTS;
    if (i + OUTPUTS > width - radius)
        return;

    float sum[OUTPUTS] = {0.0f};
    float window[OUTPUTS];
#pragma unroll
    for (int o = 0; o < OUTPUTS - 1; o++)
        window[o] = input[i - radius + o];
#pragma unroll 4
    for (int k = 0; k < filter_width; k++) {
        window[OUTPUTS - 1] = input[i - radius + k + OUTPUTS - 1];
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            sum[o] += window[o] * c_filters[which][k];
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = window[o + 1];
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        output[i + o] = sum[o];
}

// Outputs [0, left) and [right, width).
__global__ void convolve_ends(const float* input, float* output, int width, int filter_width, int left, int right,
                              int which)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= left)
        i += right - left;
    if (i >= width)
        return;

    int first = i - filter_width / 2;
    int end = min(filter_width, width - first);
    float sum = 0.0f;
    for (int k = max(0, -first); k < end; k++)
        sum += input[first + k] * c_filters[which][k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    static cudaStream_t streams[2];
    static int calls = 0;
    if (calls == 0)
        for (int s = 0; s < 2; s++)
            cudaStreamCreate(&streams[s]);
    int which = calls++ % 2;

    int radius = filter_width / 2;
    int inside = max(width - 2 * radius, 0) / OUTPUTS * OUTPUTS; // outputs of the first kernel
    int left = inside == 0 ? 0 : radius;
    int right = left + inside;
    int ends = width - inside;
    cudaMemcpyToSymbolAsync(c_filters, filter, filter_width * sizeof(float),
                            which * MAX_FILTER_WIDTH * sizeof(float), cudaMemcpyDeviceToDevice, streams[0]);
    cudaStreamSynchronize(streams[0]);
    if (inside > 0)
        convolve_inside<<<(inside / OUTPUTS + 127) / 128, 128, 0, streams[0]>>>(input, output, width, filter_width, which);
    if (ends > 0) // at most 126 with a neighbour beyond an end
        convolve_ends<<<1, 128, 0, streams[1]>>>(input, output, width, filter_width, left, right, which);
    cudaStreamSynchronize(streams[0]);
    cudaStreamSynchronize(streams[1]);
}
