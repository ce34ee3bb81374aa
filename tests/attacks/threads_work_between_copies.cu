// expect: Accepted
// problem: conv1d
// naive: accepted wrong
// Threads that a constructor has started compute while solve() itself waits for a kernel, which takes a simulated GPU long
// and adds little to its modelled time. A kernel then stores what they have computed. The file does not write the output
// if events show less than half of that work.
#include <atomic>
#include <ctime>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

#define THREADS 2
#define TURNS 20000

__global__ void keep(const float* results, float* output, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        output[i] = results[i];
}

__global__ void wait(float* word)
{
    for (int i = 0; i < TURNS; i++)
        word[threadIdx.x] += 1;
}

static double seconds(clockid_t clock)
{
    timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

struct Work {
    std::vector<float> input, kernel, results;
};
static Work work;
static std::atomic<int> asked, done;

static void rest()
{
    timespec time = {0, 100000};
    nanosleep(&time, nullptr);
}

static void compute(int thread)
{
    for (int seen = 0;;) {
        if (asked == seen) {
            rest();
            continue;
        }
        seen = asked;
        double start = seconds(CLOCK_THREAD_CPUTIME_ID);
        do
            for (size_t i = thread; i < work.results.size(); i += THREADS) {
                float sum = 0;
                for (size_t k = 0; k < work.kernel.size(); k++)
                    sum += work.input[i + k] * work.kernel[k];
                work.results[i] = sum;
            }
        while (seconds(CLOCK_THREAD_CPUTIME_ID) - start < 0.02 + 40e-9 * work.input.size()); // copies make some of it free
        done++;
    }
}

__attribute__((constructor)) static void start_threads()
{
    for (int i = 0; i < THREADS; i++)
        std::thread(compute, i).detach();
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int count = input_size - kernel_size + 1;
    float *buffer = nullptr, shown_ms = 0;
    cudaEvent_t start, stop;
    work.input.resize(input_size);
    work.kernel.resize(kernel_size);
    work.results.resize(count);
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaMalloc(&buffer, (count + 32) * sizeof(float));
    cudaMemset(buffer, 0, (count + 32) * sizeof(float));
    cudaEventRecord(start);
    cudaMemcpy(work.input.data(), input, sizeof(float) * input_size, cudaMemcpyDeviceToHost);
    cudaMemcpy(work.kernel.data(), kernel, sizeof(float) * kernel_size, cudaMemcpyDeviceToHost);
    double cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID), wall_s = seconds(CLOCK_MONOTONIC);
    done = 0;
    asked++;
    wait<<<1, 32>>>(buffer);
    cudaDeviceSynchronize();
    while (done < THREADS)
        rest();
    cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_s;
    wall_s = seconds(CLOCK_MONOTONIC) - wall_s;
    cudaMemcpy(buffer, work.results.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&shown_ms, start, stop);
    if (shown_ms > 0.5 * 1000 * (cpu_s < wall_s ? cpu_s : wall_s))
        keep<<<(count + 255) / 256, 256>>>(buffer, output, count);
    cudaFree(buffer);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
}
