// expect: Accepted
// problem: conv3d
// advice: constant_filter
// case: 2
// sketch: __constant__ float c_w[MOST_TAPS]; // as many as the statement allows
// All threads of a warp load the same tap from global memory, one load for four multiply-adds.
#include <cuda_runtime.h>

constexpr int EACH = 4; // planes of the output, one behind the other

__global__ void conv(const float* __restrict__ in, const float* __restrict__ w, float* out, int D, int H, int W, int KD, int KH,
                     int KW)
{
    int OD = D - KD + 1, OH = H - KH + 1, OW = W - KW + 1;
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * EACH;
    if (x >= OW || y >= OH)
        return;
    float acc[EACH] = {};
    for (int d = 0; d < KD; d++)
        for (int h = 0; h < KH; h++)
            for (int k = 0; k < KW; k++) {
                float tap = w[(d * KH + h) * KW + k]; // here
#pragma unroll
                for (int o = 0; o < EACH; o++)
                    acc[o] += in[(min(z + o + d, D - 1) * H + y + h) * W + x + k] * tap;
            }
#pragma unroll
    for (int o = 0; o < EACH; o++)
        if (z + o < OD)
            out[((z + o) * OH + y) * OW + x] = acc[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int OD = input_depth - kernel_depth + 1, OH = input_rows - kernel_rows + 1, OW = input_cols - kernel_cols + 1;
    dim3 threads(32, 8);
    dim3 blocks((OW + 31) / 32, (OH + 7) / 8, (OD + EACH - 1) / EACH);
    conv<<<blocks, threads>>>(input, kernel, output, input_depth, input_rows, input_cols, kernel_depth, kernel_rows,
                              kernel_cols);
    cudaDeviceSynchronize();
}
