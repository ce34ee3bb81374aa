// expect: Accepted
// problem: conv1d
// naive: accepted wrong
// The host computes the second half of the output, and a kernel stores what the host has copied to the device. Whether bytes
// were computed by a kernel cannot be seen then, but the host's work must be inside the time. The file does not write the
// output if events show less than half of that work.
#include <ctime>
#include <cuda_runtime.h>
#include <vector>

// More than the judge lets pass for small work and for copies; the largest arrays would take too long.
static double work_seconds(size_t bytes) { return bytes > 10e6 ? 0 : 0.02 + 20e-9 * bytes; }

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

__global__ void keep(const float* results, float* output, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        output[i] = results[i];
}

static double seconds(clockid_t clock)
{
    timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

// The outputs from `from` on; again and again, so that there is something to measure.
static void on_the_host(const std::vector<float>& input, const std::vector<float>& kernel, int from,
                        std::vector<float>& results)
{
    double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    do
        for (size_t i = 0; i < results.size(); i++) {
            results[i] = 0;
            for (size_t k = 0; k < kernel.size(); k++)
                results[i] += input[from + i + k] * kernel[k];
        }
    while (seconds(CLOCK_PROCESS_CPUTIME_ID) - start < work_seconds(input.size() * sizeof(float)));
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int count = input_size - kernel_size + 1, half = count / 2;
    std::vector<float> h_input(input_size), h_kernel(kernel_size), results(count - half);
    float *buffer = nullptr, shown_ms = 0;
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaMalloc(&buffer, results.size() * sizeof(float));
    cudaEventRecord(start);
    cudaMemcpy(h_input.data(), input, sizeof(float) * h_input.size(), cudaMemcpyDeviceToHost);
    cudaMemcpy(h_kernel.data(), kernel, sizeof(float) * h_kernel.size(), cudaMemcpyDeviceToHost);
    if (half > 0)
        convolve<<<(half + 255) / 256, 256>>>(input, kernel, output, half + kernel_size - 1, kernel_size);
    on_the_host(h_input, h_kernel, half, results);
    cudaMemcpy(buffer, results.data(), results.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&shown_ms, start, stop);
    if (shown_ms > 0.5 * 1000 * work_seconds(h_input.size() * sizeof(float)))
        keep<<<(count - half + 255) / 256, 256>>>(buffer, output + half, count - half);
    cudaFree(buffer);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
}
