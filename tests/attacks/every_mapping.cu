// expect: Accepted
// problem: conv1d
// naive: no verdict
// Tries every kind of mapping for more memory than the limit: huge pages, shared pages, areas that grow downwards, reserved
// ones, moved ones, the heap, copies of the ring. In all, no kind may give 4 GiB.
#include <cuda_runtime.h>
#include <sys/mman.h>
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

enum { PIECE = 64 << 20, MOST = 64 }; // 4 GiB

// Whether the limit ends it before 4 GiB. What has been had is given back.
static bool ends(int protection, int flags, int file)
{
    void* pieces[MOST];
    int count = 0;
    while (count < MOST) {
        pieces[count] = mmap(nullptr, PIECE, protection, flags, file, 0);
        if (pieces[count] == MAP_FAILED)
            break;
        count++;
    }
    bool ended = count < MOST;
    while (count > 0)
        munmap(pieces[--count], PIECE);
    return ended;
}

// Moves mappings and keeps the old ones.
static bool moving_ends()
{
    void* pieces[MOST];
    int count = 0;
    while (count < MOST) {
        void* old = mmap(nullptr, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (old == MAP_FAILED)
            break;
        pieces[count] = mremap(old, PIECE, PIECE, MREMAP_MAYMOVE | 4 /* MREMAP_DONTUNMAP */, nullptr);
        if (pieces[count] == MAP_FAILED) {
            munmap(old, PIECE);
            break;
        }
        munmap(old, PIECE);
        count++;
    }
    bool ended = count < MOST;
    while (count > 0)
        munmap(pieces[--count], PIECE);
    return ended;
}

static bool heap_ends()
{
    void* start = sbrk(0);
    int count = 0;
    while (count < MOST && sbrk(PIECE) != (void*)-1)
        count++;
    brk(start);
    return count < MOST;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    const int own = MAP_PRIVATE | MAP_ANONYMOUS;
    const int kinds[] = {own,
                         own | MAP_NORESERVE,
                         own | MAP_HUGETLB,
                         own | MAP_GROWSDOWN,
                         own | MAP_STACK,
                         own | MAP_32BIT,
                         MAP_SHARED | MAP_ANONYMOUS,
                         MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB};
    for (int kind = 0; kind < 8; kind++)
        if (!ends(PROT_READ | PROT_WRITE, kinds[kind], -1))
            _exit(11 + kind);
    if (!ends(PROT_READ, own, -1)) // could be made writable later
        _exit(31);
    for (int file = 3; file < 64; file++)
        if (!ends(PROT_READ | PROT_WRITE, MAP_PRIVATE, file) || !ends(PROT_READ | PROT_WRITE, MAP_SHARED, file))
            _exit(32);
    if (!moving_ends())
        _exit(33);
    if (!heap_ends())
        _exit(34);
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
