// expect: Accepted
// problem: conv1d
// naive: does not apply: the sandbox around the naive judge has the same limit without a GPU
// naive on cuda: no verdict
// Starts threads with a stack of 1 GiB each, and touches a part of each. The limit on memory must end this before 3 GiB.
#include <cuda_runtime.h>
#include <pthread.h>
#include <unistd.h>

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

static void* touch(void*)
{
    volatile char* stack = (volatile char*)__builtin_frame_address(0);
    for (size_t at = 65536; at < 4 << 20; at += 4096)
        stack[-(ptrdiff_t)at] = 1;
    usleep(100000);
    return nullptr;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static int calls;
    pthread_t threads[3];
    pthread_attr_t attributes;
    int count = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1ul << 30);
    while (calls == 0 && count < 3 && pthread_create(&threads[count], &attributes, touch, nullptr) == 0)
        count++;
    if (count == 3)
        _exit(1);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], nullptr);
    calls++;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
