#include <pthread.h>

#include "simgpu/code/lanes.h"

#include "base/machine.h"
#include "simgpu/code/lane_math.h"

/* ==== opcodes ===================================================================================================== */

#define IS_FLOAT(T) (__builtin_types_compatible_p(T, f32) || __builtin_types_compatible_p(T, f64))
static const OpcodeInfo opcodes[OPCODE_COUNT] = {
#define UNARY(ID, FORM, CLASS, D, A, EXPRESSION) {FORM, CLASS, sizeof(D), {sizeof(A)}, {IS_FLOAT(A)}},
#define BINARY(ID, FORM, CLASS, D, A, B, EXPRESSION)                                                                   \
    {FORM, CLASS, sizeof(D), {sizeof(A), sizeof(B)}, {IS_FLOAT(A), IS_FLOAT(B)}},
#define TERNARY(ID, FORM, CLASS, D, A, B, C, EXPRESSION)                                                               \
    {FORM, CLASS, sizeof(D), {sizeof(A), sizeof(B), sizeof(C)}, {IS_FLOAT(A), IS_FLOAT(B), IS_FLOAT(C)}},
#define QUATERNARY(ID, FORM, CLASS, D, A, B, C, E, EXPRESSION)                                                         \
    {FORM,                                                                                                             \
     CLASS,                                                                                                            \
     sizeof(D),                                                                                                        \
     {sizeof(A), sizeof(B), sizeof(C), sizeof(E)},                                                                     \
     {IS_FLOAT(A), IS_FLOAT(B), IS_FLOAT(C), IS_FLOAT(E)}},
#include "simgpu/code/opcodes.def"
};

/* A hash table with open addressing from form to opcode, filled at first use. */
enum { TABLE_SIZE = 2048 };
_Static_assert(OPCODE_COUNT * 2 < TABLE_SIZE, "the table must stay half empty");
static uint16_t table[TABLE_SIZE]; /* opcode + 1; 0: empty */
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static uint32_t hash_of(const char *form)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (; *form != '\0'; form++)
        hash = (hash ^ (unsigned char)*form) * 16777619u;
    return hash;
}

static void fill_table(void)
{
    for (int opcode = 0; opcode < OPCODE_COUNT; opcode++) {
        uint32_t at = hash_of(opcodes[opcode].form) % TABLE_SIZE;
        while (table[at] != 0)
            at = (at + 1) % TABLE_SIZE;
        table[at] = (uint16_t)(opcode + 1);
    }
}

const OpcodeInfo *opcode_info(Opcode opcode)
{
    return &opcodes[opcode];
}

Opcode opcode_find(const char *form)
{
    pthread_once(&table_once, fill_table);
    for (uint32_t at = hash_of(form) % TABLE_SIZE; table[at] != 0; at = (at + 1) % TABLE_SIZE)
        if (strcmp(opcodes[table[at] - 1].form, form) == 0)
            return (Opcode)(table[at] - 1);
    return OPCODE_NONE;
}

/* ==== lanes ======================================================================================================= */

#define LEVEL(NAME, MARCH, TARGET) extern const LaneTable lanes_##NAME;
MACHINE_LEVELS(LEVEL)
#undef LEVEL

const LaneTable *lanes_best(void)
{
#define LEVEL(NAME, MARCH, TARGET) &lanes_##NAME,
    static const LaneTable *const tables[] = {MACHINE_LEVELS(LEVEL)};
#undef LEVEL
    return tables[machine_level()];
}
