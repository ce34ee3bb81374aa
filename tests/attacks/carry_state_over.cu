// expect: Accepted
// problem: conv1d
// naive: does not apply: the naive judge has only one case, and replay.cu tries to keep its output
// Carries state from one group of cases into the next: from the sample cases, which it knows, into hidden ones, and from these
// into timed ones, so that a table could be made where nobody looks at the clock. It leaves a mark in a static
// variable, on the heap, in the environment, in /tmp, in __device__ and __constant__ variables, in device memory that it
// frees, in a CUDA array, and in memory that stays allocated. Computes the right answer; if a later group
// finds a mark, it does not write the output, which is a Wrong Answer.
#include <cuda_runtime.h>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

static const unsigned MARK_OF_SAMPLES = 0x5EED0001, MARK_OF_UNTIMED_CASES = 0x5EED0002;
static const int MARKED_WORDS = 1 << 18;

struct Marks {
    unsigned samples, untimed_cases;
};
static Marks of_host;
static Marks* of_heap;
__device__ Marks of_device;
__constant__ Marks of_constant;
static unsigned* kept; // device memory that is never freed

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

__global__ void leave(unsigned* memory, unsigned mark, bool is_sample)
{
    memory[blockIdx.x * blockDim.x + threadIdx.x] = mark;
    (is_sample ? of_device.samples : of_device.untimed_cases) = mark;
}

// The numbers of the first sample cases, which are printed in the statement.
static bool is_sample(const float* input, int input_size)
{
    static const float samples[][4] = {{1, 2, 4, 7}, {3, -1, 4, 1}, {1, 2, 3, 4}, {2, 4, 6, 9}};
    static const int sizes[] = {6, 5, 4, 8};
    float data[4];
    for (int i = 0; i < 4; i++)
        if (input_size == sizes[i]) {
            cudaMemcpy(data, input, sizeof data, cudaMemcpyDeviceToHost);
            if (memcmp(data, samples[i], sizeof data) == 0)
                return true;
        }
    return false;
}

// The sizes of timed cases, which every result shows.
static bool is_timed(int input_size, int kernel_size)
{
    static const int sizes[][2] = {{262144, 2047}, {500000, 127}, {2000000, 5}, {1500000, 2047}, {1500000, 127}, {16777216, 5}};
    for (const int* size : sizes)
        if (input_size == size[0] && kernel_size == size[1])
            return true;
    return false;
}

static void leave_marks(unsigned mark, bool is_sample)
{
    Marks marks = is_sample ? Marks{mark, 0} : Marks{of_host.samples, mark};
    of_host = marks;
    if (of_heap == nullptr)
        of_heap = new Marks();
    *of_heap = marks;
    cudaMemcpyToSymbol(of_constant, &marks, sizeof marks);
    setenv(is_sample ? "SAMPLES" : "UNTIMED_CASES", "1", 1);
    close(open(is_sample ? "/tmp/samples" : "/tmp/untimed_cases", O_WRONLY | O_CREAT, 0644));
    unsigned* freed;
    if (cudaMalloc(&freed, MARKED_WORDS * sizeof *freed) == cudaSuccess) {
        leave<<<MARKED_WORDS / 256, 256>>>(freed, mark, is_sample);
        cudaFree(freed);
    }
    if (kept == nullptr && cudaMalloc(&kept, MARKED_WORDS * sizeof *kept) == cudaSuccess)
        leave<<<MARKED_WORDS / 256, 256>>>(kept, mark, is_sample);
    cudaArray_t array;
    cudaChannelFormatDesc words = cudaCreateChannelDesc<unsigned>();
    if (cudaMallocArray(&array, &words, 1024) == cudaSuccess) {
        std::vector<unsigned> row(1024, mark);
        cudaMemcpy2DToArray(array, 0, 0, row.data(), 4096, 4096, 1, cudaMemcpyHostToDevice);
        cudaFreeArray(array);
    }
}

static bool finds(unsigned mark, bool of_samples)
{
    Marks device = {}, constant = {};
    cudaMemcpyFromSymbol(&device, of_device, sizeof device);
    cudaMemcpyFromSymbol(&constant, of_constant, sizeof constant);
    for (const Marks& marks : {of_host, of_heap == nullptr ? Marks{} : *of_heap, device, constant})
        if ((of_samples ? marks.samples : marks.untimed_cases) == mark)
            return true;
    if (getenv(of_samples ? "SAMPLES" : "UNTIMED_CASES") != nullptr ||
        access(of_samples ? "/tmp/samples" : "/tmp/untimed_cases", F_OK) == 0)
        return true;
    // Memory that nobody has written: is there a row of marks in it?
    std::vector<unsigned> words(MARKED_WORDS);
    unsigned* found;
    int row = 0;
    if (cudaMalloc(&found, 8 * MARKED_WORDS * sizeof *found) != cudaSuccess)
        return false;
    for (int i = 0; i < 8 && row < 16; i++) {
        cudaMemcpy(words.data(), found + i * MARKED_WORDS, MARKED_WORDS * sizeof *found, cudaMemcpyDeviceToHost);
        for (int k = 0; k < MARKED_WORDS && row < 16; k++)
            row = words[k] == mark ? row + 1 : 0;
    }
    cudaFree(found);
    return row >= 16;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    bool sample = is_sample(input, input_size), timed = is_timed(input_size, kernel_size);
    if (!sample && finds(MARK_OF_SAMPLES, true))
        return;
    if (timed && finds(MARK_OF_UNTIMED_CASES, false))
        return;
    if (!timed)
        leave_marks(sample ? MARK_OF_SAMPLES : MARK_OF_UNTIMED_CASES, sample);
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
