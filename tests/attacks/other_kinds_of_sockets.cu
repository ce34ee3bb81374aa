// expect: Accepted
// problem: conv1d
// naive: succeeds
// Opens sockets that network namespaces do not hold back: to the hypervisor, to the kernel, to its crypto functions, raw
// packets. Computes the right answer; if one can be opened, it does not write the output, which is a Wrong Answer.
#include <cuda_runtime.h>
#include <sys/socket.h>
#include <linux/netlink.h>

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

static bool opens_one()
{
    static const int families[][2] = {{AF_VSOCK, SOCK_STREAM}, {AF_NETLINK, SOCK_RAW}, {AF_ALG, SOCK_SEQPACKET},
                                      {AF_PACKET, SOCK_RAW}, {AF_INET6, SOCK_DGRAM}, {AF_BLUETOOTH, SOCK_RAW}};
    for (const int* family : families)
        if (socket(family[0], family[1], 0) >= 0)
            return true;
    return false;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static bool opened = opens_one();
    if (opened)
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
