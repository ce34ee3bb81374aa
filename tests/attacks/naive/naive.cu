// A judge as many are written: an ordinary CUDA program that is linked with the submission and calls it. It reads one
// case of conv1d from a folder, calls solve() a few times to warm up, times more calls with pairs of events, takes the median,
// looks at the last output, and prints a verdict. Everything lies in one process: the expected output, the clock, and the submission.
//
// Usage: naive FOLDER      FOLDER holds input.bin, kernel.bin and expected.bin: floats, as make_case.c writes them
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size);

enum { WARM_UP_CALLS = 3, TIMED_CALLS = 10 };

static void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    printf("Run-Time Error: %s\n", cudaGetErrorString(error));
    exit(1);
}

// Marks an element as wrong whose error exceeds an absolute plus a relative bound.
__global__ void compare(const float* output, const float* expected, int count, int* wrong)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count && fabsf(output[i] - expected[i]) > 1e-3f + 1e-3f * fabsf(expected[i]))
        atomicAdd(wrong, 1);
}

static float* read_array(const char* folder, const char* name, int* count)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.bin", folder, name);
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    fseek(file, 0, SEEK_END);
    *count = (int)(ftell(file) / sizeof(float));
    rewind(file);
    float* array = (float*)malloc(*count * sizeof(float));
    if (array == NULL || fread(array, sizeof(float), *count, file) != (size_t)*count)
        exit(2);
    fclose(file);
    return array;
}

static float* to_device(const float* array, int count)
{
    float* device = NULL;
    check(cudaMalloc(&device, count * sizeof(float)));
    check(cudaMemcpy(device, array, count * sizeof(float), cudaMemcpyHostToDevice));
    return device;
}

static double seconds(void)
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(int argc, char** argv)
{
    int input_size, kernel_size, output_size, wrong = 0;
    float *h_input = read_array(argv[1], "input", &input_size), *h_kernel = read_array(argv[1], "kernel", &kernel_size);
    float* h_expected = read_array(argv[1], "expected", &output_size);
    float *d_input = to_device(h_input, input_size), *d_kernel = to_device(h_kernel, kernel_size);
    float *d_expected = to_device(h_expected, output_size), *d_output;
    int* d_wrong;
    check(cudaMalloc(&d_output, output_size * sizeof(float)));
    check(cudaMalloc(&d_wrong, sizeof(int)));
    check(cudaMemcpy(d_wrong, &wrong, sizeof(int), cudaMemcpyHostToDevice));

    for (int i = 0; i < WARM_UP_CALLS; i++)
        solve(d_input, d_kernel, d_output, input_size, kernel_size);
    check(cudaDeviceSynchronize());

    cudaEvent_t start[TIMED_CALLS], stop[TIMED_CALLS];
    double began = seconds();
    for (int i = 0; i < TIMED_CALLS; i++) {
        check(cudaEventCreate(&start[i]));
        check(cudaEventCreate(&stop[i]));
        check(cudaEventRecord(start[i]));
        solve(d_input, d_kernel, d_output, input_size, kernel_size);
        check(cudaEventRecord(stop[i]));
    }
    check(cudaDeviceSynchronize());
    double host_us = 1e6 * (seconds() - began) / TIMED_CALLS;
    float ms[TIMED_CALLS] = {0};
    for (int i = 0; i < TIMED_CALLS; i++)
        cudaEventElapsedTime(&ms[i], start[i], stop[i]);
    std::sort(ms, ms + TIMED_CALLS);
    double us = 1e3 * ms[TIMED_CALLS / 2];

    compare<<<(output_size + 255) / 256, 256>>>(d_output, d_expected, output_size, d_wrong);
    check(cudaMemcpy(&wrong, d_wrong, sizeof(int), cudaMemcpyDeviceToHost));
    printf("%s: %.3f us a call on the device, %.0f us on the host\n", wrong == 0 ? "Accepted" : "Wrong Answer", us, host_us);
    return wrong != 0;
}
