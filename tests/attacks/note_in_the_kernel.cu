// expect: Accepted
// problem: conv1d
// naive: succeeds
// Leaves the answer for a later run in the kernel: in System V memory, in a message queue, in a key ring. Computes the
// right answer; if it can leave a note at all, it does not write the output, which is a Wrong Answer.
#include <cuda_runtime.h>
#include <mqueue.h>
#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
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

static bool leaves_a_note()
{
    mq_attr attributes = {};
    attributes.mq_maxmsg = 1;
    attributes.mq_msgsize = 16;
    return shmget(0x5EED, 4096, IPC_CREAT | 0600) >= 0 || msgget(0x5EED, IPC_CREAT | 0600) >= 0 || semget(0x5EED, 1, IPC_CREAT | 0600) >= 0 ||
           mq_open("/note", O_RDWR | O_CREAT, 0600, &attributes) >= 0 ||
           syscall(SYS_add_key, "user", "note", "answer", 6, -4 /* KEY_SPEC_USER_KEYRING */) >= 0;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static bool left = leaves_a_note();
    if (left)
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
