// problem: conv1d
// Tries to tell its author what the hidden data are: tests/leaks.sh grades it on cases whose input begins with MARKER, the number of a way
// to tell something, and a secret. Nothing that the author sees may depend on the secret, except for what docs/explanation/security.md states.
// On all other cases it is right.
#include <cuda_runtime.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <new>
#include <stdexcept>
#include <string>

static const float MARKER = 12345;

// ---- kernels ------------------------------------------------------------------------------------------------------------

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

__global__ void add(float* output, int from, int count, float value)
{
    for (int i = from; i < from + count; i++)
        output[i] += value;
}

__device__ void trap_at(const float* output)
{
    if (output == nullptr)
        __trap();
}

__global__ void secret_is_a(float* output) { trap_at(output); }
__global__ void secret_is_b(float* output) { trap_at(output); }

__global__ void read_at(const float* at, float* output)
{
    if (*at == 1.25f)
        output[0] = 3;
}

__global__ void write_at(float* at)
{
    *at = 1;
}

__global__ void share(int index, float* output)
{
    extern __shared__ float tile[];
    tile[index] = output[0];
    if (threadIdx.x == 40)
        output[0] = tile[index];
}

extern "C" __device__ void __assertfail(const char* text, const char* file, unsigned line, const char* function, size_t size);

__device__ char words[64];

__global__ void fail_an_assertion(int secret)
{
    for (int i = 0; i < 6; i++)
        words[i] = "secret"[i];
    words[6] = (char)('a' + secret);
    __assertfail(words, words, 1000 + secret, words, 1);
}

__global__ void print(int secret)
{
    printf("device secret %d\n", secret);
}

__global__ void race_in_a_warp(int index, float* output)
{
    __shared__ volatile float tile[512];
    if (threadIdx.x < 512)
        tile[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == index)
        tile[index] = 1;
    if (threadIdx.x == index + 1 && tile[index] == 17)
        output[0] = 5;
}

__global__ void shuffle(int lane, float* output)
{
    if (threadIdx.x < 16 && __shfl_sync(0xffff, 1.0f, 16 + lane) == 77)
        output[0] = 5;
}

__global__ void spin_for_ever(volatile float* output, int secret)
{
    while (output[secret] != 1e30f)
        continue;
}

__global__ void meet_at_two_barriers(int secret)
{
    if (threadIdx.x == secret + 1)
        return;
    if (threadIdx.x < 8 + secret)
        asm volatile("barrier.sync.aligned 1, 64;");
}

__global__ void fault_on_a_line(float* output, int secret)
{
    if (secret == 0)
        output[100000] = 1;
    else
        output[100000] = 2;
}

#line 1000000 "secret0.cu"
__global__ void fault_on_line_0(float* output) { output[100000] = 1; }
#line 1000001 "submission.cu"
__global__ void fault_on_line_1(float* output) { output[100000] = 1; }
#line 115 "submission.cu"

__global__ void many_findings(const float* unwritten, float* output, int lines)
{
    float sum = 0;
    if (lines > 0)
        sum += unwritten[0];
    if (lines > 1)
        sum += unwritten[1];
    if (lines > 2)
        sum += unwritten[2];
    if (lines > 3)
        sum += unwritten[3];
    if (lines > 4)
        sum += unwritten[4];
    if (lines > 5)
        sum += unwritten[5];
    if (sum == 1.25f)
        output[0] = 5;
}

// ---- the channel to the judge -------------------------------------------------------------------------------------------

// Puts a record into the ring (harness/protocol/ring.h) as the judge's own library does.
static void forge(uint32_t kind, const void* body, uint32_t bytes)
{
    for (int file = 3; file < 1024; file++) {
        struct stat info;
        if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size < (17 << 20))
            continue;
        auto* memory = (unsigned char*)mmap(nullptr, info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (memory == MAP_FAILED)
            continue;
        auto* written = (volatile uint64_t*)memory;
        const uint32_t head[4] = {kind, bytes, 0, 0};
        memcpy(memory + 4096 + *written % (1 << 20), head, sizeof head);
        memcpy(memory + 4096 + *written % (1 << 20) + sizeof head, body, bytes);
        *written += sizeof head + bytes;
        return;
    }
}

static void forge_note(uint32_t kind, int error, int secret)
{
    struct { int32_t error; char call[60]; } note = {error, ""};
    snprintf(note.call, sizeof note.call, "secret %c", 'a' + secret);
    forge(kind, &note, sizeof note);
}

// ---- the ways to tell ---------------------------------------------------------------------------------------------------

typedef struct Arrays {
    const float *input, *kernel;
    float* output;
    int input_size, kernel_size, secret;
    bool first; // of the hidden cases that hold a secret
} Arrays;

static void compute(const Arrays& a)
{
    convolve<<<(a.input_size + 255) / 256, 256>>>(a.input, a.kernel, a.output, a.input_size, a.kernel_size);
    cudaDeviceSynchronize();
}

static float* device_memory(size_t bytes)
{
    void* memory = nullptr;
    cudaMalloc(&memory, bytes);
    return (float*)memory;
}

static int recurse(volatile int depth)
{
    volatile char room[4096];
    room[0] = (char)depth;
    return recurse(depth + 1) + room[0];
}

__device__ float first_table[4], second_table[4];
__global__ void leave_an_array(float* output, int i, int secret) { if (secret) output[0] = first_table[i]; else output[0] = second_table[i]; }

// arrays whose names the source does not hold
#define NAMED(name) name##_by_a_macro
__device__ float NAMED(first)
    [4], NAMED(second)
    [4];
__global__ void leave_a_hidden_name(float* output, int i, int secret) { output[0] = secret ? *(NAMED(first) + i) : *(NAMED(second) + i); }

// Things that leave the output right.
static void tell_before(int way, const Arrays& a)
{
    const int secret = a.secret;
    const char text[] = {'s', 'e', 'c', 'r', 'e', 't', (char)('a' + secret), '\n'};
    char* far;
    switch (way) {
    case 1: forge_note(5, 1, secret); break;               // a note of a failed call
    case 2: forge_note(5, 700 + secret, 0); break;         // its error
    case 3: secret ? (void)cudaMemset(nullptr, 0, 4) : (void)cudaFree((void*)64); break; // the call that fails
    case 4: secret ? secret_is_a<<<1, 5000>>>(a.output) : secret_is_b<<<1, 5000>>>(a.output); break; // the kernel that fails
    case 5: secret_is_a<<<1000 + secret, 5000>>>(a.output); break;
    case 6: secret_is_a<<<1, 32, 1 << (20 + secret)>>>(a.output); break;
    case 7: print<<<1, 1>>>(secret); break;
    case 8: (void)!write(1, text, sizeof text), (void)!write(2, text, sizeof text); break;
    case 9: read_at<<<1, 1>>>(device_memory(4096) + 8 * secret, a.output); break; // reads of memory that nobody has written
    case 10: race_in_a_warp<<<1, 512>>>(64 * secret, a.output); break;
    case 11: shuffle<<<1, 32>>>(secret, a.output); break;
    case 12: many_findings<<<1, 1>>>(device_memory(4096), a.output, secret + 1); break;
    case 13: usleep(secret * 100000); break;
    case 14: for (int i = 0; i < 10 * secret; i++) secret_is_a<<<1 + i, 32>>>(a.output); break;
    case 15: for (int i = 0; i < secret; i++) device_memory(1000); break;
    case 16: forge_note(6, 801, secret); break;            // the name of a call that the judge does not have
    case 17: secret ? (void)cudaFree((void*)64) : (void)0; break; // whether there is a warning at all
    case 18: far = (char*)mmap(nullptr, (size_t)(secret + 1) << 40, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (far != MAP_FAILED) munmap(far, (size_t)(secret + 1) << 40);
        break;
    }
    cudaDeviceSynchronize();
}

// Work that nothing orders.
static void add_on_streams(float* to, int secret)
{
    cudaStream_t streams[2];
    for (cudaStream_t& stream : streams)
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (secret)
        add<<<1, 1, 0, streams[0]>>>(to, 0, 1, 1);
    else
        add<<<1, 1, 0, streams[0]>>>(to, 0, 1, 1);
    if (secret)
        add<<<1, 1, 0, streams[1]>>>(to, 0, 1, 2);
    else
        add<<<1, 1, 0, streams[1]>>>(to, 0, 1, 2);
}

static void copy_on_streams(float* to, size_t bytes)
{
    cudaStream_t streams[2];
    for (cudaStream_t& stream : streams)
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMemsetAsync(to, 1, bytes, streams[0]);
    cudaMemsetAsync(to, 2, bytes, streams[1]);
}

// Things that spoil the output.
static void tell_after(int way, const Arrays& a)
{
    const int secret = a.secret, size = a.input_size;
    const float powers[] = {1, 10, 100, 1e3f, 1e4f, 1e5f, 1e6f, 1e12f, 1e18f, 1e24f, 1e30f, 1e36f};
    switch (way) {
    case 30: fail_an_assertion<<<1, 1>>>(secret); break;
    case 31: secret ? secret_is_a<<<1, 1>>>(nullptr) : secret_is_b<<<1, 1>>>(nullptr); break;
    case 32: write_at<<<1, 1>>>(a.output + 1000 + secret); break;
    case 33: read_at<<<1, 1>>>(a.output + 1000 + secret, a.output); break;
    case 34: read_at<<<1, 1>>>((const float*)(uintptr_t)(4096 * (uint64_t)secret), a.output); break;
    case 35: read_at<<<1, 1>>>((const float*)(uintptr_t)((1ull << 46) * (1 + secret) + 64), a.output); break;
    case 36: write_at<<<1, 1>>>((float*)((char*)a.output + 1 + secret)); break;
    case 37: share<<<1, 64, 256>>>(1000 + secret, a.output); break;
    case 38: share<<<1, 64, 2048>>>(secret, a.output); break; // a race
    case 39: _exit(secret);
    case 40: raise(secret ? SIGUSR1 : SIGSEGV); break;
    case 41: throw std::runtime_error("secret " + std::to_string(secret));
    case 42: for (int i = 0; i < 3 + secret; i++) device_memory((size_t)(500 + secret) << 20); add<<<1, 1>>>(a.output, 0, 1, 1); break;
    case 43: new char[(size_t)(4 + secret) << 30]; // more than the limit
    case 44: add<<<1, 1>>>(a.output, 20, 5 + secret, 1); break; // how many are wrong
    case 45: add<<<1, 1>>>(a.output, 5 + secret, 1, 1); break; // which is wrong
    case 46: add<<<1, 1>>>(a.output, 20 + secret, 5, NAN); break; // where NaN is
    case 47: add<<<1, 1>>>(a.output, 0, size, powers[secret]); break; // by how much
    case 48: add<<<1, 1>>>((float*)a.input, 3 + secret, 1, 1); break;
    case 49: fault_on_a_line<<<1, 1>>>(a.output, secret); break;
    case 50: secret ? fault_on_line_1<<<1, 1>>>(a.output) : fault_on_line_0<<<1, 1>>>(a.output); break;
    case 51: spin_for_ever<<<1, 1>>>(a.output, secret); break;
    case 52: meet_at_two_barriers<<<1, 64>>>(secret); break;
    case 53: recurse(secret); break;
    case 54: forge(99 + secret, "", 0); break;
    case 55: add<<<1, 1>>>(a.output, 0, size, 1); forge_note(5, 1, secret); break;
    case 56: read_at<<<1, 1>>>(device_memory(4096) + 8 * secret, a.output); add<<<1, 1>>>(a.output, 0, 1, 1); break;
    case 57: if (a.first == (secret == 0)) add<<<1, 1>>>(a.output, 0, size, 1); break; // which case fails
    case 58: a.first ? add<<<1, 1>>>(a.output, 0, size, 1) : secret ? write_at<<<1, 1>>>(nullptr) : _exit(1); break;
    case 59: if (a.first) secret ? (void)cudaFree((void*)64) : (void)0; else add<<<1, 1>>>(a.output, 0, size, 1); break;
    case 60: secret ? add<<<1, 1>>>(a.output, 0, size, 1) : _exit(1); break; // the kind of mistake
    case 61: add<<<1, 1>>>(a.output, 0, size, 1e-6f * powers[secret]); break; // errors that are accepted
    case 62: for (int i = 0; i < 4; i++) add<<<1, 1>>>(a.output, (8 + secret) * i + 5, 1, 0.5f + i); break;
    case 63: leave_an_array<<<1, 1>>>(a.output, 100000, secret); break; // which array it leaves
    case 64: leave_a_hidden_name<<<1, 1>>>(a.output, 4, secret); break;
    case 66: add_on_streams(device_memory(4096), secret); break; // the lines of work that nothing orders
    case 67: copy_on_streams(device_memory(4096), 16 + 4 * secret); break; // its size
    case 65: add<<<1, 1>>>(a.output, secret ? -100000 : 100000, 1, 1); break; // on which side
    }
    cudaDeviceSynchronize();
}

// Ways from 1000 on: only where the second opinion is made, which is a simulated H200 beside another GPU.
static int way_here(int way)
{
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    return way < 1000 ? way : properties.multiProcessorCount == 132 ? way - 1000 : 0;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    float head[4] = {0};
    if (input_size >= 4)
        cudaMemcpy(head, input, sizeof head, cudaMemcpyDefault);
    const Arrays arrays = {input, kernel, output, input_size, kernel_size, (int)head[2], head[3] == 1};
    const int way = head[0] == MARKER ? way_here((int)head[1]) : 0;
    tell_before(way, arrays);
    compute(arrays);
    tell_after(way, arrays);
}
