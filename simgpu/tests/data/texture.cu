// Each thread reads a texture at a place of its own.
extern "C" __global__ void fetch_index(cudaTextureObject_t texture, const int4* places, float4* values)
{
    values[threadIdx.x] = tex1Dfetch<float4>(texture, places[threadIdx.x].x);
}

extern "C" __global__ void fetch_1d(cudaTextureObject_t texture, const float4* places, float4* values)
{
    values[threadIdx.x] = tex1D<float4>(texture, places[threadIdx.x].x);
}

extern "C" __global__ void fetch_2d(cudaTextureObject_t texture, const float4* places, float4* values)
{
    float4 place = places[threadIdx.x];
    values[threadIdx.x] = tex2D<float4>(texture, place.x, place.y);
}

extern "C" __global__ void fetch_2d_integers(cudaTextureObject_t texture, const float4* places, uint4* values)
{
    float4 place = places[threadIdx.x];
    values[threadIdx.x] = tex2D<uint4>(texture, place.x, place.y);
}

extern "C" __global__ void fetch_2d_level(cudaTextureObject_t texture, const float4* places, float4* values)
{
    float4 place = places[threadIdx.x];
    values[threadIdx.x] = tex2DLod<float4>(texture, place.x, place.y, place.z);
}

extern "C" __global__ void fetch_3d(cudaTextureObject_t texture, const float4* places, float4* values)
{
    float4 place = places[threadIdx.x];
    values[threadIdx.x] = tex3D<float4>(texture, place.x, place.y, place.z);
}

extern "C" __global__ void gather_red(cudaTextureObject_t texture, const float4* places, float4* values)
{
    float4 place = places[threadIdx.x];
    values[threadIdx.x] = tex2Dgather<float4>(texture, place.x, place.y, 0);
}

extern "C" __global__ void gather_green(cudaTextureObject_t texture, const float4* places, float4* values)
{
    float4 place = places[threadIdx.x];
    values[threadIdx.x] = tex2Dgather<float4>(texture, place.x, place.y, 1);
}

// All threads read the same texel.
extern "C" __global__ void fetch_same(cudaTextureObject_t texture, float4 place, float4* values)
{
    values[threadIdx.x] = tex2D<float4>(texture, place.x, place.y);
}

// Every third thread reads.
extern "C" __global__ void fetch_some(cudaTextureObject_t texture, const float4* places, float4* values)
{
    float4 place = places[threadIdx.x];
    if (threadIdx.x % 3 == 0)
        values[threadIdx.x] = tex2D<float4>(texture, place.x, place.y);
}

// Neighbouring threads read different textures.
extern "C" __global__ void fetch_either(cudaTextureObject_t even, cudaTextureObject_t odd, const float4* places,
                                        float4* values)
{
    float4 place = places[threadIdx.x];
    values[threadIdx.x] = tex2D<float4>(threadIdx.x % 2 == 0 ? even : odd, place.x, place.y);
}

extern "C" __global__ void fetch_1d_layer(cudaTextureObject_t texture, const float4* places, float4* values)
{
    float4 place = places[threadIdx.x];
    values[threadIdx.x] = tex1DLayered<float4>(texture, place.x, (int)place.z);
}

extern "C" __global__ void fetch_2d_layer(cudaTextureObject_t texture, const float4* places, float4* values)
{
    float4 place = places[threadIdx.x];
    values[threadIdx.x] = tex2DLayered<float4>(texture, place.x, place.y, (int)place.z);
}

extern "C" __global__ void fetch_2d_gradient(cudaTextureObject_t texture, const float4* places, float4* values)
{
    float4 place = places[threadIdx.x];
    values[threadIdx.x] = tex2DGrad<float4>(texture, place.x, place.y, make_float2(1, 2), make_float2(3, 4));
}

// Each thread loads or stores an element of a surface, at (x in bytes, y, slice or layer).
#define LOAD(name, read)                                                                                               \
    extern "C" __global__ void load_##name(cudaSurfaceObject_t surface, const int4* places, float* values)             \
    {                                                                                                                  \
        int4 at = places[threadIdx.x];                                                                                 \
        values[threadIdx.x] = read;                                                                                    \
    }
LOAD(trap, surf2Dread<float>(surface, at.x, at.y))
LOAD(clamp, surf2Dread<float>(surface, at.x, at.y, cudaBoundaryModeClamp))
LOAD(zero, surf2Dread<float>(surface, at.x, at.y, cudaBoundaryModeZero))
LOAD(1d, surf1Dread<float>(surface, at.x, cudaBoundaryModeClamp))
LOAD(3d, surf3Dread<float>(surface, at.x, at.y, at.z, cudaBoundaryModeClamp))
LOAD(1d_layer, surf1DLayeredread<float>(surface, at.x, at.z, cudaBoundaryModeClamp))
LOAD(2d_layer, surf2DLayeredread<float>(surface, at.x, at.y, at.z, cudaBoundaryModeClamp))
LOAD(byte, surf2Dread<unsigned char>(surface, at.x, at.y))

#define STORE(name, write)                                                                                             \
    extern "C" __global__ void store_##name(cudaSurfaceObject_t surface, const int4* places)                           \
    {                                                                                                                  \
        int4 at = places[threadIdx.x];                                                                                 \
        write;                                                                                                         \
    }
STORE(trap, surf2Dwrite(threadIdx.x + 1.0f, surface, at.x, at.y))
STORE(clamp, surf2Dwrite(threadIdx.x + 1.0f, surface, at.x, at.y, cudaBoundaryModeClamp))
STORE(zero, surf2Dwrite(threadIdx.x + 1.0f, surface, at.x, at.y, cudaBoundaryModeZero))
STORE(pair, surf2Dwrite(make_float2(threadIdx.x + 1.0f, -1.0f), surface, at.x, at.y, cudaBoundaryModeZero))
STORE(byte, surf2Dwrite((unsigned char)(threadIdx.x + 1), surface, at.x, at.y))
STORE(and_load, surf2Dwrite(surf2Dread<float>(surface, at.x, at.y) + 1, surface, at.z, at.w))
