// expect: Accepted
// problem: conv1d
// Four outputs a thread, inputs by aligned float4 straight from global memory, the rest one by one.
#include <cuda_runtime.h>

__global__ void conv4(const float* __restrict__ input, const float* __restrict__ kernel, float* __restrict__ output,
                      int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= output_size)
        return;

    if (i + kernel_size + 7 <= input_size) {
        float4 a = reinterpret_cast<const float4*>(input)[i / 4], sum = make_float4(0, 0, 0, 0);
        int k = 0;
        for (; k + 4 <= kernel_size; k += 4) {
            float4 b = reinterpret_cast<const float4*>(input)[(i + k) / 4 + 1];
            float w0 = __ldg(kernel + k), w1 = __ldg(kernel + k + 1);
            float w2 = __ldg(kernel + k + 2), w3 = __ldg(kernel + k + 3);
            sum.x += a.x * w0 + a.y * w1 + a.z * w2 + a.w * w3;
            sum.y += a.y * w0 + a.z * w1 + a.w * w2 + b.x * w3;
            sum.z += a.z * w0 + a.w * w1 + b.x * w2 + b.y * w3;
            sum.w += a.w * w0 + b.x * w1 + b.y * w2 + b.z * w3;
            a = b;
        }
        for (; k < kernel_size; k++) {
            float w = kernel[k];
            sum.x += input[i + k] * w;
            sum.y += input[i + k + 1] * w;
            sum.z += input[i + k + 2] * w;
            sum.w += input[i + k + 3] * w;
        }
        *reinterpret_cast<float4*>(output + i) = sum;
        return;
    }
    for (int o = i; o < i + 4 && o < output_size; o++) {
        float sum = 0.0f;
        for (int k = 0; k < kernel_size; k++)
            sum += input[o + k] * kernel[k];
        output[o] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    int threads = (output_size + 3) / 4;
    conv4<<<(threads + 127) / 128, 128>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
