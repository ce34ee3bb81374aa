// expect: Accepted
// problem: conv1d
// naive: succeeds
// Leaves a process in a session of its own, which would compute or listen while the next submission is judged. Computes
// the right answer; if such a process of an earlier run is still there, it does not write the output, which is a Wrong
// Answer.
#include <cuda_runtime.h>
#include <signal.h>
#include <stdio.h>
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

static bool survivor()
{
    int pid = 0;
    FILE* note = fopen("/tmp/daemon", "r");
    bool alive = note != nullptr && fscanf(note, "%d", &pid) == 1 && kill(pid, 0) == 0;
    if (note != nullptr)
        fclose(note);
    return alive;
}

static void start()
{
    if (fork() != 0)
        return;
    setsid();
    FILE* note = fopen("/tmp/daemon", "w");
    if (note != nullptr) {
        fprintf(note, "%d", getpid());
        fclose(note);
    }
    for (int file = 0; file < 1024; file++)
        close(file);
    sleep(20);
    _exit(0);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static bool found = survivor(), started;
    if (found)
        return;
    if (!started)
        start();
    started = true;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
