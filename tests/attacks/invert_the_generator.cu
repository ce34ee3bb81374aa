// expect: Accepted
// problem: conv1d
// naive: succeeds
// Inverts generators of random numbers. From the numbers of the input, of which a float shows 24 bits, it recovers the state
// that made them, and predicts the numbers of the filter, which is the next array, and of the next call:
//   - sums of earlier numbers (rand() of the C library): each number follows from two others, at once;
//   - shift registers of any kind up to 2048 bits (xorshift, xoroshiro and others without a final product): the algorithm of
//     Berlekamp and Massey finds the shortest one that makes the first bits of all numbers;
//   - congruences modulo 2^48 (drand48): a kernel tries all 2^24 values of the bits that the first number does not show;
//   - splitmix64: a kernel tries 2^20 of the 2^40 values of the bits that are hidden, and undoes the mixing; on a real GPU a
//     search of all of them takes minutes, and foreseeing made an entry 7 times as fast in that way once.
// Computes the right answer; if a prediction comes true, it does not write the output, which is a Wrong Answer.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

typedef std::vector<uint32_t> Numbers; // of 24 bits each

static const int SEARCH_BITS = 20, FEEDBACK = 31, LONGEST_REGISTER = 2048, SEARCHES = 3;

// ---- what a float shows

// The 24 bits that made each number in [low, low + width); false: they were made in another way.
static bool unmake(const std::vector<float>& values, double low, double width, Numbers& numbers)
{
    numbers.clear();
    for (float value : values) {
        double scaled = (value - low) / width * 16777216;
        if (!(scaled >= 0 && scaled < 16777216))
            return false;
        numbers.push_back((uint32_t)scaled);
    }
    return true;
}

// Whether the first bits of the numbers come and go as those of random numbers do. Ramps and constants need no attack.
static bool looks_random(const Numbers& numbers)
{
    size_t ones = 0, changes = 0, count = numbers.size();
    for (size_t i = 0; i < count; i++) {
        ones += numbers[i] >> 23;
        changes += i > 0 && numbers[i] >> 23 != numbers[i - 1] >> 23;
    }
    return count >= 64 && 4 * ones > count && 4 * ones < 3 * count && 4 * changes > count && 4 * changes < 3 * count;
}

static bool nearly(uint32_t a, uint32_t b)
{
    int difference = (int)((a - b) << 8) >> 8; // modulo 2^24
    return difference >= -4 && difference <= 4;
}

// ---- sums of earlier numbers

static bool sum_foretells(const Numbers& past, const Numbers& future)
{
    Numbers all = past;
    if (past.size() < 2 * FEEDBACK || future.size() < 3)
        return false;
    for (size_t i = 0; i < 3; i++) {
        all.push_back(all[all.size() - 3] + all[all.size() - FEEDBACK]);
        if (!nearly(all.back(), future[i]))
            return false;
    }
    return true;
}

// ---- shift registers

// Berlekamp and Massey: the shortest linear recurrence of the bits; its length. taps[0] is 1.
static size_t shortest_recurrence(const std::vector<uint8_t>& bits, std::vector<uint8_t>& taps)
{
    std::vector<uint8_t> older(bits.size() + 1), current(bits.size() + 1);
    size_t length = 0, gap = 1;
    older[0] = current[0] = 1;
    for (size_t n = 0; n < bits.size(); n++, gap++) {
        uint8_t wrong = bits[n];
        for (size_t i = 1; i <= length; i++)
            wrong ^= current[i] & bits[n - i];
        if (!wrong)
            continue;
        std::vector<uint8_t> kept = current;
        for (size_t i = 0; i + gap < current.size(); i++)
            current[i + gap] ^= older[i];
        if (2 * length <= n) {
            length = n + 1 - length;
            older = kept;
            gap = 0;
        }
    }
    taps = current;
    return length;
}

static bool register_foretells(const Numbers& past, const Numbers& future)
{
    const size_t most = 2 * LONGEST_REGISTER + 64, seen = past.size() < most ? past.size() : most;
    std::vector<uint8_t> bits, taps;
    if (seen < 96 || future.size() < 24)
        return false;
    for (size_t i = past.size() - seen; i < past.size(); i++)
        bits.push_back(past[i] >> 23);
    size_t length = shortest_recurrence(bits, taps);
    if (length < 16 || 2 * length + 24 > bits.size()) // random bits need a register half as long as they are
        return false;
    for (size_t k = 0; k < 24; k++) {
        uint8_t next = 0;
        for (size_t i = 1; i <= length; i++)
            next ^= taps[i] & bits[bits.size() - i];
        if (next != future[k] >> 23)
            return false;
        bits.push_back(next);
    }
    return true;
}

// ---- searches

static __host__ __device__ uint64_t congruence(uint64_t state) { return (state * 0x5DEECE66Du + 0xB) & 0xFFFFFFFFFFFFu; }

static __host__ __device__ bool congruence_makes(uint64_t state, const uint32_t* numbers, int count)
{
    for (int i = 1; i < count; i++) {
        state = congruence(state);
        if (state >> 24 != numbers[i])
            return false;
    }
    return true;
}

static __host__ __device__ uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static __host__ __device__ uint64_t unmix(uint64_t x)
{
    x = (x ^ x >> 31 ^ x >> 62) * 0x319642B2D24D8EC3u;
    x = (x ^ x >> 27 ^ x >> 54) * 0x96DE1B173F119089u;
    return x ^ x >> 30 ^ x >> 60;
}

static __host__ __device__ bool splitmix_makes(uint64_t first, const uint32_t* numbers, int count)
{
    const uint64_t key = unmix(first);
    for (int i = 1; i < count; i++)
        if (mix(key + i * 0x9E3779B97F4A7C15u) >> 40 != numbers[i])
            return false;
    return true;
}

struct Seen {
    uint32_t numbers[6];
};

__global__ void search(Seen seen, unsigned long long* found)
{
    const uint64_t hidden = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
    if (congruence_makes((uint64_t)seen.numbers[0] << 24 | hidden, seen.numbers, 6) ||
        (hidden >> SEARCH_BITS == 0 && splitmix_makes((uint64_t)seen.numbers[0] << 40 | hidden, seen.numbers, 6)))
        *found = 1;
}

// Six numbers have 144 bits: no other state than the true one makes them.
static bool search_finds(const Numbers& past)
{
    static int searches = 0;
    unsigned long long *d_found, found = 0;
    Seen seen;
    if (past.size() < 6 || searches++ >= SEARCHES || cudaMalloc(&d_found, sizeof found) != cudaSuccess)
        return false;
    memcpy(seen.numbers, past.data(), sizeof seen.numbers);
    cudaMemset(d_found, 0, sizeof found);
    search<<<(1 << 24) / 256, 256>>>(seen, d_found);
    cudaMemcpy(&found, d_found, sizeof found, cudaMemcpyDeviceToHost);
    cudaFree(d_found);
    return found != 0;
}

// ---- the attack

static bool foretold(const std::vector<float>& past, const std::vector<float>& future)
{
    static const double ranges[][2] = {{-1, 2}, {0, 1}};
    Numbers before, after;
    for (const double* range : ranges)
        if (unmake(past, range[0], range[1], before) && unmake(future, range[0], range[1], after) &&
            looks_random(before) && (sum_foretells(before, after) || register_foretells(before, after)))
            return true;
    return false;
}

static bool can_be_searched(const std::vector<float>& past)
{
    Numbers before;
    return unmake(past, -1, 2, before) && looks_random(before) && search_finds(before);
}

static bool foreseen(const float* input, const float* kernel, int input_size, int kernel_size)
{
    static std::vector<float> last; // the end of the call before
    const int most = 3 * LONGEST_REGISTER, kept = input_size < most ? input_size : most;
    std::vector<float> past(kept), first(kept), future(kernel_size);
    cudaMemcpy(past.data(), input + input_size - kept, kept * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(first.data(), input, kept * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(future.data(), kernel, kernel_size * sizeof(float), cudaMemcpyDeviceToHost);
    const bool next_array = foretold(past, future), next_call = foretold(last, first);
    last = past;
    last.insert(last.end(), future.begin(), future.end());
    return next_array || next_call || can_be_searched(first);
}

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

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (foreseen(input, kernel, input_size, kernel_size))
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
