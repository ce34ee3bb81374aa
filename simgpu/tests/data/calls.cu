// Calls that are not inlined: recursion, pointers to functions, virtual functions; and the heap of the device. Compiled
// to calls.ptx (README.md).
// out[64] is zero, which the compiler does not know.
#include <cstdlib>

__device__ __noinline__ unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void recursion(unsigned *out)
{
    unsigned before = threadIdx.x * 1000, n = threadIdx.x % 13;
    out[threadIdx.x] = before + fibonacci(n);
}

// Lanes that are at other depths meet at the barrier behind the call.
extern "C" __global__ void barrier_behind_recursion(unsigned *out)
{
    __shared__ unsigned s_value[64];
    s_value[threadIdx.x] = fibonacci(threadIdx.x % 7);
    __syncthreads();
    out[threadIdx.x] = s_value[63 - threadIdx.x];
}

__device__ unsigned sum_of(const unsigned *numbers, unsigned count)
{
    unsigned own[4];
    for (int i = 0; i < 4; i++)
        own[i] = numbers[i] + count;
    if (count == 0)
        return own[0];
    unsigned below = sum_of(own, count - 1);
    return below + own[count % 4];
}

// Each call has an array of its own, to which the next one has a pointer.
extern "C" __global__ void local_arrays(unsigned *out)
{
    unsigned numbers[4] = {threadIdx.x, 1, 2, 3};
    out[threadIdx.x] = sum_of(numbers, threadIdx.x % 9);
}

typedef unsigned (*Function)(unsigned, unsigned);
__device__ unsigned add(unsigned a, unsigned b) { return a + b; }
__device__ unsigned multiply(unsigned a, unsigned b) { return a * b; }
__device__ unsigned shuffle(unsigned a, unsigned b) { return __shfl_sync(~0u, a, 5) + b; }
__device__ unsigned one_argument(unsigned a) { return a; }
__device__ Function table[3] = {add, multiply, shuffle};
__device__ unsigned (*single_table[1])(unsigned) = {one_argument};
__constant__ Function constant_table[2] = {multiply, add};

extern "C" __global__ void pointers(unsigned *out)
{
    Function first = table[threadIdx.x % 2], second = constant_table[threadIdx.x / 32];
    out[threadIdx.x] = second(first(threadIdx.x, 7), 3);
}

extern "C" __global__ void shuffle_in_function(unsigned *out)
{
    out[threadIdx.x] = table[2 - out[64]](threadIdx.x, 100);
}

struct Shape {
    unsigned size;
    __device__ virtual unsigned area() const { return size; }
    __device__ virtual unsigned twice() const { return 2 * area(); }
};
struct Square : Shape {
    __device__ unsigned area() const override { return size * size; }
};

extern "C" __global__ void virtual_functions(unsigned *out)
{
    Square square;
    Shape shape;
    Shape *shapes[2] = {&shape, &square};
    square.size = shape.size = threadIdx.x;
    out[threadIdx.x] = shapes[(threadIdx.x + out[64]) % 2]->twice();
}

extern "C" __global__ void null_pointer(unsigned *out)
{
    Function function = threadIdx.x < 9 ? table[0] : (Function)(size_t)out[64];
    out[threadIdx.x] = function(1, 2);
}

extern "C" __global__ void no_function(unsigned *out)
{
    out[threadIdx.x] = ((Function)(out + 1))(1, 2);
}

extern "C" __global__ void other_parameters(unsigned *out)
{
    out[threadIdx.x] = ((Function)single_table[out[64]])(1, 2);
}

extern "C" __global__ void reads_code(unsigned *out)
{
    out[threadIdx.x] = *(unsigned *)table[out[64]];
}

__device__ unsigned count_down(unsigned n)
{
    return n == 0 ? 0 : 1 + count_down(n - 1) * 2;
}

extern "C" __global__ void deep(unsigned *out)
{
    out[threadIdx.x] = count_down(out[64] + 5000);
}

extern "C" __global__ void heap(unsigned *out)
{
    unsigned *numbers = (unsigned *)malloc(10 * sizeof(unsigned));
    for (int i = 0; i < 10; i++)
        numbers[i] = threadIdx.x * i;
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < 10; i++)
        sum += numbers[i];
    out[threadIdx.x] = sum;
    free(numbers);
}

__device__ unsigned *kept;

extern "C" __global__ void heap_of_an_earlier_launch(unsigned *out)
{
    if (kept == NULL) {
        kept = new unsigned[4];
        kept[3] = 77;
    } else {
        out[0] = kept[3];
        delete[] kept;
    }
}

extern "C" __global__ void heap_is_full(unsigned *out)
{
    out[threadIdx.x] = malloc(1 << 20) != NULL;
}

extern "C" __global__ void beyond_a_piece(unsigned *out)
{
    unsigned *numbers = (unsigned *)malloc(10 * sizeof(unsigned));
    numbers[10 + out[64]] = 1;
}

extern "C" __global__ void use_after_free(unsigned *out)
{
    unsigned *numbers = (unsigned *)malloc(10 * sizeof(unsigned));
    numbers[2] = out[64];
    free(numbers);
    out[1] = ((volatile unsigned *)numbers)[2];
}

extern "C" __global__ void free_twice(unsigned *out)
{
    void *p = malloc(8 + out[64]);
    free(p);
    free(p);
}

extern "C" __global__ void free_of_other_memory(unsigned *out)
{
    free(out);
}
