// problem: conv1d
// expect: Accepted
//
// Local arrays side by side, used up to their last elements: in a struct, where an index may lead from one member into the
// next; by a pointer that begins before an array; as rows of one array; as vectors; and by functions.
#include <cuda_runtime.h>

struct Piece {
    float window[4], taps[4];
};

__device__ __noinline__ void load(float* to, const float* from, int count)
{
    for (int k = 0; k < 4; k++)
        to[k] = k < count ? from[k] : 0.0f;
}

__device__ float in_a_struct(const float* input, const float* kernel, int count)
{
    Piece piece;
    for (int k = 0; k < 8; k++)
        piece.window[k] = k % 4 >= count ? 0.0f : k < 4 ? input[k] : kernel[k - 4];
    float sum = 0.0f;
    for (int k = 0; k < count; k++)
        sum += piece.taps[k] * piece.window[k];
    return sum;
}

__device__ float from_before(const float* input, const float* kernel, int count)
{
    float window[4], taps[4];
    load(window, input, count);
    load(taps, kernel, count);
    float *from_one = taps - 1, sum = 0.0f;
    for (int k = 1; k <= count; k++)
        sum += from_one[k] * window[k - 1];
    return sum;
}

__device__ float in_rows(const float* input, const float* kernel, int count)
{
    float rows[2][4];
    load(rows[0], input, count);
    load(rows[1], kernel, count);
    float sum = 0.0f;
    for (int k = 0; k < count; k++)
        sum += rows[0][k] * rows[0][k + 4];
    return sum;
}

__device__ float of_either(const float* input, const float* kernel, int count)
{
    float __align__(16) window[4], __align__(16) taps[4];
    float4 first = {0.0f, 0.0f, 0.0f, 0.0f};
    *reinterpret_cast<float4*>(window) = *reinterpret_cast<float4*>(taps) = first;
    for (int k = 0; k < 2 * count; k++) {
        float* either = k % 2 == 0 ? window : taps;
        either[k / 2] = k % 2 == 0 ? input[k / 2] : kernel[k / 2];
    }
    float sum = 0.0f;
    for (int k = count - 1; k >= 0; k--)
        sum += window[k] * taps[k];
    return sum;
}

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k += 4) {
        int count = min(4, kernel_size - k);
        switch (k / 4 % 4) {
        case 0: sum += in_a_struct(input + i + k, kernel + k, count); break;
        case 1: sum += from_before(input + i + k, kernel + k, count); break;
        case 2: sum += in_rows(input + i + k, kernel + k, count); break;
        default: sum += of_either(input + i + k, kernel + k, count); break;
        }
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
