// expect: Accepted
// problem: conv1d
// naive: succeeds
// Foresees inputs. From the first numbers of a call's data it looks for the key that they were made from, among few enough
// keys for every call: those of small seeds and secrets, of an invertible generator (splitmix64, chained from the run to the
// call, the case and the array) and of ChaCha20 with a key that nobody kept secret. Computes the right answer; if the attack
// works, it does not write the output, which is a Wrong Answer.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstring>

static const int KEYS = 1024, GROUPS = 4, CASES = 40;

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static uint64_t bits(uint64_t key, uint64_t index) { return mix(key + (index + 1) * 0x9E3779B97F4A7C15u); }
static uint64_t part(uint64_t key, uint64_t number) { return bits(mix(key), number); }

static void quarter(uint32_t& a, uint32_t& b, uint32_t& c, uint32_t& d)
{
    a += b, d ^= a, d = d << 16 | d >> 16;
    c += d, b ^= c, b = b << 12 | b >> 20;
    a += b, d ^= a, d = d << 8 | d >> 24;
    c += d, b ^= c, b = b << 7 | b >> 25;
}

// Block `counter` of ChaCha20 (RFC 8439).
static void chacha(const uint32_t key[8], uint32_t counter, uint32_t n0, uint32_t n1, uint32_t n2, uint32_t block[16])
{
    uint32_t state[16] = {0x61707865, 0x3320646E, 0x79622D32, 0x6B206574};
    memcpy(state + 4, key, 32);
    state[12] = counter, state[13] = n0, state[14] = n1, state[15] = n2;
    uint32_t x[16];
    memcpy(x, state, sizeof x);
    for (int i = 0; i < 10; i++) {
        for (int j = 0; j < 4; j++)
            quarter(x[j], x[4 + j], x[8 + j], x[12 + j]);
        for (int j = 0; j < 4; j++)
            quarter(x[j], x[4 + (j + 1) % 4], x[8 + (j + 2) % 4], x[12 + (j + 3) % 4]);
    }
    for (int i = 0; i < 16; i++)
        block[i] = x[i] + state[i];
}

// Whether 24 random bits make this uniform number in [-1, 1), or this whole number from -9 to 9.
static bool makes(uint32_t word, float value)
{
    return (float)(-1 + 2 * ((double)(word >> 8) / (1 << 24))) == value ||
           (float)(-9 + (int64_t)((uint64_t)word * 19 >> 32)) == value;
}

static bool splitmix_made(uint64_t key, const float* data, int count)
{
    for (int i = 0; i < count; i++)
        if (!makes((uint32_t)(bits(key, i) >> 32), data[i]))
            return false;
    return true;
}

// The C library's generator, which many judges use.
static bool libc_made(uint32_t seed, const float* data, int count)
{
    char state[128];
    random_data generator = {};
    int32_t number;
    initstate_r(seed, state, sizeof state, &generator);
    for (int i = 0; i < count; i++)
        if (random_r(&generator, &number) != 0 || data[i] != (float)number / (float)RAND_MAX)
            return false;
    return true;
}

static bool chacha_made(const uint32_t key[8], const float* data, int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t block[16];
        chacha(key, i, 0, 0, 0, block);
        if (!makes(block[0], data[i]))
            return false;
    }
    return true;
}

static bool foreseen(const float* data, int count)
{
    for (uint32_t seed = 0; seed < KEYS; seed++) {
        uint32_t block[16], known[8] = {0}, secret[8] = {seed};
        if (splitmix_made(part(seed, 0), data, count) || libc_made(seed, data, count))
            return true;
        chacha(known, 0, 1, seed, 0, block);
        if (chacha_made(block, data, count))
            return true;
        chacha(secret, 0, 1, seed, 0, block);
        if (chacha_made(block, data, count))
            return true;
    }
    for (uint64_t run = 0; run < 16; run++)
        for (uint64_t group = 0; group < GROUPS; group++)
            for (uint64_t number = 1; number < CASES; number++)
                if (splitmix_made(part(part(run, group << 32 | number), 0), data, count))
                    return true;
    return false;
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
    float data[8];
    int count = input_size < 8 ? input_size : 8;
    cudaMemcpy(data, input, count * sizeof *data, cudaMemcpyDeviceToHost);
    if (count == 8 && foreseen(data, count))
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
