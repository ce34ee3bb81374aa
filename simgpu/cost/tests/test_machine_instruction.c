#include "base/tests/unit.h"

#include "simgpu/cost/machine_program.c"

/* Machine code is put together here from its fields; test_machine_code.c reads a whole cubin. */

enum { ALWAYS = 7, PREDICATE_AT = 12, SECOND_PREDICATE_AT = 87, SIZE_AT = 73, BANK_AT = 54, FORM_AT = 9 };

typedef struct Word {
    uint64_t half[2];
} Word;

static Word with(Word word, int at, uint64_t value)
{
    word.half[at / 64] |= value << at % 64;
    return word;
}

static Word plain(uint32_t operation)
{
    return with(with((Word){{operation}}, PREDICATE_AT, ALWAYS), SECOND_PREDICATE_AT, ALWAYS);
}

static void an_access_has_the_size_that_its_bits_say(void **state)
{
    static const uint32_t bytes[] = {1, 1, 2, 2, 4, 8, 16, 4};
    for (size_t i = 0; i < COUNT_OF(bytes); i++)
        assert_int_equal(decode(with(plain(MACHINE_LDG), SIZE_AT, i).half, 0, 9).bytes, bytes[i]);
}

static void an_instruction_under_a_predicate_is_conditional(void **state)
{
    enum { PLAIN = 4 << FORM_AT, UNIFORM = 2 << FORM_AT };
    const struct {
        uint32_t operation, predicate, second;
        bool conditional;
    } rows[] = {
        {MACHINE_MOV, ALWAYS, 0, false},
        {MACHINE_MOV, 0, ALWAYS, true},
        {MACHINE_EXIT, ALWAYS, 0, false},
        {MACHINE_EXIT, 8, 0, true},
        {MACHINE_BRA | PLAIN, ALWAYS, ALWAYS, false},
        {MACHINE_BRA | PLAIN, 0, ALWAYS, true},
        {MACHINE_BRA | PLAIN, ALWAYS, 0, true},
        {MACHINE_BRA | UNIFORM, ALWAYS, ALWAYS, true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Word word = with((Word){{rows[i].operation}}, PREDICATE_AT, rows[i].predicate);
        word = with(word, SECOND_PREDICATE_AT, rows[i].second);
        if (decode(word.half, 0, 9).is_conditional != rows[i].conditional)
            fail_test("row %zu", i);
    }
}

static void each_scheduling_field_is_read_from_its_bits(void **state)
{
    const Word word = with(with(with(with(plain(MACHINE_LDG), 105, 11), 110, 5), 113, 2), 116, 0x2a);
    const MachineInstruction found = decode(word.half, 0, 9);
    assert_int_equal(found.operation, MACHINE_LDG);
    assert_int_equal(found.stall, 11);
    assert_int_equal(found.result_barrier, 5);
    assert_int_equal(found.operand_barrier, 2);
    assert_int_equal(found.waits, 0x2a);
    assert_int_equal(found.target, -1);
}

static void a_branch_goes_on_from_the_next_instruction(void **state)
{
    const struct {
        int64_t bytes;
        int64_t target; /* from instruction 10 */
    } rows[] = {{0, 11}, {0x20, 13}, {-0x10, 10}, {-0x50, 6}, {0x4000, 1035}, {1ll << 34, 11 + (1ll << 30)}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const uint64_t distance = (uint64_t)rows[i].bytes & 0xffffffffffff, words = (uint64_t)(rows[i].bytes / 4);
        const uint64_t high = words >> 8 & 0xffffffffffff;
        const Word before = {{MACHINE_BRA | distance << 34, distance >> 30}};
        const Word since_hopper = {{MACHINE_CALL | (words & 0xff) << 16 | high << 34, high >> 30}};
        assert_int_equal(decode(before.half, 10, 8).target, rows[i].target);
        assert_int_equal(decode(since_hopper.half, 10, 9).target, rows[i].target);
    }
}

static void constants_of_the_programmer_lie_in_bank_3(void **state)
{
    const struct {
        uint32_t operation, form, bank;
        bool of_variables, direct;
    } rows[] = {
        {MACHINE_FFMA, 5, 3, true, true},           {MACHINE_FFMA, 5, 0, false, false},
        {MACHINE_FFMA, 1, 3, true, false},          {MACHINE_ULDC, 5, 3, true, true},
        {MACHINE_LDC, 5, 3, true, false},           {MACHINE_ULDC, 5, 0, false, false},
        {MACHINE_FIRST_UNIFORM, 5, 3, true, false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const Word word = with(with(plain(rows[i].operation), FORM_AT, rows[i].form), BANK_AT, rows[i].bank);
        const MachineInstruction found = decode(word.half, 0, 9);
        if (found.of_variables != rows[i].of_variables || found.direct != rows[i].direct)
            fail_test("row %zu", i);
    }
}

/* What each operation is: l a load, a an access, o one of local memory, f an operation in float32; in capitals the spaces of
 * PTX whose accesses it can be: X generic, G global, S shared, L local, C constant. */
static void each_operation_is_what_its_name_says(void **state)
{
    static const struct {
        uint32_t operation;
        bool of_variables;
        const char *is;
    } rows[] = {
        {MACHINE_LD, false, "laXGSLC"},      {MACHINE_LDG, false, "laXG"},
        {MACHINE_LDL, false, "laoXL"},       {MACHINE_LDS, false, "aXS"},
        {MACHINE_ST, false, "aXGSLC"},       {MACHINE_STG, false, "aXG"},
        {MACHINE_STL, false, "aoXL"},        {MACHINE_STS, false, "aXS"},
        {MACHINE_LDC, true, "aXC"},          {MACHINE_LDC, false, ""},
        {MACHINE_ULDC, true, "aXC"},         {MACHINE_ULDC, false, ""},
        {MACHINE_ULDC_INDEXED, true, "aXC"}, {MACHINE_ULDC_INDEXED, false, ""},
        {MACHINE_LAST_MEMORY, false, "a"},   {MACHINE_LAST_MEMORY + 1, false, ""},
        {MACHINE_LD - 1, false, ""},         {MACHINE_FMUL, false, "f"},
        {MACHINE_FADD, false, "f"},          {MACHINE_FFMA, false, "f"},
        {MACHINE_IMAD, false, ""},
    };
    static const PtxSpace spaces[] = {PTX_NO_SPACE, PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_CONST};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const MachineInstruction one = {.operation = rows[i].operation, .of_variables = rows[i].of_variables};
        char is[12] = "";
        size_t length = 0;
        if (machine_is_load(&one))
            is[length++] = 'l';
        if (machine_is_access(&one))
            is[length++] = 'a';
        if (machine_is_local(&one))
            is[length++] = 'o';
        if (machine_is_float(&one))
            is[length++] = 'f';
        for (size_t k = 0; k < COUNT_OF(spaces); k++)
            if (machine_makes_access(&one, spaces[k]))
                is[length++] = "XGSLC"[k];
        if (strcmp(is, rows[i].is) != 0)
            fail_test("0x%x: %s, expected %s", rows[i].operation, is, rows[i].is);
    }
}

/* A stretch begins with the code, behind each instruction that may go elsewhere, and where one leads. */
static void a_stretch_begins_behind_a_branch_and_where_it_leads(void **state)
{
    static const uint32_t ends[] = {MACHINE_BRA, MACHINE_BRX, MACHINE_CALL, MACHINE_RET};
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        MachineInstruction code[8] = {
            {.target = -1}, {.target = -1}, {.operation = ends[i], .target = 5},     {.target = -1},
            {.target = -1}, {.target = -1}, {.operation = MACHINE_EXIT, .target = 7}};
        char leads[9] = "";
        find_stretches(code, 7);
        for (int k = 0; k < 8; k++)
            leads[k] = code[k].leads ? '1' : '0';
        assert_string_equal(leads, "10010100");
    }
}

/* A kernel of lines 1 to 3 that calls what stands behind its end, as ptxas writes a division. */
enum { CALL = 2, END = 4, FUNCTION = 5, CODE = 8 };

static void make_call(MachineInstruction *code, int32_t *lines)
{
    static const uint32_t operations[CODE] = {MACHINE_MOV,  MACHINE_MOV, MACHINE_CALL, MACHINE_MOV,
                                              MACHINE_EXIT, MACHINE_MOV, MACHINE_RET,  MACHINE_MOV};
    static const int32_t lines_of_all[CODE] = {1, 2, 2, 3, 3, 3, 3, 3};
    for (int i = 0; i < CODE; i++) {
        lines[i] = lines_of_all[i];
        code[i] = (MachineInstruction){
            .operation = operations[i], .line = lines[i], .target = i == CALL ? FUNCTION : -1};
    }
}

static void run_on(MachineInstruction *code, int32_t *lines)
{
    code[END].operation = MACHINE_MOV;
}

static void end_at_times(MachineInstruction *code, int32_t *lines)
{
    code[END].is_conditional = true;
}

static void have_a_line_of_its_own(MachineInstruction *code, int32_t *lines)
{
    for (int i = FUNCTION; i < CODE; i++)
        code[i].line = lines[i] = 7;
}

static void call_backwards(MachineInstruction *code, int32_t *lines)
{
    code[CALL].target = CALL;
}

static void call_outside(MachineInstruction *code, int32_t *lines)
{
    code[CALL].target = CODE;
}

static void jump_over_the_call(MachineInstruction *code, int32_t *lines)
{
    code[1] = (MachineInstruction){.operation = MACHINE_BRA, .is_conditional = true, .line = 2, .target = 3};
}

static void jump_to_the_call(MachineInstruction *code, int32_t *lines)
{
    jump_over_the_call(code, lines);
    code[1].target = CALL;
}

static void jump_from_another_line(MachineInstruction *code, int32_t *lines)
{
    jump_over_the_call(code, lines);
    code[1].line = 1;
}

static void jump_in_any_case(MachineInstruction *code, int32_t *lines)
{
    jump_over_the_call(code, lines);
    code[1].is_conditional = false;
}

static void return_at_times(MachineInstruction *code, int32_t *lines)
{
    code[6].is_conditional = true;
}

static void end_with_a_branch(MachineInstruction *code, int32_t *lines)
{
    code[END].operation = MACHINE_BRA;
}

static void end_with_a_return(MachineInstruction *code, int32_t *lines)
{
    code[END].operation = MACHINE_RET;
}

static void a_function_of_ptxas_has_the_line_of_its_call(void **state)
{
    static const struct {
        void (*change)(MachineInstruction *code, int32_t *lines);
        const char *called; /* by instruction */
    } rows[] = {
        {NULL, "00000110"},
        {end_with_a_branch, "00000110"},
        {end_with_a_return, "00000110"},
        {return_at_times, "00000111"},
        {jump_to_the_call, "00000110"},
        {jump_from_another_line, "00000110"},
        {jump_in_any_case, "00000110"},
        {jump_over_the_call, "00000000"},
        {run_on, "00000000"},
        {end_at_times, "00000000"},
        {have_a_line_of_its_own, "00000000"},
        {call_backwards, "00000000"},
        {call_outside, "00000000"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        MachineInstruction code[CODE + 1] = {{0}};
        int32_t lines[CODE];
        char called[CODE + 1] = "";
        make_call(code, lines);
        if (rows[i].change != NULL)
            rows[i].change(code, lines);
        place_functions(code, lines, CODE);
        for (int k = 0; k < CODE; k++) {
            called[k] = code[k].is_called ? '1' : '0';
            assert_int_equal(code[k].line, code[k].is_called ? 2 : k == 1 ? code[1].line : lines[k]);
        }
        if (strcmp(called, rows[i].called) != 0)
            fail_test("row %zu: %s, expected %s", i, called, rows[i].called);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_access_has_the_size_that_its_bits_say),
        cmocka_unit_test(an_instruction_under_a_predicate_is_conditional),
        cmocka_unit_test(each_scheduling_field_is_read_from_its_bits),
        cmocka_unit_test(a_branch_goes_on_from_the_next_instruction),
        cmocka_unit_test(constants_of_the_programmer_lie_in_bank_3),
        cmocka_unit_test(each_operation_is_what_its_name_says),
        cmocka_unit_test(a_stretch_begins_behind_a_branch_and_where_it_leads),
        cmocka_unit_test(a_function_of_ptxas_has_the_line_of_its_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
