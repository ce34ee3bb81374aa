// problem: conv2d-separable
//
// textures: two passes that read the image through a texture, whose border is zero: the ghost cells need no test and no
// tile, and the texture cache serves what threads share.
// Intensity of a pass: 2 (2r + 1) / (4 + 4) = (2r + 1) / 4 operations per byte of memory, if the cache holds all that
// is read again. But each tap is a fetch of its own, 2 operations for 4 bytes: the four texture units of a
// multiprocessor, with one texel per cycle each, limit a pass.
#include <cuda_runtime.h>

#define MAX_RADIUS 32
#define MAX_PADDED (16777216 + 7 * 131072)
#define BAND 64000 // rows of a texture, but for the halo: it has 65000 at most

__constant__ float c_row[2 * MAX_RADIUS + 1];
__constant__ float c_column[2 * MAX_RADIUS + 1];
// What a texture reads begins at a multiple of 512 bytes, and so do its rows at multiples of 32: `pitch` floats apart.
// also right: array too short: the padded image that takes most has 136 x 130,055 elements, which is less than the
// array has
__device__ alignas(512) float d_image[MAX_PADDED];
// also right: array too short: the padded image that takes most has 136 x 130,055 elements, which is less than the
// array has
__device__ alignas(512) float d_rows[MAX_PADDED]; // the image after the first pass

// rows[row][col] = sum over s of image[row][col + s] * row_filter[radius + s]
__global__ void convolve_rows(cudaTextureObject_t image, float* rows, int width, int height, int pitch, int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    // also right: `row >= height || col >= width` to `col >= width`, `>=` to `>`: what is written below the image lies
    // in d_rows, which has room for it, and the texture of the second pass ends before it
    if (row >= height || col >= width)
        return;
    float sum = 0.0f;
    for (int s = 0; s <= 2 * radius; s++)
        sum += tex2D<float>(image, col - radius + s + 0.5f, row + 0.5f) * c_row[s];
    rows[row * pitch + col] = sum;
}

// output[row][col] = sum over r of rows[halo + row + r][col] * column_filter[radius + r]
__global__ void convolve_columns(cudaTextureObject_t rows, float* output, int width, int height, int halo, int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;
    float sum = 0.0f;
    for (int r = 0; r <= 2 * radius; r++)
        sum += tex2D<float>(rows, col + 0.5f, halo + row - radius + r + 0.5f) * c_column[r];
    output[row * width + col] = sum;
}

static cudaTextureObject_t texture_of(const float* memory, int width, int height, int pitch)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = (void*)memory;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch * sizeof(float);
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeBorder;
    cudaTextureObject_t texture = 0; // also right: `= 0;` to `;`: cudaCreateTextureObject() sets the handle
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    return texture;
}

// The image where a texture can read it: copied, unless it lies so already.
static const float* aligned(const float* input, int width, int height, int pitch)
{
    // also right: `pitch == width && (size_t)input % 512 == 0` to `pitch == width`: cudaMalloc() gives out addresses
    // that a texture can read, and arrays of a call begin where it does
    // also right: `input %` to `input /`: a copy of an image that lies right already changes the time alone
    if (pitch == width && (size_t)input % 512 == 0)
        return input;
    void* image;
    cudaGetSymbolAddress(&image, d_image);
    cudaMemcpy2DAsync(image, pitch * sizeof(float), input, width * sizeof(float), width * sizeof(float), height,
                      cudaMemcpyDeviceToDevice);
    return (const float*)image;
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output,
                      int width, int height, int radius)
{
    // also right: narrow index: a filter has 260 bytes at most, which fit into an int
    size_t filter_bytes = (2 * radius + 1) * sizeof(float);
    cudaMemcpyToSymbol(c_row, row_filter, filter_bytes, 0, cudaMemcpyDeviceToDevice);
    cudaMemcpyToSymbol(c_column, column_filter, filter_bytes, 0, cudaMemcpyDeviceToDevice);
    int pitch = (width + 7) / 8 * 8;
    const float* image = aligned(input, width, height, pitch);
    float* rows;
    cudaGetSymbolAddress((void**)&rows, d_rows);

    // also right: `131072 /` to `131072 %`: a longer array on the host changes nothing
    cudaTextureObject_t textures[2 * (131072 / BAND + 1)];
    int made = 0;
    dim3 threads(32, 8);
    // also right: `<` to `<=`: one band more is one without rows, with 64,000 rows: a launch of no blocks, which fails
    // and leaves the output as it is; the report warns of it
    for (int first = 0; first < height; first += BAND) {
        int count = min(BAND, height - first);
        dim3 blocks((width + 31) / 32, (count + 7) / 8);
        textures[made] = texture_of(image + first * pitch, width, count, pitch);
        convolve_rows<<<blocks, threads>>>(textures[made++], rows + first * pitch, width, count, pitch, radius);
    }
    // also right: `<` to `<=`: one band more is one without rows, with 64,000 rows: a launch of no blocks, which fails
    // and leaves the output as it is; the report warns of it
    for (int first = 0; first < height; first += BAND) {
        int count = min(BAND, height - first), halo = min(first, MAX_RADIUS), from = first - halo;
        dim3 blocks((width + 31) / 32, (count + 7) / 8);
        textures[made] = texture_of(rows + from * pitch, width, min(height, first + count + MAX_RADIUS) - from, pitch);
        convolve_columns<<<blocks, threads>>>(textures[made++], output + first * width, width, count, halo, radius);
    }
    cudaDeviceSynchronize();
    // also right: `made >` to `made - 1 >`: a texture object is left behind by each call, which changes no output
    while (made > 0)
        cudaDestroyTextureObject(textures[--made]);
}
