// Calls solutions one after the other, as a plan says, on a real GPU or on the simulated one: which of the two it is
// depends on what it was linked with, the CUDA runtime or cudart.c.
// Usage: driver PLAN            one call of each case, for a profiler; prints "case NAME" before each, "end" after it
//        driver PLAN SAMPLES    times each case instead: prints "NAME MICROSECONDS", the median
//        driver PLAN check      compares outputs instead: each case with the first one of its problem and number;
//                               prints "NAME differs by NUMBER" where they differ by more than rounding, and fails
//
// A line of the plan is a case: its name, a shared object that holds solve(), and an argument of solve() each:
// f:COUNT input of floats, b:COUNT input of bytes, o:BYTES output, i:VALUE int. Names hold no blanks.
//
// Timing is that of the judge (lab/measurements.md): twice the L2 is written before each sample, a kernel that waits
// holds the stream until all launches are queued, and the time ends with the first call that waits for the device.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

constexpr int MOST_ARGUMENTS = 12, WARM_UPS = 3;
constexpr long long HOLD_CYCLES = 200000; // 100 us at 2 GHz: longer than the host takes to queue a call's launches

// Integers travel in words as well as pointers do: System V ABI, "Parameter Passing".
using Words = std::vector<uint64_t>;
using Solve = void (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                       uint64_t, uint64_t, uint64_t);

static cudaEvent_t start, stop;
static bool stopped = true;

static void stop_clock()
{
    if (!stopped)
        cudaEventRecord(stop);
    stopped = true;
}

// Solutions find these before the runtime's own.
extern "C" cudaError_t cudaDeviceSynchronize()
{
    static const auto real = reinterpret_cast<cudaError_t (*)()>(dlsym(RTLD_NEXT, "cudaDeviceSynchronize"));
    stop_clock();
    return real != nullptr ? real() : cudaSuccess;
}

static void check(cudaError_t error, const char* what)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "driver: %s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

__global__ void hold(long long cycles)
{
    for (long long begin = clock64(); clock64() - begin < cycles;)
        ;
}

// The same numbers again and again, in pieces: an array may be far larger than what is worth drawing.
static uint64_t device_array(char kind, size_t count)
{
    constexpr size_t PIECE = 1 << 20;
    size_t size = kind == 'f' ? sizeof(float) : 1, drawn = std::min(count, PIECE);
    std::vector<unsigned char> values(drawn * size);
    uint32_t state = 1;
    for (size_t i = 0; kind != 'o' && i < drawn; i++) {
        state = state * 1664525 + 1013904223; // Numerical Recipes, "quick and dirty" generator
        float value = static_cast<float>(state >> 8) / (1 << 24);
        if (kind == 'f')
            std::memcpy(&values[i * size], &value, size);
        else
            values[i] = state >> 24;
    }
    char* array = nullptr;
    check(cudaMalloc(&array, count * size), "an array");
    for (size_t i = 0; i < count; i += PIECE)
        check(cudaMemcpy(array + i * size, values.data(), std::min(PIECE, count - i) * size, cudaMemcpyHostToDevice),
              "filling an array");
    return reinterpret_cast<uint64_t>(array);
}

static void call(Solve solve, const Words& w)
{
    stopped = false;
    solve(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11]);
    stop_clock();
}

static double sample_us(Solve solve, const Words& words, void* flush, size_t flush_bytes, int number)
{
    float ms = 0;
    check(cudaMemset(flush, number & 0xFF, flush_bytes), "emptying the L2");
    cudaDeviceSynchronize();
    hold<<<1, 1>>>(HOLD_CYCLES);
    cudaEventRecord(start);
    call(solve, words);
    check(cudaDeviceSynchronize(), "solve()");
    check(cudaEventElapsedTime(&ms, start, stop), "the time");
    return 1000.0 * ms;
}

static double median_us(Solve solve, const Words& words, int samples)
{
    static void* flush = nullptr;
    int l2_bytes = 0;
    cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0);
    size_t flush_bytes = 2 * static_cast<size_t>(l2_bytes);
    if (flush == nullptr) {
        check(cudaMalloc(&flush, flush_bytes), "memory of twice the L2");
    }
    std::vector<double> times;
    for (int i = -WARM_UPS; i < samples; i++) {
        double us = sample_us(solve, words, flush, flush_bytes, i);
        if (i >= 0)
            times.push_back(us);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

// The bytes of an output, made comparable: floats, or levels of colour.
static std::vector<float> read_output(uint64_t array, size_t bytes, bool of_bytes)
{
    std::vector<unsigned char> raw(bytes);
    check(cudaMemcpy(raw.data(), reinterpret_cast<void*>(array), bytes, cudaMemcpyDeviceToHost), "reading an output");
    if (of_bytes)
        return std::vector<float>(raw.begin(), raw.end());
    std::vector<float> values(bytes / sizeof(float));
    std::memcpy(values.data(), raw.data(), bytes);
    return values;
}

static bool all_agree = true;

// Sums of thousands of products in another order differ by some 1e-6 of the largest, levels by one.
static void compare_output(const std::string& name, const std::vector<float>& output, bool of_bytes)
{
    static std::map<std::string, std::vector<float>> first;
    std::string key = name.substr(0, name.find('/')) + name.substr(name.rfind('/'));
    if (first.count(key) == 0) {
        first.clear(); // of the case before, whose turn is over
        first[key] = output;
    }
    const std::vector<float>& expected = first[key];
    double largest = 0, worst = 0;
    for (size_t i = 0; i < output.size(); i++) {
        largest = std::max<double>(largest, std::fabs(expected[i]));
        worst = output[i] - expected[i] == output[i] - expected[i] ? std::max<double>(worst, std::fabs(output[i] - expected[i]))
                                                                   : HUGE_VAL;
    }
    if (!(worst <= (of_bytes ? 1 : 1e-4 * largest))) {
        std::printf("%s differs by %g of %g\n", name.c_str(), worst, largest);
        all_agree = false;
    }
}

static void run_case(const std::string& line, int samples, bool compares)
{
    std::istringstream parts(line);
    std::string name, library, argument;
    parts >> name >> library;
    void* object = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    Solve solve = object == nullptr ? nullptr : reinterpret_cast<Solve>(dlsym(object, "solve"));
    if (solve == nullptr) { // calls what cudart.c does not have: textures
        std::fprintf(stderr, "driver: %s is passed over: %s\n", name.c_str(), dlerror());
        return;
    }
    Words words;
    std::vector<uint64_t> arrays;
    uint64_t output = 0, output_bytes = 0;
    bool of_bytes = line.find(" b:") != std::string::npos;
    while (parts >> argument) {
        uint64_t number = std::strtoull(argument.c_str() + 2, nullptr, 10);
        if (argument[0] != 'i')
            arrays.push_back(number = device_array(argument[0], number));
        if (argument[0] == 'o') {
            output = number;
            output_bytes = std::strtoull(argument.c_str() + 2, nullptr, 10);
        }
        words.push_back(number);
    }
    words.resize(MOST_ARGUMENTS);
    if (compares) {
        call(solve, words);
        check(cudaDeviceSynchronize(), name.c_str());
        compare_output(name, read_output(output, output_bytes, of_bytes), of_bytes);
    } else if (samples > 0) {
        std::printf("%s %.3f\n", name.c_str(), median_us(solve, words, samples));
    } else {
        std::printf("case %s\n", name.c_str());
        std::fflush(stdout);
        call(solve, words);
        check(cudaDeviceSynchronize(), name.c_str());
        std::printf("end\n");
    }
    std::fflush(stdout);
    for (uint64_t array : arrays)
        cudaFree(reinterpret_cast<void*>(array));
}

int main(int argc, char** argv)
{
    std::ifstream plan(argc > 1 ? argv[1] : "");
    if (!plan) {
        std::fprintf(stderr, "usage: driver PLAN [SAMPLES]\n");
        return 2;
    }
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    bool compares = argc > 2 && std::strcmp(argv[2], "check") == 0;
    for (std::string line; std::getline(plan, line);)
        run_case(line, argc > 2 ? std::atoi(argv[2]) : 0, compares);
    return all_agree ? 0 : 1;
}
