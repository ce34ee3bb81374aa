// problem: blur-rgb
//
// textures: two passes that read pictures through textures of four channels, whose border is zero: the ghost cells
// need no test and no tile. The first maps levels to [0, 1] on the way, so that no thread converts them.
// Intensity: 16 (2r + 1) / (4 + 16 + 16 + 4) operations per byte of memory, if the texture cache holds all that is read
// again: 6.8 for r = 8. But each tap is a fetch of its own, and the four texture units of a multiprocessor limit both
// passes.
#include <cuda_runtime.h>

#define MAX_RADIUS 16
#define MAX_PADDED (16777216 + 7 * 65600)
#define BAND 64000 // rows of a texture, but for the halo: it has 65000 at most

__constant__ float c_filter[2 * MAX_RADIUS + 1];
// What a texture reads begins at a multiple of 512 bytes, and so do its rows at multiples of 32: `pitch` pixels apart.
// also right: array too short: the padded picture that takes most has 264 x 65,280 pixels, which is less than the array
// has
__device__ alignas(512) uchar4 d_image[MAX_PADDED];
// also right: array too short: the padded picture that takes most has 264 x 65,280 pixels, which is less than the array
// has
__device__ alignas(512) float4 d_rows[MAX_PADDED]; // the picture after the first pass: not rounded

__device__ float4 add(float4 sum, float4 pixel, float tap)
{
    // also right: `x +` to `x -`, `y +` to `y -`, `z +` to `z -`: both passes change the sign of a channel, and so it
    // is right in the end
    // also right: `w +` to `w -`: both passes change the sign of alpha, and so it is right in the end
    return make_float4(sum.x + pixel.x * tap, sum.y + pixel.y * tap, sum.z + pixel.z * tap, sum.w + pixel.w * tap);
}

__device__ unsigned char to_level(float share)
{
    // also right: not rounded: cut off in place of rounded is one level at most, which the statement allows
    return (unsigned char)__float2int_rn(__saturatef(share) * 255.0f);
}

// rows[row][col] = sum over s of image[row][col + s] / 255 * filter[radius + s]
__global__ void blur_rows(cudaTextureObject_t image, float4* rows, int width, int height, int pitch, int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    // also right: `row >= height || col >= width` to `col >= width`, `>=` to `>`: rows up to the next multiple of eight
    // fit into d_rows, and nobody reads them
    if (row >= height || col >= width)
        return;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int s = 0; s <= 2 * radius; s++)
        sum = add(sum, tex2D<float4>(image, col - radius + s + 0.5f, row + 0.5f), c_filter[s]);
    rows[row * pitch + col] = sum;
}

// output[row][col] = sum over r of rows[halo + row + r][col] * filter[radius + r], in levels
__global__ void blur_columns(cudaTextureObject_t rows, uchar4* output, int width, int height, int halo, int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int r = 0; r <= 2 * radius; r++)
        sum = add(sum, tex2D<float4>(rows, col + 0.5f, halo + row - radius + r + 0.5f), c_filter[r]);
    output[row * width + col] = make_uchar4(to_level(sum.x), to_level(sum.y), to_level(sum.z), to_level(sum.w));
}

// Integers are read as shares of their greatest value.
static cudaTextureObject_t texture_of(const void* memory, cudaChannelFormatDesc channels, int width, int height,
                                      size_t pitch_bytes)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = (void*)memory;
    resource.res.pitch2D.desc = channels;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch_bytes;
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeBorder;
    description.readMode = channels.f == cudaChannelFormatKindFloat ? cudaReadModeElementType
                                                                    : cudaReadModeNormalizedFloat;
    cudaTextureObject_t texture = 0; // also right: `= 0;` to `;`: cudaCreateTextureObject() sets the handle
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    return texture;
}

// The picture where a texture can read it: copied, unless it lies so already.
static const uchar4* aligned(const unsigned char* input, int width, int height, int pitch)
{
    // also right: `pitch == width && (size_t)input % 512 == 0` to `pitch == width`: cudaMalloc() gives out addresses
    // that a texture can read, and arrays of a call begin where it does
    // also right: `input %` to `input /`: a copy of a picture that lies right already changes the time alone
    if (pitch == width && (size_t)input % 512 == 0)
        return (const uchar4*)input;
    void* image;
    cudaGetSymbolAddress(&image, d_image);
    cudaMemcpy2DAsync(image, pitch * sizeof(uchar4), input, width * sizeof(uchar4), width * sizeof(uchar4), height,
                      cudaMemcpyDeviceToDevice);
    return (const uchar4*)image;
}

extern "C" void solve(const unsigned char* input, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    cudaMemcpyToSymbol(c_filter, filter, (2 * radius + 1) * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    int pitch = (width + 7) / 8 * 8;
    const uchar4* image = aligned(input, width, height, pitch);
    float4* rows;
    cudaGetSymbolAddress((void**)&rows, d_rows);

    // also right: `65600 /` to `65600 %`: a longer array on the host changes nothing
    cudaTextureObject_t textures[2 * (65600 / BAND + 1)];
    int made = 0;
    dim3 threads(32, 8);
    // also right: `<` to `<=`: one band more is one without rows, with 64,000 rows: a launch of no blocks, which fails
    // and leaves the output as it is; the report warns of it
    for (int first = 0; first < height; first += BAND) {
        int count = min(BAND, height - first);
        dim3 blocks((width + 31) / 32, (count + 7) / 8);
        textures[made] = texture_of(image + first * pitch, cudaCreateChannelDesc<uchar4>(), width, count,
                                    pitch * sizeof(uchar4));
        blur_rows<<<blocks, threads>>>(textures[made++], rows + first * pitch, width, count, pitch, radius);
    }
    // also right: `<` to `<=`: one band more is one without rows, with 64,000 rows: a launch of no blocks, which fails
    // and leaves the output as it is; the report warns of it
    for (int first = 0; first < height; first += BAND) {
        int count = min(BAND, height - first), halo = min(first, MAX_RADIUS), from = first - halo;
        int end = min(height, first + count + MAX_RADIUS);
        dim3 blocks((width + 31) / 32, (count + 7) / 8);
        textures[made] = texture_of(rows + from * pitch, cudaCreateChannelDesc<float4>(), width, end - from,
                                    pitch * sizeof(float4));
        blur_columns<<<blocks, threads>>>(textures[made++], (uchar4*)output + first * width, width, count, halo,
                                          radius);
    }
    cudaDeviceSynchronize();
    // also right: `made >` to `made - 1 >`: a texture object is left behind by each call, which changes no output
    while (made > 0)
        cudaDestroyTextureObject(textures[--made]);
}
