#include "simgpu/cost/machine_lines.h"

#include "base/elf.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Bytes that are read from the front; `cut` is set when a read asks for more than is left. */
typedef struct LineReader {
    const unsigned char *at, *end;
    bool cut;
} LineReader;

static uint64_t read_number(LineReader *reader, size_t bytes)
{
    uint64_t value = 0;
    if ((size_t)(reader->end - reader->at) < bytes) {
        reader->cut = true;
        reader->at = reader->end;
        return 0;
    }
    memcpy(&value, reader->at, bytes);
    reader->at += bytes;
    return value;
}

/* DWARF 2.0.0, 7.6 "Variable Length Data". */
static uint64_t read_leb(LineReader *reader, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0, byte;
    do {
        byte = (unsigned)read_number(reader, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while ((byte & 0x80) != 0 && !reader->cut);
    if (is_signed && (byte & 0x40) != 0 && shift < 64)
        value |= UINT64_MAX << shift;
    return value;
}

/* ---- kernels -------------------------------------------------------------------------------------------------------- */

static bool find_index(const Elf *elf, const char *prefix, const char *name, unsigned *index)
{
    ElfSection wanted, section;
    if (!elf_find(elf, prefix, name, &wanted))
        return false;
    for (*index = 0; elf_section(elf, *index, &section); ++*index)
        if (section.name == wanted.name)
            return true;
    return false;
}

/* ---- the line number program ---------------------------------------------------------------------------------------- */

enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, SET_FILE, SET_COLUMN, CONST_ADD_PC = 8, FIXED_ADVANCE_PC, MAX_OPCODES = 32 };
enum { END_SEQUENCE = 1, SET_ADDRESS };

/* A forged table could have the same instructions described, or the same relocations searched, over and over: a second
 * of that is worth a minute for a module with many kernels. The largest tables of the public solutions take 20000 steps. */
enum { MOST_STEPS = 8 << 20 };

typedef struct LineProgram {
    ElfSection table, relocations, symbols;
    unsigned code;  /* index of the kernel's section */
    uint64_t steps; /* taken so far, in loops that the size of the table does not limit */
    int32_t *lines;
    size_t count;

    uint64_t unit; /* bytes per step of an address */
    int64_t line_base;
    uint64_t line_range, opcode_base;
    uint8_t arguments[MAX_OPCODES];

    uint64_t address;
    uint64_t line;         /* may wrap around */
    bool ours;             /* the current sequence is the kernel's */
    uint64_t last_address; /* of the row before, whose line holds until the next row */
    uint64_t last_line;
    bool found;
} LineProgram;

/* Whether the number at `place` of the table is an address in the kernel's section. */
static bool is_address_in_code(LineProgram *program, uint64_t place)
{
    const ElfSection *relocations = &program->relocations, *symbols = &program->symbols;
    Elf64_Rela rela;
    Elf64_Sym symbol;
    for (uint64_t at = 0; relocations->bytes - at >= sizeof rela && program->steps < MOST_STEPS; at += sizeof rela) {
        program->steps++;
        memcpy(&rela, relocations->data + at, sizeof rela);
        uint64_t number = ELF64_R_SYM(rela.r_info);
        if (rela.r_offset != place || number >= symbols->bytes / sizeof symbol)
            continue;
        memcpy(&symbol, symbols->data + number * sizeof symbol, sizeof symbol);
        return symbol.st_shndx == program->code;
    }
    return false;
}

static void set_lines(LineProgram *program, uint64_t until)
{
    uint64_t end = until / MACHINE_INSTRUCTION_BYTES;
    end = end < program->count ? end : program->count;
    for (uint64_t at = program->last_address / MACHINE_INSTRUCTION_BYTES; at < end && program->steps < MOST_STEPS;
         at++) {
        program->steps++;
        program->lines[at] = (int32_t)program->last_line;
    }
}

static void add_row(LineProgram *program)
{
    if (!program->ours)
        return;
    set_lines(program, program->address);
    program->last_address = program->address;
    program->last_line = program->line;
    program->found = true;
}

static void begin_sequence(LineProgram *program)
{
    program->address = program->last_address = 0;
    program->line = 1;
    program->last_line = 0;
    program->ours = false;
}

static void run_extended(LineProgram *program, LineReader *reader)
{
    uint64_t bytes = read_leb(reader, false);
    if (bytes == 0 || (uint64_t)(reader->end - reader->at) < bytes) {
        reader->cut = true;
        return;
    }
    LineReader operand = {.at = reader->at + 1, .end = reader->at + bytes};
    uint64_t place = (uint64_t)(operand.at - (const unsigned char *)program->table.data);
    unsigned opcode = *reader->at;
    reader->at += bytes;
    if (opcode == SET_ADDRESS) {
        program->ours = is_address_in_code(program, place);
        program->address = program->last_address = read_number(&operand, 8);
    } else if (opcode == END_SEQUENCE) {
        add_row(program);
        begin_sequence(program);
    }
}

static void run_standard(LineProgram *program, LineReader *reader, uint64_t opcode)
{
    switch (opcode) {
    case COPY: add_row(program); break;
    case ADVANCE_PC: program->address += read_leb(reader, false) * program->unit; break;
    case ADVANCE_LINE: program->line += read_leb(reader, true); break;
    case CONST_ADD_PC: program->address += (255 - program->opcode_base) / program->line_range * program->unit; break;
    case FIXED_ADVANCE_PC: program->address += read_number(reader, 2); break;
    default:
        for (int i = 0; i < program->arguments[opcode]; i++)
            read_leb(reader, false);
    }
}

static void run_special(LineProgram *program, uint64_t opcode)
{
    uint64_t adjusted = opcode - program->opcode_base;
    program->address += adjusted / program->line_range * program->unit;
    program->line += (uint64_t)program->line_base + adjusted % program->line_range;
    add_row(program);
}

/* One unit of the table: its header, then opcodes. */
static bool run_unit(LineProgram *program, LineReader *reader)
{
    read_number(reader, 2); /* version */
    uint64_t header_bytes = read_number(reader, 4);
    if (reader->cut || (uint64_t)(reader->end - reader->at) < header_bytes)
        return false;
    const unsigned char *opcodes = reader->at + header_bytes;
    program->unit = read_number(reader, 1);
    read_number(reader, 1); /* whether a row is a statement */
    program->line_base = (int8_t)read_number(reader, 1);
    program->line_range = read_number(reader, 1);
    program->opcode_base = read_number(reader, 1);
    if (reader->cut || program->line_range == 0 || program->opcode_base == 0 || program->opcode_base > MAX_OPCODES)
        return false;
    for (uint64_t i = 1; i < program->opcode_base; i++)
        program->arguments[i] = (uint8_t)read_number(reader, 1);
    reader->at = opcodes;
    begin_sequence(program);
    while (reader->at < reader->end && !reader->cut) {
        uint64_t opcode = read_number(reader, 1);
        if (opcode == 0)
            run_extended(program, reader);
        else if (opcode < program->opcode_base)
            run_standard(program, reader, opcode);
        else
            run_special(program, opcode);
    }
    return !reader->cut;
}

bool machine_lines(const void *cubin, size_t bytes, const char *kernel, int32_t *lines, size_t count)
{
    Elf elf;
    LineProgram program = {.lines = lines, .count = count};
    memset(lines, 0, count * sizeof *lines);
    if (!elf_open(&elf, cubin, bytes) || !find_index(&elf, ".text.", kernel, &program.code) ||
        !elf_find(&elf, ".nv_debug_line_sass", "", &program.table) || program.table.data == NULL ||
        !elf_find(&elf, ".rela", ".nv_debug_line_sass", &program.relocations) || program.relocations.data == NULL ||
        !elf_find(&elf, ".symtab", "", &program.symbols) || program.symbols.data == NULL)
        return false;
    LineReader table = {.at = (const unsigned char *)program.table.data,
                        .end = (const unsigned char *)program.table.data + program.table.bytes};
    while (table.at < table.end) {
        uint64_t unit_bytes = read_number(&table, 4);
        if (table.cut || (uint64_t)(table.end - table.at) < unit_bytes)
            return false;
        LineReader unit = {.at = table.at, .end = table.at + unit_bytes};
        table.at += unit_bytes;
        if (!run_unit(&program, &unit) || program.steps >= MOST_STEPS)
            return false;
    }
    return program.found;
}
