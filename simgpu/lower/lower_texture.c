/* Fetches from textures, through texture objects; loads and stores through surface objects.
 *
 * Gradients are not read: only a mipmapped texture has a use for them, and it is refused with them when it is read.
 *
 * Source   PTX ISA 9.0, Texture Instructions: tex, tld4; Surface Instructions: suld, sust.  */

#include "simgpu/lower/lowering.h"
#include "simgpu/lower/operand.h"

#include <string.h>

typedef struct Geometry {
    int dimensions; /* 1 to 3; 0: not one of those here */
    bool is_layered;
} Geometry;

/* "1d", "2d", "3d"; "a1d", "a2d" have layers. */
static Geometry geometry_named(const char *part)
{
    static const struct {
        const char *name;
        Geometry geometry;
    } known[] = {{"1d", {1, false}}, {"2d", {2, false}}, {"3d", {3, false}}, {"a1d", {1, true}}, {"a2d", {2, true}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(part, known[i].name) == 0)
            return known[i].geometry;
    return (Geometry){0};
}

static void set_place(Instruction *instruction, Geometry geometry, const Operand sources[MAX_SOURCES])
{
    instruction->count = (uint8_t)geometry.dimensions;
    instruction->is_layered = geometry.is_layered;
    memcpy(instruction->sources, sources, (size_t)(1 + geometry.dimensions + geometry.is_layered) * sizeof *sources);
}

/* Reads [handle, {x, y}] or [handle, {layer, x, y}]. A vector of three is written as one of four. */
static void place_operands(Lowering *l, const PtxOperand *address, Geometry geometry, Operand sources[MAX_SOURCES])
{
    int first = geometry.is_layered;
    if (address->kind != PTX_ADDRESS || address->number != 0 || address->element_count < first + geometry.dimensions)
        lower_refuse(l, "these coordinates");
    if (address->register_index < 0)
        lower_refuse(l, "a texture or surface reference; use an object");
    sources[0] = address_register(l, address, 8);
    for (int i = 0; i < geometry.dimensions; i++)
        sources[1 + i] = source_operand(l, &address->elements[first + i], 4);
    if (geometry.is_layered)
        sources[1 + geometry.dimensions] = source_operand(l, &address->elements[0], 4);
}

static void texture_results(Lowering *l, const PtxOperand *data, Operand results[4])
{
    if (data->kind != PTX_VECTOR || data->element_count != 4)
        lower_reject_operand(l, data, "a vector of 4");
    for (int i = 0; i < 4; i++)
        results[i] = result_operand(l, &data->elements[i], 4);
}

/* The gradients of tex.grad, in one vector for each direction. */
static void ignored_gradient(Lowering *l, int index, Geometry geometry)
{
    const PtxOperand *gradient = operand_at(l, index);
    if (gradient->kind != PTX_VECTOR || gradient->element_count < geometry.dimensions)
        lower_reject_operand(l, gradient, "a vector with an element for each dimension");
    for (int i = 0; i < gradient->element_count; i++)
        ignored_value(l, &gradient->elements[i], 4);
}

/* The texture decides what the bits of a texel mean; the type in the opcode only has to be one of 32 bits. */
static bool is_result_type(const char *part)
{
    return strcmp(part, "f32") == 0 || strcmp(part, "s32") == 0 || strcmp(part, "u32") == 0;
}

static Instruction *emit_texture(Lowering *l, Geometry geometry, int gathered, bool whole_coordinates, Operand level)
{
    Operand sources[MAX_SOURCES], results[4];
    texture_results(l, operand_at(l, 0), results);
    place_operands(l, operand_at(l, 1), geometry, sources);
    Instruction *texture = emit(l, TEXTURE);
    texture->detail = (uint8_t)gathered;
    texture->is_signed = whole_coordinates;
    memcpy(texture->results, results, sizeof results);
    set_place(texture, geometry, sources);
    if (level.slot != no_operand.slot)
        texture->sources[1 + geometry.dimensions + geometry.is_layered] = level;
    current_block(l)->loads++;
    return texture;
}

/* tex{.level|.grad}.geom.v4.dtype.ctype {r, g, b, a}, [t, {x, y}] {, level | , gradient, gradient} */
void lower_texture(Lowering *l, const OpcodeModifiers *parts)
{
    int extra = parts_have(parts, "level") ? 1 : parts_have(parts, "grad") ? 2 : 0, first = extra > 0 ? 2 : 1;
    Geometry geometry = parts->count == first + 4 ? geometry_named(parts->part[first]) : (Geometry){0};
    if (geometry.dimensions == 0 || strcmp(parts->part[first + 1], "v4") != 0 ||
        !is_result_type(parts->part[first + 2]))
        lower_refuse(l, "");
    const char *coordinates = parts->part[first + 3];
    if (strcmp(coordinates, "f32") != 0 && strcmp(coordinates, "s32") != 0)
        lower_refuse(l, "");
    const Operand level = extra == 1 ? source_operand(l, operand_at(l, 2), 4) : no_operand;
    Instruction *texture = emit_texture(l, geometry, 0, coordinates[0] == 's', level);
    texture->level = (uint8_t)(extra == 1 ? LEVEL_OF_SOURCE : extra == 2 ? LEVEL_OF_GRADIENT : LEVEL_FIRST);
    for (int i = 0; extra == 2 && i < 2; i++)
        ignored_gradient(l, 2 + i, geometry);
}

/* tld4.component.2d.v4.dtype.f32 {a, b, c, d}, [t, {x, y}]: one channel of each of the four texels that a
 * filter would use */
void lower_gather(Lowering *l, const OpcodeModifiers *parts)
{
    static const char channels[] = "rgba";
    const char *channel = parts->count == 6 && strlen(parts->part[1]) == 1 ? strchr(channels, *parts->part[1]) : NULL;
    Geometry geometry = channel != NULL ? geometry_named(parts->part[2]) : (Geometry){0};
    if (geometry.dimensions != 2 || strcmp(parts->part[3], "v4") != 0 || !is_result_type(parts->part[4]) ||
        strcmp(parts->part[5], "f32") != 0)
        lower_refuse(l, "");
    (void)emit_texture(l, geometry, 1 + (int)(channel - channels), false, no_operand);
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

typedef struct SurfaceForm {
    Geometry geometry;
    SurfaceMode mode;
    PtxType type;
    int count; /* elements of the vector */
} SurfaceForm;

static bool mode_named(const char *part, SurfaceMode *mode)
{
    static const char *const names[] = {[SURFACE_TRAP] = "trap", [SURFACE_CLAMP] = "clamp", [SURFACE_ZERO] = "zero"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(part, names[i]) == 0) {
            *mode = (SurfaceMode)i;
            return true;
        }
    return false;
}

/* suld.b.geom{.cop}{.vec}.type.mode, and the same for sust. Formatted stores (sust.p) are refused: CUDA C++ has none. */
static SurfaceForm surface_form(Lowering *l, const OpcodeModifiers *parts)
{
    SurfaceForm form = {.count = parts_have(parts, "v2") ? 2 : parts_have(parts, "v4") ? 4 : 1};
    int hints = 0;
    for (int i = 3; i < parts->count; i++)
        hints += type_part(parts->part[i]) == PTX_NO_TYPE && parts->part[i][0] == 'c' && strlen(parts->part[i]) == 2;
    if (parts->count != 5 + (form.count > 1) + hints || strcmp(parts->part[1], "b") != 0)
        lower_refuse(l, "");
    form.geometry = geometry_named(parts->part[2]);
    form.type = type_part(parts->part[parts->count - 2]);
    const uint32_t most_bytes = 16, element_bytes = ptx_type_bytes(form.type);
    if (form.geometry.dimensions == 0 || element_bytes == 0 || element_bytes * (uint32_t)form.count > most_bytes ||
        !mode_named(parts->part[parts->count - 1], &form.mode))
        lower_refuse(l, "");
    return form;
}

typedef struct Surface {
    Operand address, inside; /* of the element; whether it lies within the surface, in mode ZERO alone */
} Surface;

static Surface emit_surface(Lowering *l, const SurfaceForm *form, const PtxOperand *place, bool stores)
{
    Surface made = {temporary(l, 8), no_operand};
    Operand sources[MAX_SOURCES];
    place_operands(l, place, form->geometry, sources);
    if (form->mode == SURFACE_ZERO) {
        const Operand guard = l->guard;
        made.inside = temporary(l, 1);
        l->guard = no_operand; /* where the instruction does not run, no element lies within */
        emit_move(l, made.inside, constant(l, 0, 1));
        l->guard = guard;
    }
    Instruction *surface = emit(l, SURFACE);
    surface->detail = (uint8_t)form->mode;
    surface->size = (uint8_t)__builtin_ctz(ptx_type_bytes(form->type) * (uint32_t)form->count);
    surface->stores = stores;
    surface->results[0] = made.address;
    surface->results[1] = made.inside;
    set_place(surface, form->geometry, sources);
    return made;
}

/* What is emitted next runs where the predicate holds. */
static void activate(Lowering *l, Operand predicate)
{
    l->guard = predicate;
    l->guard_negated = false;
}

/* The element is ordinary memory, which is loaded and stored in the ordinary way. SURFACE has counted it. */
static Instruction *emit_element(Lowering *l, InstructionKind kind, const SurfaceForm *form, Operand address)
{
    Instruction *access = emit(l, kind);
    access->space = PTX_GLOBAL;
    access->is_hidden = true;
    access->size = size_of(form->type);
    access->count = (uint8_t)form->count;
    access->sources[0] = address;
    return access;
}

/* The registers of {a, b, c, d}, which may be one. */
static const PtxOperand *elements_of(Lowering *l, const PtxOperand *data, const SurfaceForm *form)
{
    if (data->kind != PTX_VECTOR || data->element_count != form->count)
        lower_reject_operand(l, data, "a vector as long as the opcode says");
    return data->elements;
}

/* suld.b.geom{.vec}.type.mode {a, b}, [s, {x, y}] */
void lower_surface_load(Lowering *l, const OpcodeModifiers *parts)
{
    const SurfaceForm form = surface_form(l, parts);
    const PtxOperand *data = elements_of(l, operand_at(l, 0), &form);
    Operand results[4] = {0};
    for (int i = 0; i < form.count; i++)
        results[i] = result_at_least(l, &data[i], ptx_type_bytes(form.type));
    const Surface surface = emit_surface(l, &form, operand_at(l, 1), false);
    if (form.mode == SURFACE_ZERO) {
        for (int i = 0; i < form.count; i++)
            emit_move(l, results[i], constant(l, 0, bytes_of(results[i])));
        activate(l, surface.inside);
    }
    Instruction *load = emit_element(l, LOAD, &form, surface.address);
    memcpy(load->results, results, (size_t)form.count * sizeof *results);
    current_block(l)->loads++;
}

/* sust.b.geom{.vec}.type.mode [s, {x, y}], {a, b} */
void lower_surface_store(Lowering *l, const OpcodeModifiers *parts)
{
    const SurfaceForm form = surface_form(l, parts);
    const PtxOperand *data = elements_of(l, operand_at(l, 1), &form);
    Operand values[4] = {0};
    for (int i = 0; i < form.count; i++)
        values[i] = source_at_least(l, &data[i], ptx_type_bytes(form.type));
    const Surface surface = emit_surface(l, &form, operand_at(l, 0), true);
    if (form.mode == SURFACE_ZERO)
        activate(l, surface.inside);
    Instruction *store = emit_element(l, STORE, &form, surface.address);
    memcpy(store->sources + 1, values, (size_t)form.count * sizeof *values);
}
