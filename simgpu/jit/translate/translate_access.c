#include "simgpu/jit/translate/translate_access.h"

#include "simgpu/jit/translate/lanes.h"
#include "simgpu/jit/translate/point.h"
#include "simgpu/jit/translate/stretch.h"
#include "simgpu/jit/translate/value.h"

typedef struct AccessAddress {
    const Instruction *instruction;
    Value address;               /* offset included */
    const char *first;           /* the address in the first lane */
    const char *steps[AXES + 1]; /* along the axes, the irregular one last */
    const char *pointer;         /* of the host; where it varies: for x == 0 of the row */
} AccessAddress;

/* The pointer to element `index` of a vector access. */
static const char *element(Builder *b, const AccessAddress *place, int index)
{
    int offset = index << place->instruction->size;
    if (is_same_for_all(&place->address))
        return arena_printf(&b->scratch, "%s + %d", place->pointer, offset);
    const char *text = arena_printf(&b->scratch, "%s + %d", place->pointer, offset);
    if (!is_number(place->address.part[1], 0))
        text = arena_printf(&b->scratch, "%s + (s64)%s * x", text, place->steps[0]);
    if (is_irregular(&place->address)) /* 32 bits are enough for a pattern, and gcc has an instruction for that */
        text = arena_printf(&b->scratch, "%s + (s32)%s * place%d[lane + x]", text, place->steps[AXES],
                            place->address.axis);
    return text;
}

static void find_first(Builder *b, AccessAddress *place)
{
    const Value *address = &place->address;
    char *sum = arena_string(&b->scratch, atom_text(b, address->part[0]));
    for (int i = 1; i < PARTS; i++) {
        place->steps[i - 1] = atom_text(b, address->part[i]);
        if (i <= AXES && !is_number(address->part[i], 0))
            sum = arena_printf(&b->scratch, "%s + %s * (u64)%c0", sum, place->steps[i - 1], 'w' + i);
    }
    place->first = atom_text(b, new_atom(b, address->size == 2 ? "(u32)(%s)" : "%s", sum));
}

static void find_pointer(Builder *b, AccessAddress *place)
{
    bool in_shared = place->instruction->space == PTX_SHARED;
    const char *base = arena_printf(&b->scratch, in_shared ? "f->shared + (s64)%s" : "(char *)%s", place->first);
    if (is_same_for_all(&place->address)) {
        place->pointer = base;
        return;
    }
    int row = b->names++;
    text_printf(&b->rows, "        char *const p%d = %s + (s64)%s * (y - y0) + (s64)%s * (z - z0) - (s64)%s * x0;\n",
                row, base, place->steps[1], place->steps[2], place->steps[0]);
    place->pointer = arena_printf(&b->scratch, "p%d", row);
}

static uint32_t bytes_of_lane(const Instruction *instruction)
{
    return (uint32_t)instruction->count << instruction->size;
}

/* Requires that the access is allowed, and counts it. */
static void check_access(Builder *b, const AccessAddress *place)
{
    const Instruction *i = place->instruction;
    bool is_store = i->kind == STORE;
    const char *name = arena_printf(&b->scratch, "%s%s", i->space == PTX_SHARED ? "shared_" : "",
                                    is_store ? "store" : "load");
    const char *steps = arena_printf(&b->scratch, "(s64)%s, (s64)%s, (s64)%s", place->steps[0], place->steps[1],
                                     place->steps[2]);
    if (is_irregular(&place->address))
        require(b, "is_proven_on(&proven[%d], %s, %u, %s, (s64)%s, &axes[%d]) || f->prove(f, %d, %s, %s, (s64)%s, %d)",
                i->index, place->first, bytes_of_lane(i), steps, place->steps[AXES], place->address.axis,
                b->instruction, place->first, steps, place->steps[AXES], place->address.axis);
    else
        require(b, "is_proven(&proven[%d], %s, %u, %s) || f->prove(f, %d, %s, %s, 0, -1)", i->index, place->first,
                bytes_of_lane(i), steps, b->instruction, place->first, steps);
    if (b->is_dry_run)
        return;
    if (i->space != PTX_SHARED)
        text_printf(&b->head, "    note_first_address(&proven[%d], %s);\n", i->index, place->first);
    if (i->is_merged)
        return;
    if (i->space == PTX_SHARED)
        text_printf(&b->commit, "    f->sums.%ss++;\n    f->sums.%s_wavefronts += proven[%d].cost;\n", name, name,
                    i->index);
    else if (i->space == PTX_CONST)
        text_printf(&b->commit, "    f->sums.constant_loads++;\n    f->sums.constant_words += proven[%d].cost;\n",
                    i->index);
    else
        text_printf(&b->commit,
                    "    f->sums.%s_requests++;\n    f->sums.%s_bytes += %u;\n"
                    "    f->sums.%s_sectors += proven[%d].sectors[%s %% 32];\n",
                    name, name, bytes_of_lane(i), name, i->index, place->first);
    if (i->space != PTX_SHARED && i->space != PTX_CONST && !is_store)
        text_printf(&b->commit, "    f->sums.load_wavefronts += proven[%d].cost;\n", i->index);
}

/* Tells of a store into memory in which something comes from the host (simgpu/memory/origin.h). */
static void note_store(Builder *b, const AccessAddress *place)
{
    const Instruction *i = place->instruction;
    if (!b->is_dry_run && i->kind == STORE && i->space != PTX_SHARED)
        text_printf(&b->commit, "    if (proven[%d].is_noted)\n        f->note_store(f, %d, %s);\n", i->index,
                    b->instruction, place->first);
}

/* The sanitizer finds the values of a store in the register file, because a store begins a stretch. */
static void sanitize_access(Builder *b, const AccessAddress *place)
{
    const Instruction *i = place->instruction;
    if (b->is_dry_run || i->space == PTX_CONST)
        return;
    if (i->kind == LOAD) {
        text_printf(&b->commit, "    if (f->is_sanitized)\n        f->sanitize_load(f, %d, %s);\n", b->instruction,
                    place->first);
        return;
    }
    text_add(&b->commit, "    if (f->is_sanitized) {\n");
    int point = new_point(b, &b->commit, b->instruction, b->now, i->sources + 1, i->count);
    text_printf(&b->commit, "        f->sanitize_store(f, %d, %s);\n    }\n", point, place->first);
}

static void load_elements(Builder *b, const AccessAddress *place)
{
    const Instruction *instruction = place->instruction;
    static const char *const signed_words[] = {"s8", "s16", "s32", "s64"};
    const char *type = instruction->is_signed ? signed_words[instruction->size] : word(instruction->size);
    for (int i = 0; i < instruction->count; i++) {
        Operand to = instruction->results[i];
        if (is_same_for_all(&place->address)) {
            Value value = scalar_literal(0, to.size);
            value.part[0] = new_atom(b, "(%s)PEEK(%s, %s)", word(to.size), type, element(b, place, i));
            set_value(b, to, value);
            continue;
        }
        int name = new_lane_value(b, to);
        if (!b->is_dry_run)
            text_printf(&b->lanes, "            const %s v%d = (%s)PEEK(%s, %s);\n", word(to.size), name, word(to.size),
                        type, element(b, place, i));
    }
}

static void store_elements(Builder *b, const AccessAddress *place)
{
    const Instruction *instruction = place->instruction;
    for (int i = 0; i < instruction->count; i++) {
        const char *value = lane_text(b, instruction->sources[1 + i]);
        if (!b->is_dry_run)
            text_printf(&b->lanes, "            POKE(%s, %s, %s);\n", word(instruction->size), element(b, place, i),
                        value);
    }
}

/* Accesses to shared memory that are narrower than a bank are left to the interpreter: their cost depends on the
 * address. */
static bool can_access(const Builder *b, const Instruction *instruction)
{
    bool is_shared = instruction->space == PTX_SHARED;
    if (instruction->guard.slot != NO_SLOT || instruction->is_hidden || (is_shared && bytes_of_lane(instruction) < 4) ||
        (!is_shared && instruction->space != PTX_GLOBAL && instruction->space != PTX_CONST))
        return false;
    return true;
}

bool translate_access(Builder *b, const Instruction *instruction)
{
    if (!can_access(b, instruction))
        return false;
    if (source_value(b, instruction->sources[0]).is_varying)
        make_axis(b, instruction->sources[0]);
    bool is_store = instruction->kind == STORE;
    Order *order = instruction->space == PTX_SHARED ? &b->shared : &b->global;
    if (order->stored || is_store)
        renew_stretch(b);
    *(is_store ? &order->stored : &order->loaded) = true;
    AccessAddress place = {.instruction = instruction, .address = source_value(b, instruction->sources[0])};
    if (instruction->sources[0].slot == NO_SLOT)
        place.address = scalar_literal(0, 3);
    Atom base = place.address.part[0];
    place.address.part[0] = base.is_literal ? atom_literal(base.number + (uint64_t)instruction->offset)
                                            : new_atom(b, "%s + %lluull", atom_text(b, base),
                                                       (unsigned long long)instruction->offset);
    find_first(b, &place);
    check_access(b, &place);
    sanitize_access(b, &place);
    note_store(b, &place);
    if (!b->is_dry_run)
        find_pointer(b, &place);
    else
        place.pointer = "";
    if (is_store)
        store_elements(b, &place);
    else
        load_elements(b, &place);
    return true;
}
