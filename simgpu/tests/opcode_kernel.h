/* opcode_kernel.h - wraps a few PTX instructions into a kernel. The registers are those of opcode_rows.h.
 *
 * Memory   one slot of 32 bytes a thread: in `in` the operands a, b, c; in `out` the result (8 bytes, zero-extended), 8
 *          bytes unused, and 16 bytes for the instructions to play with.  */
#ifndef SIMGPU_TESTS_OPCODE_KERNEL_H
#define SIMGPU_TESTS_OPCODE_KERNEL_H

#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SLOT_BYTES = 32, MOST_THREADS = 128 };

typedef struct Slot {
    uint64_t a, b, c, unused;
} Slot;

static const char opcode_head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".const .align 16 .f32 constants[8] = {0f3F800000, 0f40000000, 0f40400000, 0f40800000,\n"
    "                                      0f40A00000, 0f40C00000, 0f40E00000, 0f41000000};\n"
    ".global .align 8 .u32 variable[4] = {11, 22, 33, 44};\n";

static const char opcode_prologue[] =
    ".visible .entry test(.param .u64 p_in, .param .u64 p_out)\n{\n"
    "    .reg .pred %p<10>;\n    .reg .b16 %h<10>;\n    .reg .b32 %r<16>;\n    .reg .f32 %f<10>;\n"
    "    .reg .b64 %d<16>;\n    .reg .f64 %g<10>;\n    .reg .b32 %own<4>;\n    .reg .b64 %slot<8>;\n"
    "    .shared .align 16 .b8 shared[2048];\n    .local .align 16 .b8 stack[64];\n"
    "    mov.u32 %own0, %tid.x;\n    mul.wide.u32 %slot0, %own0, 32;\n"
    "    ld.param.u64 %slot1, [p_in];\n    cvta.to.global.u64 %slot1, %slot1;\n    add.s64 %d11, %slot1, %slot0;\n"
    "    ld.param.u64 %slot2, [p_out];\n    cvta.to.global.u64 %d12, %slot2;\n    add.s64 %slot3, %d12, %slot0;\n"
    "    add.s64 %d10, %slot3, 16;\n"
    "    mov.u32 %own1, shared;\n    shl.b32 %own2, %own0, 4;\n    add.u32 %r10, %own1, %own2;\n";

static const char opcode_operand[] = /* for # = 1, 2, 3 */
    "    ld.global.u64 %d#, [%d11+@];\n    cvt.u32.u64 %r#, %d#;\n    cvt.u16.u64 %h#, %d#;\n"
    "    mov.b32 %f#, %r#;\n    mov.b64 %g#, %d#;\n    setp.ne.u64 %p#, %d#, 0;\n";

static void add_operand(Text *ptx, int number)
{
    for (const char *c = opcode_operand; *c != '\0'; c++)
        if (*c == '#')
            text_printf(ptx, "%d", number);
        else if (*c == '@')
            text_printf(ptx, "%d", (number - 1) * 8);
        else
            text_append(ptx, c, 1);
}

/* The register that holds the result, by its letter: 'p', 'h', 'r', 'f', 'd' or 'g'; 0 where there is none. */
static char result_kind(const char *instructions)
{
    for (const char *at = strchr(instructions, '%'); at != NULL; at = strchr(at + 1, '%'))
        if (at[1] != '\0' && strchr("phrfdg", at[1]) != NULL && at[2] == '0' && !isdigit((unsigned char)at[3]))
            return at[1];
    return 0;
}

static void add_result(Text *ptx, const char *instructions)
{
    switch (result_kind(instructions)) {
    case 'p': text_add(ptx, "    selp.u64 %slot4, 1, 0, %p0;\n"); break;
    case 'h': text_add(ptx, "    cvt.u64.u16 %slot4, %h0;\n"); break;
    case 'r': text_add(ptx, "    cvt.u64.u32 %slot4, %r0;\n"); break;
    case 'f': text_add(ptx, "    mov.b32 %own3, %f0;\n    cvt.u64.u32 %slot4, %own3;\n"); break;
    case 'd': text_add(ptx, "    mov.b64 %slot4, %d0;\n"); break;
    case 'g': text_add(ptx, "    mov.b64 %slot4, %g0;\n"); break;
    default: text_add(ptx, "    mov.u64 %slot4, 0;\n"); break;
    }
    text_add(ptx, "    st.global.u64 [%slot3], %slot4;\n    ret;\n}\n");
}

/* `functions` stands before the kernel and may be NULL. */
static void opcode_kernel(Text *ptx, const char *functions, const char *instructions)
{
    text_add(ptx, opcode_head);
    text_add(ptx, functions != NULL ? functions : "");
    text_add(ptx, opcode_prologue);
    for (int i = 1; i <= 3; i++)
        add_operand(ptx, i);
    const char *end = instructions + strlen(instructions);
    bool complete = end[-1] == ':' || strcmp(end - 2, " }") == 0; /* a label or a scope takes no semicolon */
    text_printf(ptx, "    %s%s\n", instructions, complete ? "" : ";");
    add_result(ptx, instructions);
}

#endif
