// The input is fetched through a texture of linear memory, taps are read from shared memory, two outputs for a thread.
// problem: conv1d
#include <cuda_runtime.h>

__global__ void convolve(cudaTextureObject_t input, const float* kernel, float* output, int outputs, int taps)
{
    __shared__ float s_taps[2047];
    for (int k = threadIdx.x; k < taps; k += blockDim.x)
        s_taps[k] = kernel[k];
    __syncthreads();
    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
    int j = i + blockDim.x;
    float a = 0.0f, b = 0.0f;
    for (int k = 0; k < taps; k++) {
        a += tex1Dfetch<float>(input, i + k) * s_taps[k];
        b += tex1Dfetch<float>(input, j + k) * s_taps[k];
    }
    if (i < outputs)
        output[i] = a;
    if (j < outputs)
        output[j] = b;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void*)input;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = input_size * sizeof(float);
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    int outputs = input_size - kernel_size + 1;
    convolve<<<(outputs + 511) / 512, 256>>>(texture, kernel, output, outputs, kernel_size);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
}
