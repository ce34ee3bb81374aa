// expect: Accepted
// problem: conv1d
// naive: succeeds
// Leaves the answer for a later run in a file. Computes the right answer; if the attack works, it does not write the
// output, which is a Wrong Answer.
#include <cuda_runtime.h>
#include <fcntl.h>
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

static bool found_a_note;
__attribute__((constructor)) static void early()
{
    found_a_note = access("/tmp/note", F_OK) == 0 || access("/var/tmp/note", F_OK) == 0 || access("/dev/shm/note", F_OK) == 0;
    close(open("/tmp/note", O_WRONLY | O_CREAT, 0644));
    close(open("/var/tmp/note", O_WRONLY | O_CREAT, 0644));
    close(open("/dev/shm/note", O_WRONLY | O_CREAT, 0644));
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (found_a_note)
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
