/* texture.h - texture objects: those that there are, and what a warp reads through one.
 *
 * A fetch goes in two steps: from coordinates to texels (Footprint), then from texels to values. Between the two the
 * caller can look at what is read.
 *
 * Lanes    a warp's, all 32 of them at once: those that do not ask may have any coordinates, their values mean nothing.
 * Errors   none: any coordinates, NaN among them, lead to texels of the texture or to its border. The memory behind a
 *          texture may be gone: texture_bytes() of it must be looked at before it is read.
 * Source   CUDA C++ Programming Guide 13.0, "Texture Fetching": nearest-point sampling, linear filtering; "Texture
 *          Memory" for the address modes.  */
#ifndef SIMGPU_MEMORY_TEXTURE_H
#define SIMGPU_MEMORY_TEXTURE_H

#include "simgpu/code/warp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXTURE_CHANNELS = 4, TEXTURE_MAX_CORNERS = 8 };

/* ---- descriptions ------------------------------------------------------------------------------------------------- */

typedef enum SimTexelType {
    SIM_TEXEL_U8,
    SIM_TEXEL_U16,
    SIM_TEXEL_U32,
    SIM_TEXEL_S8,
    SIM_TEXEL_S16,
    SIM_TEXEL_S32,
    SIM_TEXEL_F16,
    SIM_TEXEL_F32,
    SIM_TEXEL_TYPES
} SimTexelType;
typedef enum SimAddressMode {
    SIM_ADDRESS_WRAP,
    SIM_ADDRESS_CLAMP,
    SIM_ADDRESS_MIRROR,
    SIM_ADDRESS_BORDER,
    SIM_ADDRESS_MODES
} SimAddressMode;
typedef enum SimTextureLayout {
    SIM_TEXTURE_LINEAR, /* plain memory, which whole numbers alone index: tex1Dfetch() */
    SIM_TEXTURE_PITCH,  /* rows in memory: two dimensions */
    SIM_TEXTURE_ARRAY   /* a CUDA array of one to three dimensions: here rows in memory as well, on hardware small
                         * tiles, which is how its sectors are counted */
} SimTextureLayout;

/* What a texture object reads, and how. */
typedef struct SimTexture {
    SimTextureLayout layout;
    uint64_t address; /* multiple of 512 */
    SimTexelType type;
    uint32_t channels;              /* 1, 2 or 4 */
    uint32_t dimensions;            /* 1 to 3; LINEAR: 1, PITCH: 2 */
    uint32_t extent[3];             /* texels; 1 beyond the dimensions */
    uint64_t pitch, slice_bytes;    /* bytes from row to row, from slice to slice */
    SimAddressMode address_mode[3]; /* WRAP and MIRROR are CLAMP where coordinates are not normalized */
    bool filters;                   /* linearly; else the nearest texel is taken */
    bool as_integer;                /* 8 and 16 bits are not mapped to [0, 1] or [-1, 1] */
    bool normalized;                /* coordinates are fractions of the extents */
    float border[4];                /* for integers: their bits */
} SimTexture;

/* ---- texture objects --------------------------------------------------------------------------------------------- */

typedef struct Texture {
    uint64_t handle;
    SimTexture is;
    uint32_t channel_bytes, element_bytes;
} Texture;

typedef struct TextureTable {
    Texture *textures; /* [count], by handle: none is ever given twice, so that the newest comes last */
    size_t count, capacity;
    uint64_t made; /* in all */
} TextureTable;

/* Whether CUDA makes such a texture; of the memory nothing but the alignment is looked at. */
bool texture_is_valid(const SimTexture *description);
/* From the first byte of the first texel to the last of the last. */
uint64_t texture_bytes(const SimTexture *description);
/* The new texture's handle. */
uint64_t texture_add(TextureTable *table, const SimTexture *description);
bool texture_remove(TextureTable *table, uint64_t handle);
/* NULL: there is none; `was_one`: it has been removed. */
const Texture *texture_find(const TextureTable *table, uint64_t handle, bool *was_one);
void texture_table_free(TextureTable *table);

/* ---- fetches ----------------------------------------------------------------------------------------------------- */

typedef struct TextureQuery {
    const uint32_t *coordinates[3]; /* [32] each: the bits of float or int32_t */
    bool whole;                     /* int32_t: texels are numbered, neither filtered nor addressed by a mode */
    uint8_t gathered;               /* 1 + the channel of which four texels are wanted; 0: none */
} TextureQuery;

/* Along one axis: the texels on both sides of where a lane reads; -1: the border. */
typedef struct FootprintAxis {
    int32_t texel[2][SIM_WARP_SIZE];
    float weight[SIM_WARP_SIZE]; /* of the second, in 256ths */
} FootprintAxis;

typedef struct Footprint {
    FootprintAxis axis[3];
    uint32_t corners; /* texels that each lane reads, 1 to 8: bit i of a corner's number chooses the
                                     * second texel along axis i */
} Footprint;

void texture_locate(const Texture *texture, const TextureQuery *query, Footprint *footprint);
/* Numbers the 32 bytes that the hardware fetches for a corner of each lane; UINT64_MAX: none, the border is no memory. */
void texture_sectors(const Texture *texture, const Footprint *footprint, uint32_t corner,
                     uint64_t sectors[SIM_WARP_SIZE]);
/* Floats or integers as 32 bits: the channels of the texel or the mixture; channels that do not exist are 0. Of a
 * gather the four texels, counter-clockwise from the lower left. */
void texture_read(const Texture *texture, const TextureQuery *query, const Footprint *footprint,
                  uint32_t values[TEXTURE_CHANNELS][SIM_WARP_SIZE]);

#endif
