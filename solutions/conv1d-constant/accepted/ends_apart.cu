// problem: conv1d-constant
//
// several kernels: one for the outputs without ghost cells, whose loop tests nothing and takes 4 outputs per thread
// from registers, and one for the few at the two ends. They run on two streams, and each call uses one of two filters
// in constant memory in turn, so that a copy need not wait for the kernels of the previous call.
// Operations per byte read through the cache, for S outputs per thread: 2 S / 4, here 2.
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
    // also right: `.x` to `.y`: at most 129 outputs are at the ends, and 128 threads of each of two blocks that begin
    // one apart are enough for them
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
    // also right: guard left out: new streams for each call, or the default stream in place of one, serve as well: the
    // host waits for both kernels
    if (calls == 0)
        // also right: `(int s = 0;` to `(int s = 1;`, `s <` to `s + 1 <`: new streams for each call, or the default
        // stream in place of one, serve as well: the host waits for both kernels
        // also right: `<` to `<=`: undefined, but of no effect: a third stream is put behind the array, where no more
        // than the count of calls lies, which may begin anywhere
        for (int s = 0; s < 2; s++)
            // also right: `s` to `(2 - 1 - s)`: it makes the same two streams in the other order
            cudaStreamCreate(&streams[s]);
    int which = calls++ % 2;

    int radius = filter_width / 2; // also right: swapped sizes: the kernel for the ends computes all outputs then
    // also right: `max(width - 2 * radius, 0)` to `(0)`, swapped sizes: the kernel for the ends computes all outputs
    // then
    int inside = max(width - 2 * radius, 0) / OUTPUTS * OUTPUTS; // outputs of the first kernel
    int left = inside == 0 ? 0 : radius;
    int right = left + inside;
    int ends = width - inside; // also right: halo: blocks too many leave at the check against the width
    cudaMemcpyToSymbolAsync(c_filters, filter, filter_width * sizeof(float),
                            which * MAX_FILTER_WIDTH * sizeof(float), cudaMemcpyDeviceToDevice, streams[0]);
    cudaStreamSynchronize(streams[0]);
    // also right: guard left out, `>` to `>=`: a launch of no blocks does nothing, and nobody reads its error
    // also right: `inside >` to `inside - 1 >`: the number of outputs inside is a multiple of four
    if (inside > 0)
        convolve_inside<<<(inside / OUTPUTS + 127) / 128, 128, 0, streams[0]>>>(input, output, width, filter_width, which);
    // also right: guard left out, `>` to `>=`: a launch of no blocks does nothing, and nobody reads its error
    if (ends > 0)
        // also right: `<<<(ends + 127) / 128, 128` to `<<<128, (ends + 127) / 128`: at most 129 outputs are at the
        // ends, and blocks of two threads are enough for them
        convolve_ends<<<(ends + 127) / 128, 128, 0, streams[1]>>>(input, output, width, filter_width, left, right, which);
    cudaStreamSynchronize(streams[0]);
    cudaStreamSynchronize(streams[1]);
}
