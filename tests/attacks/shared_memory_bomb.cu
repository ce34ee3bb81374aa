// expect: Accepted
// problem: conv1d
// naive: succeeds
// Takes memory that no process is charged for: shared memory, System V memory, files in memory. Computes the right
// answer; if the attack works, it does not write the output, which is a Wrong Answer.
#include <cuda_runtime.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/ipc.h>
#include <fcntl.h>

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

static bool shared_memory_can_be_had()
{
    int zero = open("/dev/zero", O_RDWR);
    return mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED ||
           (zero >= 0 && mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, zero, 0) != MAP_FAILED) ||
           shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0 || memfd_create("bomb", 0) >= 0;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (shared_memory_can_be_had())
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
