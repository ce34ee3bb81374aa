// expect: Integrity Violation, Run-Time Error, Time Limit Exceeded, Wrong Answer, Rule Violation
// says: the submission sent a malformed request over the judge's own channel
// problem: conv1d
// naive: does not apply: a judge in the same process has no ring
// Writes well-formed requests into the memory that it shares with the judge, one of each kind and with numbers that are
// none of its handles: says that it has been loaded again and that solve() has returned, frees the judge's arrays, fills
// the output.
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <linux/futex.h>
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

static unsigned char* shared_with_the_judge()
{
    for (int file = 3; file < 1024; file++) {
        struct stat info;
        if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size < (1 << 20))
            continue;
        void* memory = mmap(nullptr, info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (memory != MAP_FAILED)
            return (unsigned char*)memory;
    }
    return nullptr;
}

// As in harness/protocol/ring.h: the count of bytes written, the doorbell, and a circular buffer of records.
static void post(unsigned char* ring, uint32_t kind, const uint64_t* words, uint32_t bytes)
{
    enum { DOORBELL = 128, BUFFER_BYTES = 1 << 20 };
    volatile uint64_t* written = (uint64_t*)ring;
    const uint32_t head[4] = {kind, bytes, 0, 0};
    unsigned char* buffer = ring + 4096;
    uint64_t at = *written;
    for (uint32_t i = 0; i < 16 + bytes; i++)
        buffer[(at + i) % BUFFER_BYTES] = i < 16 ? ((unsigned char*)head)[i] : ((unsigned char*)words)[i - 16];
    __sync_synchronize();
    *written = at + 16 + bytes;
    __sync_fetch_and_add((uint32_t*)(ring + DOORBELL), 1);
    syscall(SYS_futex, ring + DOORBELL, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    unsigned char* ring = shared_with_the_judge();
    const uint64_t arrays[] = {(uint64_t)input, (uint64_t)output, (uint64_t)output - 4096, 0, 1, ~0ull};
    static uint64_t words[32];
    for (uint32_t kind = 0; ring != nullptr && kind < 48; kind++)
        for (uint64_t address : arrays)
            for (uint32_t bytes = 0; bytes <= 256; bytes += 32) {
                for (uint64_t& word : words)
                    word = address + (&word - words) % 5;
                post(ring, kind, words, bytes);
            }
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
