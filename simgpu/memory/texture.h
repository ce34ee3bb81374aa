/* texture.h - texture objects, and what a warp reads through one; surface objects, and where their elements lie.
 *
 * A fetch has two steps: from coordinates to texels (TexelFootprint), and from texels to values. Between the two the caller
 * can count what is read. Loads and stores through a surface move plain bytes, so that only their address is found here.
 *
 * Lanes    all 32 lanes of a warp at once. Lanes that do not fetch may have any coordinates; their values are unused.
 * Errors   none: any coordinates, also NaN, lead to texels of the texture or to its border. The memory of a texture may
 *          have been freed: the caller must check its texture_bytes() before reading.
 * Source   CUDA C++ Programming Guide 13.0, "Texture Fetching": nearest-point sampling, linear filtering; "Texture
 *          Memory" for the address modes; "Layered Textures". PTX ISA 9.0, Surface Instructions, for surfaces.  */
#ifndef SIMGPU_MEMORY_TEXTURE_H
#define SIMGPU_MEMORY_TEXTURE_H

#include "simgpu/code/code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXTURE_CHANNELS = 4, TEXTURE_MAX_CORNERS = 8, TEXTURE_MAX_LEVELS = 16 };

/* ---- descriptions ------------------------------------------------------------------------------------------------ */

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
    SIM_TEXTURE_LINEAR, /* plain memory, read with integer coordinates only: tex1Dfetch() */
    SIM_TEXTURE_PITCH,  /* rows in memory, two dimensions */
    SIM_TEXTURE_ARRAY   /* a CUDA array of one to three dimensions. Here its rows lie in memory as well; hardware
                         * stores it in small tiles, and so its sectors are counted */
} SimTextureLayout;

/* What a texture object reads, and how. */
typedef struct SimTexture {
    SimTextureLayout layout;
    uint64_t address; /* multiple of 512 */
    SimTexelType type;
    uint32_t channels;                  /* 1, 2 or 4 */
    uint32_t dimensions;                /* 1 to 3; LINEAR: 1, PITCH: 2 */
    uint32_t extent[3];                 /* texels; 1 beyond the dimensions */
    uint32_t layers;                    /* of an array of one or two dimensions; 0: it is not layered */
    uint64_t pitch, slice_bytes;        /* bytes from row to row, from slice or layer to the next */
    SimAddressMode address_mode[3];     /* WRAP and MIRROR act as CLAMP where coordinates are not normalized */
    bool filters;                       /* interpolates linearly; else takes the nearest texel */
    bool as_integer;                    /* gives integers; else 8 and 16 bits are mapped to [0, 1] or [-1, 1] */
    bool normalized;                    /* coordinates are fractions of the extents */
    float border[4];                    /* where texels are integers: their bits */
    bool is_surface;                    /* of an array: kernels load and store its bytes, and cannot fetch from it */
    uint32_t levels;                    /* of a mipmapped array, of which this describes the first; 0: it is none */
    uint64_t level[TEXTURE_MAX_LEVELS]; /* from the second on: textures of one level, which end with this one */
    bool mixes_levels;                  /* interpolates between two levels; else takes the nearest */
    float level_bias, least_level, most_level; /* which level is read */
} SimTexture;

/* ---- texture objects --------------------------------------------------------------------------------------------- */

typedef struct Texture {
    uint64_t handle;
    SimTexture is;
    uint32_t channel_bytes, element_bytes;
} Texture;

typedef struct TextureTable {
    Texture *textures; /* [count] by handle; no handle is used twice, so that the newest comes last */
    size_t count, capacity;
    uint64_t made; /* textures so far */
} TextureTable;

/* Would CUDA create such a texture? Of its memory only the alignment is checked. */
bool texture_is_valid(const SimTexture *description);
/* Bytes from the start of the first texel to the end of the last one. */
uint64_t texture_bytes(const SimTexture *description);
/* The level of detail that is read where a kernel asks for level `asked`, from 0 to levels - 1. */
float texture_level(const SimTexture *description, float asked);
/* Returns the new texture's handle. */
uint64_t texture_add(TextureTable *table, const SimTexture *description);
bool texture_remove(TextureTable *table, uint64_t handle);
/* NULL where there is no such texture; `was_one`: there was one, which has been removed. */
const Texture *texture_find(const TextureTable *table, uint64_t handle, bool *was_one);
void texture_table_free(TextureTable *table);

/* ---- fetches ----------------------------------------------------------------------------------------------------- */

typedef struct TextureQuery {
    const uint32_t *coordinates[3]; /* [32] each: the bits of float or int32_t */
    const uint32_t *layers;         /* [32]; NULL: the texture is not layered */
    bool whole;                     /* int32_t numbers of texels, without filter and address mode */
    uint8_t gathered;               /* 1 + the channel that is gathered from four texels; 0: no gather */
} TextureQuery;

/* Along one axis: the two texels between which a lane reads; -1: the border. */
typedef struct TexelAxis {
    int32_t texel[2][SIM_WARP_SIZE];
    float weight[SIM_WARP_SIZE]; /* of the second, in 256ths */
} TexelAxis;

typedef struct TexelFootprint {
    TexelAxis axis[3];
    uint32_t corners; /* texels that each lane reads, 1 to 8. Bit i of a corner's number chooses the second texel along
                       * axis i */
} TexelFootprint;

void texture_locate(const Texture *texture, const TextureQuery *query, TexelFootprint *footprint);
/* The number of the 32-byte sector that the hardware reads for a corner of each lane; UINT64_MAX: none, for the
 * border. */
void texture_sectors(const Texture *texture, const TexelFootprint *footprint, uint32_t corner,
                     uint64_t sectors[SIM_WARP_SIZE]);
/* The addresses of a corner of each lane; 0: none, for the border. */
void texture_addresses(const Texture *texture, const TexelFootprint *footprint, uint32_t corner,
                       uint64_t addresses[SIM_WARP_SIZE]);
/* How much a corner adds to the value that a lane interpolates between several. */
float texture_weight(const Texture *texture, const TexelFootprint *footprint, uint32_t corner, uint32_t lane);
/* The channels of the texel, or of the interpolated value, as the 32 bits of floats or integers. Channels that the
 * texture does not have are 0. A gather gives one channel of four texels, counter-clockwise from the lower left. */
void texture_read(const Texture *texture, const TextureQuery *query, const TexelFootprint *footprint,
                  uint32_t values[TEXTURE_CHANNELS][SIM_WARP_SIZE]);

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

typedef struct SurfacePlace {
    uint32_t x_bytes, y; /* y: 0 in one dimension */
    uint32_t z;          /* the slice or the layer; else 0 */
} SurfacePlace;

/* Whether an access of `bytes` lies within the surface. */
bool surface_holds(const Texture *surface, uint32_t bytes, const SurfacePlace *place);
/* Moves the place to the nearest one within, for a surface whose rows have at least `bytes`. */
void surface_clamp(const Texture *surface, uint32_t bytes, SurfacePlace *place);
/* The address of a place within the surface. */
uint64_t surface_address(const Texture *surface, const SurfacePlace *place);
/* The number of its 32-byte sector, as texture_sectors() counts them. */
uint64_t surface_sector(const Texture *surface, const SurfacePlace *place);

#endif
