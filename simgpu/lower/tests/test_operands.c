#include "base/tests/unit.h"

#include "base/text.h"
#include "simgpu/code/lanes.h"
#include "simgpu/lower/lower.h"
#include "simgpu/lower/lowering.h"
#include "simgpu/ptx/parser.h"

#include <stdio.h>
#include <string.h>

/* Whatever stands in the place of an operand, an instruction is lowered only if PTX allows it. The tests take each
 * instruction as it should be, which must be lowered, and then with one operand exchanged, left out or added. */

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* An instruction and its operands: p a predicate; 2, 4 or 8 a register of that many bytes, with '+' any that has at
 * least as many; [ an address. '?' at the end: the last operand may be left out. */
typedef struct Form {
    const char *opcode, *operands;
} Form;

static const Form forms[] = {
    {"cvt.rna.tf32.f32", "44"},
    {"cvt.u8.u32", "2+4+"},
    {"cvt.sat.u8.s64", "2+8+"},
    {"cvt.rzi.u16.f32", "2+4+"},
    {"cvt.rn.bf16.f32", "2+4+"},
    {"set.lt.u32.s32", "444"},
    {"set.lt.and.u32.s64", "488p"},
    {"setp.lt.and.s32", "p44p"},
    {"setp.lt.f16x2", "p44"},
    {"addc.cc.u32", "444"},
    {"subc.u64", "888"},
    {"madc.lo.u32", "4444"},
    {"cvta.shared.u64", "88"},
    {"cvta.to.global.u64", "88"},
    {"isspacep.shared", "p4+"},
    {"mapa.u64", "884"},
    {"mapa.shared::cluster.u32", "444"},
    {"getctarank.u64", "48"},
    {"getctarank.shared::cluster.u32", "44"},
    {"ld.global.u8", "2+["},
    {"ld.global.f32", "4+["},
    {"ld.global.u64", "8+["},
    {"ld.global.L2::cache_hint.u32", "4+[8"},
    {"st.global.b16", "[2+"},
    {"st.shared.u32", "[4+"},
    {"atom.global.add.u32", "4[4"},
    {"atom.shared.cas.b64", "8[88"},
    {"red.global.add.f32", "[4"},
    {"shfl.sync.bfly.b32", "44444"},
    {"vote.sync.ballot.b32", "4p4"},
    {"vote.sync.any.pred", "pp4"},
    {"match.any.sync.b32", "444"},
    {"match.all.sync.b64", "484"},
    {"redux.sync.add.s32", "444"},
    {"activemask.b32", "4"},
    {"movmatrix.sync.aligned.m8n8.trans.b16", "44"},
    {"bar.sync", "44?"},
    {"bar.red.popc.u32", "444p"},
    {"bar.red.and.pred", "p44p"},
    {"bar.warp.sync", "4"},
    {"barrier.cluster.wait.acquire", ""},
    {"mbarrier.init.shared.b64", "[4"},
    {"mbarrier.inval.shared.b64", "["},
    {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64", "[4"},
    {"mbarrier.arrive.shared.b64", "8[4?"},
    {"mbarrier.test_wait.shared.b64", "p[8"},
    {"mbarrier.try_wait.parity.shared.b64", "p[44?"},
    {"mbarrier.pending_count.b64", "48"},
    {"cp.async.mbarrier.arrive.shared.b64", "["},
    {"cp.async.commit_group", ""},
    {"prefetch.global.L2", "["},
    {"createpolicy.fractional.L2::evict_last.b64", "84?"},
    {"nanosleep.u32", "4"},
    {"membar.gl", ""},
    {"griddepcontrol.wait", ""},
    {"exit", ""},
};

enum { MOST_OPERANDS = 6 };

/* The operands of a row of opcodes.def. cvt allows wider registers. */
static void form_of_row(const OpcodeInfo *info, char operands[2 * MOST_OPERANDS])
{
    static const char letters[] = {[1] = 'p', [2] = '2', [4] = '4', [8] = '8'};
    const bool may_be_wider = strncmp(info->form, "cvt.", 4) == 0;
    char *next = operands;
    for (int i = -1; i < 4 && (i < 0 || info->source_bytes[i] != 0); i++) {
        *next++ = letters[i < 0 ? info->result_bytes : info->source_bytes[i]];
        if (may_be_wider)
            *next++ = '+';
    }
    *next = '\0';
}

/* ---- lowering ---------------------------------------------------------------------------------------------------- */

static Status lower(const char *instruction, Message *why)
{
    Text text = {0};
    PtxModule module;
    Code code;
    text_printf(
        &text,
        ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
        ".reg .b64 %%r8; .reg .b32 %%r4; .reg .b16 %%r2; .reg .pred %%rp; .shared .b32 tile[4];\n%s\nL: ret;\n}\n",
        instruction);
    Status status = ptx_parse("test.ptx", text.data, text.length, &module, why);
    if (status != STATUS_OK)
        fail_test("%.200s: %s", instruction, why->text);
    status = lower_kernel(&module, ptx_function(&module, "k"), &code, why);
    if (status == STATUS_OK)
        code_free(&code);
    ptx_free(&module);
    text_free(&text);
    return status;
}

static void is_lowered(const char *instruction)
{
    Message why = {0};
    if (lower(instruction, &why) != STATUS_OK)
        fail_test("%s %s", instruction, why.text);
}

static void is_rejected(const char *instruction)
{
    Message why = {0};
    Status status = lower(instruction, &why);
    if (status == STATUS_OK)
        fail_test("%s is lowered", instruction);
    if (strstr(why.text, REGISTER_MISUSE) != NULL)
        fail_test("%s gets past the operands: %s", instruction, why.text);
}

/* ---- variations -------------------------------------------------------------------------------------------------- */

typedef struct Operands {
    char text[MOST_OPERANDS][24];
    char letter[MOST_OPERANDS];
    bool may_be_wider[MOST_OPERANDS], last_is_optional;
    int count;
} Operands;

static Operands operands_of(const char *form)
{
    Operands operands = {0};
    for (; *form != '\0'; form++) {
        const int last = operands.count - 1;
        if (*form == '+') {
            operands.may_be_wider[last] = true;
        } else if (*form == '?') {
            operands.last_is_optional = true;
        } else {
            operands.letter[operands.count] = *form;
            snprintf(operands.text[operands.count++], sizeof *operands.text, *form == '[' ? "[%%r8]" : "%%r%c", *form);
        }
    }
    return operands;
}

/* With `text` in the place of operand `at`; -1: with all as they are. */
static const char *instruction(const char *opcode, const Operands *operands, int at, const char *text)
{
    static char line[300];
    int length = snprintf(line, sizeof line, "%s", opcode);
    for (int i = 0; i < operands->count; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, "%s %s", i > 0 ? "," : "",
                           i == at ? text : operands->text[i]);
    snprintf(line + length, sizeof line - (size_t)length, ";");
    return line;
}

static bool is_result(const char *opcode, const Operands *operands, int at)
{
    static const char *const without[] = {"st.", "red.", "bar.sync", "bar.warp", "nanosleep", "mbarrier.init"};
    for (size_t i = 0; i < COUNT_OF(without); i++)
        if (strncmp(opcode, without[i], strlen(without[i])) == 0)
            return false;
    return at == 0 && operands->letter[0] != '[';
}

static void check_widths(const char *opcode, const Operands *operands, int at)
{
    static const char letters[] = "p248";
    const char *own = strchr(letters, operands->letter[at]);
    for (const char *letter = letters; *letter != '\0'; letter++) {
        char text[8];
        snprintf(text, sizeof text, "%%r%c", *letter);
        const char *line = instruction(opcode, operands, at, text);
        if (letter == own || (letter > own && operands->may_be_wider[at]))
            is_lowered(line);
        else
            is_rejected(line);
    }
}

static void check_kinds(const char *opcode, const Operands *operands, int at)
{
    static const char *const never[] = {"[%r8]", "L", "{%r8, %r8}", "{%rp}", "%rp|!%rp", "!tile", "!WARP_SZ"};
    static const char *const no_results[] = {"1", "%tid.x", "%clock64", "tile", "1.5"};
    char negated[8];
    for (size_t i = 0; i < COUNT_OF(never); i++)
        is_rejected(instruction(opcode, operands, at, never[i]));
    for (size_t i = 0; i < COUNT_OF(no_results) && is_result(opcode, operands, at); i++)
        is_rejected(instruction(opcode, operands, at, no_results[i]));
    snprintf(negated, sizeof negated, "!%%r%c", operands->letter[at]);
    if (operands->letter[at] == 'p' && !is_result(opcode, operands, at))
        is_lowered(instruction(opcode, operands, at, negated));
    else
        is_rejected(instruction(opcode, operands, at, negated));
}

static void check_address(const char *opcode, const Operands *operands, int at)
{
    static const char *const never[] = {"%r8", "8", "tile", "L", "{%r8}", "_", "[%rp]", "[%r8, {%r4}]"};
    for (size_t i = 0; i < COUNT_OF(never); i++)
        is_rejected(instruction(opcode, operands, at, never[i]));
    if (strstr(opcode, ".global") != NULL)
        is_rejected(instruction(opcode, operands, at, "[%r4]"));
}

static void check_count(const char *opcode, Operands operands)
{
    snprintf(operands.text[operands.count++], sizeof *operands.text, "%%r4");
    is_rejected(instruction(opcode, &operands, -1, NULL));
    operands.count -= 2;
    if (operands.count < 0)
        return;
    if (operands.last_is_optional)
        is_lowered(instruction(opcode, &operands, -1, NULL));
    else
        is_rejected(instruction(opcode, &operands, -1, NULL));
}

static void check(const char *opcode, const char *form)
{
    const Operands operands = operands_of(form);
    is_lowered(instruction(opcode, &operands, -1, NULL));
    check_count(opcode, operands);
    for (int i = 0; i < operands.count; i++) {
        if (operands.letter[i] == '[') {
            check_address(opcode, &operands, i);
            continue;
        }
        check_widths(opcode, &operands, i);
        check_kinds(opcode, &operands, i);
    }
}

static void every_row_of_opcodes_takes_its_own_operands_and_no_others(void **state)
{
    char form[2 * MOST_OPERANDS];
    for (int opcode = 0; opcode < OPCODE_COUNT; opcode++) {
        const OpcodeInfo *info = opcode_info((Opcode)opcode);
        form_of_row(info, form);
        if (info->form[0] != '+')
            check(info->form, form);
    }
}

static void other_instructions_take_their_own_operands_and_no_others(void **state)
{
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        check(forms[i].opcode, forms[i].operands);
}

/* ---- the finished code ------------------------------------------------------------------------------------------- */

/* Is the instruction refused whose first result and source have these sizes? */
static bool is_misuse(InstructionKind kind, Opcode opcode, uint32_t result_bytes, uint32_t source_bytes, int line)
{
    static uint8_t sizes[2];
    Message why = {0};
    Instruction instruction = {.kind = (uint8_t)kind, .opcode = (uint16_t)opcode, .guard = no_operand, .line = line};
    Code code = {.instructions = &instruction, .instruction_count = 1};
    Lowering l = {.code = &code, .why = &why, .register_sizes = sizes, .register_count = 2};
    for (int i = 0; i < MAX_RESULTS; i++)
        instruction.results[i] = no_operand;
    for (int i = 0; i < MAX_SOURCES; i++)
        instruction.sources[i] = no_operand;
    sizes[0] = (uint8_t)logarithm(result_bytes);
    sizes[1] = (uint8_t)logarithm(source_bytes);
    instruction.results[0] = (Operand){.slot = 0, .size = sizes[0] & 0xF};
    instruction.sources[0] = (Operand){.slot = 1, .size = sizes[1] & 0xF};
    if (setjmp(l.give_up) == 0) {
        check_registers(&l);
        return false;
    }
    assert_non_null(strstr(why.text, "a register of another size than its operation's (line 7)"));
    return true;
}

static void a_lowering_that_forgets_a_check_is_refused(void **state)
{
    assert_false(is_misuse(ALU, OP_not_b32, 4, 4, 7));
    assert_true(is_misuse(ALU, OP_not_b32, 2, 4, 7));
    assert_true(is_misuse(ALU, OP_not_b32, 4, 8, 7));
    assert_true(is_misuse(ALU, OP_add_u32, 4, 4, 7)); /* its second source is missing */
    assert_false(is_misuse(TRANSPOSE_MATRIX, OPCODE_NONE, 4, 4, 7));
    assert_true(is_misuse(TRANSPOSE_MATRIX, OPCODE_NONE, 4, 1, 7));
    assert_false(is_misuse(HEAP_ALLOCATE, OPCODE_NONE, 8, 8, 7));
    assert_true(is_misuse(HEAP_ALLOCATE, OPCODE_NONE, 4, 8, 7));
    assert_true(is_misuse(FENCE, OPCODE_NONE, 4, 4, 7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_opcodes_takes_its_own_operands_and_no_others),
        cmocka_unit_test(other_instructions_take_their_own_operands_and_no_others),
        cmocka_unit_test(a_lowering_that_forgets_a_check_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
