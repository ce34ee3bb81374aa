// expect: Run-Time Error
// Mistake: the description of the texture's memory is not cleared first. Its flags, which must be zero, are what the stack
// held before.
// on cuda: Run-Time Error, Wrong Answer
// problem: conv1d
#include <cuda_runtime.h>

__global__ void convolve(cudaTextureObject_t input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += tex1Dfetch<float>(input, i + k) * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    cudaResourceDesc resource;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void*)input;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = input_size * sizeof(float);
    cudaTextureDesc description = {};
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);

    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(texture, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
}
