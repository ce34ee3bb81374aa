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
