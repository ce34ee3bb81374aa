// expect: Accepted
// problem: conv2d
// Surfaces of one to three dimensions and with layers, of uchar4, float4, half and 64-bit pairs, in each boundary mode. The
// kernel that checks them counts what is not as it should be, and only without such mistakes the image is convolved.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define OK(call)                                                                                                       \
    if ((call) != cudaSuccess)                                                                                         \
    return false

enum { WIDTH = 9, HEIGHT = 5, DEPTH = 3 };

struct Surfaces {
    cudaSurfaceObject_t bytes, quads, halves, line, cube, lines, layers;
};

// One thread for each element of the largest.
__global__ void store(Surfaces to)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    surf3Dwrite(100.0f * z + 10.0f * y + x, to.cube, x * 4, y, z);
    surf2DLayeredwrite(-100.0f * z - 10.0f * y - x, to.layers, x * 4, y, z);
    if (y == 0) // 2 bytes of an element at a time
        surf1DLayeredwrite((short)(20 * z + x), to.lines, x * 2, z);
    if (z > 0)
        return;
    surf2Dwrite(make_uchar4(x, y, x + y, 255), to.bytes, x * 4, y);
    surf2Dwrite(make_float4(x, y, x * y, -1.5f), to.quads, x * 16, y);
    surf2Dwrite(__half_as_ushort(__float2half(x + y / 8.0f)), to.halves, x * 2, y);
    if (y == 0)
        surf1Dwrite(make_uint2(x, ~x), to.line, x * 8);
}

__global__ void check(Surfaces from, cudaTextureObject_t halves, int* mistakes)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, wrong = 0;
    wrong += surf3Dread<float>(from.cube, x * 4, y, z) != 100.0f * z + 10.0f * y + x;
    wrong += surf2DLayeredread<float>(from.layers, x * 4, y, z) != -100.0f * z - 10.0f * y - x;
    wrong += surf1DLayeredread<short>(from.lines, x * 2, z) != 20 * z + x;
    uchar4 four = surf2Dread<uchar4>(from.bytes, x * 4, y);
    wrong += four.x != x || four.y != y || four.z != x + y || four.w != 255;
    wrong += surf2Dread<unsigned char>(from.bytes, x * 4 + 2, y) != x + y;
    float4 quad = surf2Dread<float4>(from.quads, x * 16, y);
    wrong += quad.x != x || quad.y != y || quad.z != x * y || quad.w != -1.5f;
    wrong += surf2Dread<float2>(from.quads, x * 16 + 8, y).y != -1.5f;
    wrong += __half2float(__ushort_as_half(surf2Dread<unsigned short>(from.halves, x * 2, y))) != x + y / 8.0f;
    wrong += tex2D<float>(halves, x + 0.5f, y + 0.5f) != x + y / 8.0f;
    uint2 pair = surf1Dread<uint2>(from.line, x * 8);
    wrong += pair.x != x || pair.y != ~x;
    // Beyond each edge.
    wrong += surf3Dread<float>(from.cube, (x + WIDTH) * 4, y, z, cudaBoundaryModeZero) != 0.0f;
    wrong += surf3Dread<float>(from.cube, x * 4, y - HEIGHT, z, cudaBoundaryModeZero) != 0.0f;
    wrong += surf3Dread<float>(from.cube, x * 4, y, z + DEPTH, cudaBoundaryModeZero) != 0.0f;
    wrong += surf3Dread<float>(from.cube, (x + WIDTH) * 4, y - HEIGHT, z + DEPTH, cudaBoundaryModeClamp) !=
             100.0f * (DEPTH - 1) + WIDTH - 1;
    wrong += surf1Dread<uint2>(from.line, (x - WIDTH) * 8, cudaBoundaryModeClamp).x != 0;
    surf2Dwrite(make_float4(7, 7, 7, 7), from.quads, (x + WIDTH) * 16, y, cudaBoundaryModeZero);
    if (wrong > 0)
        atomicAdd(mistakes, wrong);
}

__global__ void convolve(const float* input, const float* kernel, float* output, int input_cols, int output_rows,
                         int output_cols, int kernel_rows, int kernel_cols, const int* mistakes)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= output_cols || y >= output_rows || *mistakes > 0)
        return;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += input[(y + r) * input_cols + x + s] * kernel[r * kernel_cols + s];
    output[y * output_cols + x] = sum;
}

static cudaArray_t arrays[7];
static int array_count;

static cudaSurfaceObject_t surface_of(cudaChannelFormatDesc channels, int width, int height, int depth, unsigned flags)
{
    cudaResourceDesc what = {};
    cudaSurfaceObject_t surface = 0;
    what.resType = cudaResourceTypeArray;
    cudaMalloc3DArray(&what.res.array.array, &channels, make_cudaExtent(width, height, depth),
                      flags | cudaArraySurfaceLoadStore);
    arrays[array_count++] = what.res.array.array;
    cudaCreateSurfaceObject(&surface, &what);
    return surface;
}

static bool check_surfaces(int* mistakes)
{
    array_count = 0;
    Surfaces made = {surface_of(cudaCreateChannelDesc<uchar4>(), WIDTH, HEIGHT, 0, 0),
                     surface_of(cudaCreateChannelDesc<float4>(), WIDTH, HEIGHT, 0, 0),
                     surface_of(cudaCreateChannelDescHalf(), WIDTH, HEIGHT, 0, 0),
                     surface_of(cudaCreateChannelDesc<uint2>(), WIDTH, 0, 0, 0),
                     surface_of(cudaCreateChannelDesc<float>(), WIDTH, HEIGHT, DEPTH, 0),
                     surface_of(cudaCreateChannelDesc<short>(), WIDTH, 0, DEPTH, cudaArrayLayered),
                     surface_of(cudaCreateChannelDesc<float>(), WIDTH, HEIGHT, DEPTH, cudaArrayLayered)};
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t halves;
    what.resType = cudaResourceTypeArray;
    what.res.array.array = arrays[2];
    OK(cudaCreateTextureObject(&halves, &what, &how, nullptr));
    OK(cudaMemset(mistakes, 0, sizeof *mistakes));
    store<<<1, dim3(WIDTH, HEIGHT, DEPTH)>>>(made);
    check<<<1, dim3(WIDTH, HEIGHT, DEPTH)>>>(made, halves, mistakes);
    OK(cudaDeviceSynchronize());
    OK(cudaDestroyTextureObject(halves));
    const cudaSurfaceObject_t all[] = {made.bytes, made.quads, made.halves, made.line,
                                       made.cube,  made.lines, made.layers};
    for (cudaSurfaceObject_t surface : all)
        OK(cudaDestroySurfaceObject(surface));
    for (cudaArray_t array : arrays)
        OK(cudaFreeArray(array));
    return true;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int* mistakes;
    if (cudaMalloc(&mistakes, sizeof *mistakes) != cudaSuccess)
        return;
    if (check_surfaces(mistakes))
        convolve<<<dim3((output_cols + 31) / 32, (output_rows + 7) / 8), dim3(32, 8)>>>(
            input, kernel, output, input_cols, output_rows, output_cols, kernel_rows, kernel_cols, mistakes);
    cudaDeviceSynchronize();
    cudaFree(mistakes);
}
