#include "simgpu/jit/text.h"

#include <string.h>

/* The assembler includes the files; their paths are relative to the folder that make runs in. */
__asm__(".section .rodata\n"
        ".global lane_math_text\n"
        "lane_math_text:\n"
        ".incbin \"simgpu/code/lane_math.h\"\n"
        ".byte 0\n"
        ".global half_math_text\n"
        "half_math_text:\n"
        ".incbin \"simgpu/code/half_math.h\"\n"
        ".byte 0\n"
        ".global frame_text\n"
        "frame_text:\n"
        ".incbin \"simgpu/jit/frame.h\"\n"
        ".byte 0\n"
        ".previous\n");
extern const char lane_math_text[], half_math_text[], frame_text[];

/* Puts half_math.h where lane_math.h includes it. */
void headers_text(Text *text)
{
    static const char line[] = "#include \"simgpu/code/half_math.h\"\n";
    const char *at = strstr(lane_math_text, line);
    text_append(text, lane_math_text, (size_t)(at - lane_math_text));
    text_add(text, half_math_text);
    text_add(text, at + sizeof line - 1);
    text_add(text, frame_text);
}

typedef struct OpcodeText {
    const char *result, *source[4], *expression;
} OpcodeText;

static const OpcodeText texts[OPCODE_COUNT] = {
#define UNARY(ID, FORM, CLASS, D, A, EXPRESSION) {#D, {#A}, #EXPRESSION},
#define BINARY(ID, FORM, CLASS, D, A, B, EXPRESSION) {#D, {#A, #B}, #EXPRESSION},
#define TERNARY(ID, FORM, CLASS, D, A, B, C, EXPRESSION) {#D, {#A, #B, #C}, #EXPRESSION},
#define QUATERNARY(ID, FORM, CLASS, D, A, B, C, E, EXPRESSION) {#D, {#A, #B, #C, #E}, #EXPRESSION},
#include "simgpu/code/opcodes.def"
};

/* Calls of functions that gcc does not vectorise, or whose constants it would fold differently from the library. */
static bool calls_library(const char *expression)
{
    static const char *const names[] = {"half", "sqrt", "root", "nth_set_bit"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(expression, names[i]) != NULL)
            return true;
    return false;
}

bool opcode_is_plain(Opcode opcode, bool in_lanes)
{
    const OpcodeInfo *info = opcode_info(opcode);
    bool divides = strncmp(info->form, "div.", 4) == 0 || strncmp(info->form, "rem.", 4) == 0;
    bool is_special = info->op_class == SPECIAL && strncmp(info->form, "rcp.", 4) != 0;
    if (is_special || calls_library(texts[opcode].expression))
        return false;
    return !in_lanes || !divides || info->op_class == FP32 || info->op_class == FP64;
}

/* static inline u32 op_7(u32 a_, u32 b_) { const f32 a = AS_f32(a_), ... return BITS_f32((f32)(...)); } */
void opcode_function(Text *text, Opcode opcode)
{
    static const char names[] = "abce";
    const OpcodeInfo *info = opcode_info(opcode);
    const OpcodeText *op = &texts[opcode];
    text_printf(text, "static inline u%d op_%d(", 8 * info->result_bytes, opcode);
    for (int i = 0; i < 4 && info->source_bytes[i] != 0; i++)
        text_printf(text, "%su%d %c_", i > 0 ? ", " : "", 8 * info->source_bytes[i], names[i]);
    text_add(text, ")\n{\n");
    for (int i = 0; i < 4 && info->source_bytes[i] != 0; i++)
        text_printf(text, "    const %s %c = AS_%s(%c_);\n", op->source[i], names[i], op->source[i], names[i]);
    text_printf(text, "    return BITS_%s((%s)(%s));\n}\n", op->result, op->result, op->expression);
}

const char *call_text(Builder *b, Opcode opcode, const char *const *arguments)
{
    const OpcodeInfo *info = opcode_info(opcode);
    char *text = arena_printf(&b->scratch, "op_%d(", opcode);
    for (int i = 0; i < 4 && info->source_bytes[i] != 0; i++)
        text = arena_printf(&b->scratch, "%s%s%s", text, i > 0 ? ", " : "", arguments[i]);
    b->used_opcodes[opcode] = true;
    return arena_printf(&b->scratch, "%s)", text);
}
