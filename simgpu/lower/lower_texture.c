/* Fetches from textures, through texture objects.
 *
 * Textures have only their first mip level, so that the level operand is ignored.
 *
 * Source   PTX ISA 9.0, Texture Instructions: tex, tld4.  */
#include "simgpu/lower/lower_texture.h"

#include "simgpu/lower/emit/basic_block.h"
#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/operand.h"
#include "simgpu/lower/emit/virtual_register.h"

#include <string.h>

/* 1 to 3 for "1d" to "3d"; 0 for any other geometry. */
static int dimensions_named(const char *part)
{
    bool is_known = strcmp(part, "1d") == 0 || strcmp(part, "2d") == 0 || strcmp(part, "3d") == 0;
    return is_known ? part[0] - '0' : 0;
}

/* Reads [handle, {x, y}]. Three coordinates are written as a vector of four. */
static void texture_sources(Lowering *l, const PtxOperand *address, int dimensions, Operand sources[4])
{
    if (address->kind != PTX_ADDRESS || address->number != 0 || address->element_count < dimensions)
        lower_refuse(l, "these coordinates");
    if (address->register_index < 0)
        lower_refuse(l, "a texture reference; use a texture object");
    PtxOperand handle = *address;
    handle.kind = PTX_REGISTER;
    sources[0] = source_operand(l, &handle, 8);
    for (int i = 0; i < dimensions; i++)
        sources[1 + i] = source_operand(l, &address->elements[i], 4);
}

static void texture_results(Lowering *l, const PtxOperand *data, Operand results[4])
{
    if (data->kind != PTX_VECTOR || data->element_count != 4)
        lower_refuse(l, "this number of vector elements");
    for (int i = 0; i < 4; i++) {
        results[i] = result_operand(l, &data->elements[i], 4);
        if (bytes_of(results[i]) != 4)
            lower_refuse(l, "a result register of another size");
    }
}

/* The texture decides what the bits of a texel mean; the type in the opcode only has to be one of 32 bits. */
static bool is_result_type(const char *part)
{
    return strcmp(part, "f32") == 0 || strcmp(part, "s32") == 0 || strcmp(part, "u32") == 0;
}

static void emit_texture(Lowering *l, int dimensions, int gathered, bool whole_coordinates)
{
    Operand sources[4], results[4];
    texture_results(l, operand_at(l, 0), results);
    texture_sources(l, operand_at(l, 1), dimensions, sources);
    Instruction *texture = emit(l, TEXTURE);
    texture->detail = (uint8_t)gathered;
    texture->count = (uint8_t)dimensions;
    texture->is_signed = whole_coordinates;
    memcpy(texture->results, results, sizeof results);
    memcpy(texture->sources, sources, (size_t)(1 + dimensions) * sizeof *sources);
    current_block(l)->loads++;
}

/* tex{.level}.geom.v4.dtype.ctype {r, g, b, a}, [t, {x, y}] {, level} */
void lower_texture(Lowering *l, const Parts *parts)
{
    bool has_level = parts_have(parts, "level");
    int first = has_level ? 2 : 1;
    int dimensions = parts->count == first + 4 ? dimensions_named(parts->part[first]) : 0;
    if (dimensions == 0 || strcmp(parts->part[first + 1], "v4") != 0 || !is_result_type(parts->part[first + 2]) ||
        l->source->operand_count != (has_level ? 3 : 2))
        lower_refuse(l, "");
    const char *coordinates = parts->part[first + 3];
    if (strcmp(coordinates, "f32") != 0 && strcmp(coordinates, "s32") != 0)
        lower_refuse(l, "");
    emit_texture(l, dimensions, 0, coordinates[0] == 's');
}

/* tld4.component.2d.v4.dtype.f32 {a, b, c, d}, [t, {x, y}]: one channel of each of the four texels that a
 * filter would use */
void lower_gather(Lowering *l, const Parts *parts)
{
    static const char channels[] = "rgba";
    const char *channel = parts->count == 6 && strlen(parts->part[1]) == 1 ? strchr(channels, *parts->part[1]) : NULL;
    if (channel == NULL || strcmp(parts->part[2], "2d") != 0 || strcmp(parts->part[3], "v4") != 0 ||
        !is_result_type(parts->part[4]) || strcmp(parts->part[5], "f32") != 0 || l->source->operand_count != 2)
        lower_refuse(l, "");
    emit_texture(l, 2, 1 + (int)(channel - channels), false);
}
