#include "base/tests/unit.h"

#include "simgpu/code/code.h"
#include "simgpu/code/instruction.h"

#include <string.h>

static const char *const names[] = {
#define INSTRUCTION(KIND, ...) #KIND,
#include "simgpu/code/instructions.def"
#undef INSTRUCTION
};

/* Notes are kept under the index, so what has no index cannot be an access or a store. */
static void what_accesses_memory_has_an_index(void **state)
{
    for (size_t kind = 0; kind < COUNT_OF(names); kind++) {
        const Instruction instruction = {.kind = (uint8_t)kind, .count = 1, .detail = 1};
        const InstructionFacts facts = instruction_facts(&instruction);
        if ((facts.stores || facts.bytes > 0) && !facts.is_indexed)
            fail_test("%s has no index", names[kind]);
    }
}

static void register_widths_are_letters_of_the_check(void **state)
{
    for (size_t kind = 0; kind < COUNT_OF(names); kind++) {
        const InstructionFacts facts = instruction_facts(&(Instruction){.kind = (uint8_t)kind});
        if (strspn(facts.results, "p48aewr?*") != strlen(facts.results) ||
            strspn(facts.sources, "p48aewr?*") != strlen(facts.sources))
            fail_test("%s: \"%s\", \"%s\"", names[kind], facts.results, facts.sources);
    }
}

static void other_blocks_see_strong_accesses_to_global_memory(void **state)
{
    const struct {
        Instruction instruction;
        bool is_seen;
    } rows[] = {
        {{.kind = LOAD, .space = PTX_GLOBAL, .is_strong = true}, true},
        {{.kind = LOAD, .space = PTX_GLOBAL}, false},
        {{.kind = STORE, .space = PTX_SHARED, .is_strong = true}, false},
        {{.kind = ATOMIC, .space = PTX_NO_SPACE}, true},
        {{.kind = ATOMIC, .space = PTX_SHARED}, false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(instruction_facts(&rows[i].instruction).is_seen, rows[i].is_seen);
}

static void a_bulk_copy_stores_where_it_leaves_shared_memory(void **state)
{
    assert_true(instruction_facts(&(Instruction){.kind = BULK_COPY, .detail = BULK_STORE}).stores);
    assert_false(instruction_facts(&(Instruction){.kind = BULK_COPY, .detail = BULK_LOAD}).stores);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_accesses_memory_has_an_index),
        cmocka_unit_test(register_widths_are_letters_of_the_check),
        cmocka_unit_test(other_blocks_see_strong_accesses_to_global_memory),
        cmocka_unit_test(a_bulk_copy_stores_where_it_leaves_shared_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
