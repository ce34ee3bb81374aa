// expect: Run-Time Error
// on cuda: Accepted, Run-Time Error
// problem: conv1d
// naive: does not apply: the simulated GPU keeps no time stamps in device memory
// naive on cuda: accepted faster
// The driver keeps the timestamps of events at a fixed address that every kernel of the context can write. After the work
// a kernel sets every recent timestamp to the present, so the events show a short time. Untimed calls do not show that;
// in timed calls the host's clock does (tests/gpu.sh). On other devices the address holds nothing.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

__global__ void forge()
{
    volatile unsigned long long* stamps = (volatile unsigned long long*)0x204800000ull;
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    for (int i = threadIdx.x; i < (2 << 20) / 8; i += blockDim.x) {
        unsigned long long stamp = stamps[i];
        if (stamp < now && now - stamp < 1000000000ull)
            stamps[i] = now;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    forge<<<1, 1024>>>();
    cudaDeviceSynchronize();
}
