// expect: Accepted
// problem: conv1d
// Asks the runtime about streams, kernels, host memory and peers, and gives up where an answer is not CUDA's.
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define CHECK(condition)                                                                                               \
    if (!(condition))                                                                                                  \
    abort()
#define OK(call) CHECK((call) == cudaSuccess)

__global__ void conv(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

static void check_streams()
{
    cudaStream_t streams[2];
    unsigned flags = 9;
    int priority = 9;
    unsigned long long ids[2];
    OK(cudaStreamCreateWithPriority(&streams[0], cudaStreamNonBlocking, -100));
    OK(cudaStreamCreate(&streams[1]));
    OK(cudaStreamGetFlags(streams[0], &flags));
    CHECK(flags == cudaStreamNonBlocking);
    OK(cudaStreamGetPriority(streams[0], &priority));
    CHECK(priority == -5);
    OK(cudaStreamGetFlags(streams[1], &flags));
    CHECK(flags == cudaStreamDefault);
    OK(cudaStreamGetPriority(0, &priority));
    CHECK(priority == 0);
    OK(cudaStreamGetId(streams[0], &ids[0]));
    OK(cudaStreamGetId(streams[1], &ids[1]));
    CHECK(ids[0] != ids[1]);
    OK(cudaStreamDestroy(streams[0]));
    OK(cudaStreamDestroy(streams[1]));
}

static void check_kernel()
{
    const char* name = nullptr;
    size_t offset = 0, bytes = 0;
    OK(cudaFuncGetName(&name, conv));
    CHECK(strstr(name, "conv") != nullptr);
    OK(cudaFuncGetParamInfo((const void*)conv, 4, &offset, &bytes));
    CHECK(offset == 28 && bytes == 4);
    CHECK(cudaFuncGetParamInfo((const void*)conv, 5, &offset, &bytes) == cudaErrorInvalidValue);
}

static void check_device()
{
    int can = 1;
    size_t elements = 0;
    unsigned flags = 9;
    void *pinned = nullptr, *first = nullptr, *second = nullptr;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    OK(cudaDeviceCanAccessPeer(&can, 0, 0));
    CHECK(can == 0 && cudaDeviceCanAccessPeer(&can, 0, 1) == cudaErrorInvalidDevice);
    OK(cudaDeviceGetTexture1DLinearMaxWidth(&elements, &channels, 0));
    CHECK(elements >= 1 << 27);

    OK(cudaHostAlloc(&pinned, 64, cudaHostAllocPortable));
    OK(cudaHostGetFlags(&flags, pinned));
    CHECK((flags & cudaHostAllocPortable) != 0);
    OK(cudaMalloc(&first, 64));
    OK(cudaMalloc(&second, 64));
    OK(cudaMemset(first, 7, 64));
    OK(cudaMemcpyPeer(second, 0, first, 0, 64));
    OK(cudaMemcpyPeerAsync(first, 0, second, 0, 64));
    CHECK(cudaMemcpyPeer(second, 1, first, 0, 64) == cudaErrorInvalidDevice);
    OK(cudaMemcpy(pinned, first, 64, cudaMemcpyDeviceToHost));
    CHECK(((unsigned char*)pinned)[63] == 7);
    OK(cudaFree(first));
    OK(cudaFree(second));
    OK(cudaFreeHost(pinned));
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    check_streams();
    check_kernel();
    check_device();
    conv<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
