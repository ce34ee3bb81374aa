/* Kernels that a submission may write, executed: the input is the text of a module, and every kernel in it is launched,
 * interpreted, with the sanitizer and without, and now and then translated to machine code as well.
 *
 * Bytes changed at random would hardly ever be PTX again. So the mutator of this file changes lines, and in lines the
 * operands, types, state spaces and numbers, and most of what it makes is lowered and run. Some operands it exchanges for
 * ones of any other kind and size, which must be refused or do no harm.
 *
 * CONVJUDGE_FUZZ_SEEDS=FOLDER writes a kernel for each row of the tables of opcodes there, as inputs to begin with, and
 * ends.  */
#include "tests/fuzz/run_kernels.h"

#include "simgpu/tests/matrix_rows.h"
#include "simgpu/tests/opcode_kernel.h"
#include "simgpu/tests/opcode_rows.h"
#include "simgpu/tests/warp_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_bytes, const uint8_t *b, size_t b_bytes, uint8_t *to,
                                 size_t most, unsigned seed);

enum { TRANSLATE_ONE_IN = 500 };

static Machine interpreting, translating;

static void remove_libraries(void)
{
    simgpu_free(translating.gpu);
    machine_remove_libraries();
}

static Machine *translating_machine(void)
{
    if (translating.gpu == NULL) {
        translating = machine(machine_new_translating(1, 1));
        atexit(remove_libraries);
    }
    return &translating;
}

/* FNV-1a */
static uint32_t hash_of(const uint8_t *data, size_t bytes)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ data[i]) * 16777619u;
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    uint32_t hash = hash_of(data, bytes);
    uint32_t flags = hash % 3 == 0   ? 0
                     : hash % 3 == 1 ? SIM_SANITIZE_RACES | SIM_SANITIZE_UNINITIALISED
                                     : SIM_COUNT_LINES;
    char *text = malloc(bytes + 1);
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    run_kernels(&interpreting, text, bytes, MOST_KERNELS, flags);
    if (hash / 3 % TRANSLATE_ONE_IN == 0)
        run_kernels(translating_machine(), text, bytes, 1, flags); /* gcc takes a second or two for each */
    ;
    free(text);
    return 0;
}

/* ---- mutation ---------------------------------------------------------------------------------------------------- */

static uint32_t drawn;

/* xorshift32 (Marsaglia 2003); mutations only have to differ. */
static uint32_t draw(uint32_t below)
{
    drawn ^= drawn << 13;
    drawn ^= drawn >> 17;
    drawn ^= drawn << 5;
    return drawn % below;
}

typedef struct Piece {
    const char *at;
    size_t length;
} Piece;

/* A random line, without its end. */
static Piece some_line(const char *text, size_t bytes)
{
    if (bytes == 0)
        return (Piece){text, 0};
    size_t begin = draw((uint32_t)bytes), end = begin;
    while (begin > 0 && text[begin - 1] != '\n')
        begin--;
    while (end < bytes && text[end] != '\n')
        end++;
    return (Piece){text + begin, end - begin};
}

static bool is_in_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '%' ||
           c == '$';
}

/* A random word of a line, with the '.' before it; of length 0 where there is none. */
static Piece some_word(Piece line)
{
    if (line.length == 0)
        return line;
    size_t at = draw((uint32_t)line.length);
    while (at < line.length && !is_in_word(line.at[at]))
        at++;
    while (at > 0 && at < line.length && is_in_word(line.at[at - 1]))
        at--;
    size_t end = at;
    while (end < line.length && is_in_word(line.at[end]))
        end++;
    if (end > at && at > 0 && line.at[at - 1] == '.')
        at--;
    return (Piece){line.at + at, end - at};
}

static const char *const numbers[] = {"0",
                                      "1",
                                      "-1",
                                      "2",
                                      "3",
                                      "4",
                                      "5",
                                      "8",
                                      "15",
                                      "16",
                                      "31",
                                      "32",
                                      "33",
                                      "63",
                                      "64",
                                      "127",
                                      "128",
                                      "255",
                                      "256",
                                      "1023",
                                      "1024",
                                      "4095",
                                      "4096",
                                      "65535",
                                      "65536",
                                      "-4",
                                      "-8",
                                      "-16",
                                      "2147483647",
                                      "-2147483648",
                                      "4294967295",
                                      "4294967296",
                                      "0f7F800000",
                                      "0f00000000",
                                      "0f3F800000",
                                      "0fBF800000",
                                      "0f7FC00000",
                                      "0d7FF0000000000000",
                                      "0d4000000000000000",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "18446744073709551615",
                                      "12884901888",
                                      "4294967292",
                                      "8589934592"};
static const char *const types[] = {".u8",  ".u16", ".u32",  ".u64",  ".s8",  ".s16", ".s32",   ".s64",  ".b8",
                                    ".b16", ".b32", ".b64",  ".f16",  ".f32", ".f64", ".f16x2", ".bf16", ".bf16x2",
                                    ".v2",  ".v4",  ".pred", ".wide", ".lo",  ".hi",  ".sat",   ".rn",   ".rz"};
static const char *const spaces[] = {".global", ".shared", ".local", ".param", ".const", ""};
static const char *const values[] = {"%tid.x",       "%tid.y",  "%ntid.x",          "%ctaid.x",
                                     "%nctaid.x",    "%laneid", "%warpid",          "%clock64",
                                     "%lanemask_lt", "%smid",   "%total_smem_size", "%dynamic_smem_size"};

#define SOME(list) ((Piece){(list)[draw(COUNT_OF(list))], 0})

static Piece counted(Piece piece)
{
    piece.length = strlen(piece.at);
    return piece;
}

static bool is_one_of(Piece word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == word.length && memcmp(list[i], word.at, word.length) == 0)
            return true;
    return false;
}

/* Has the same kind as the word, so that the result is mostly PTX. */
static Piece replacement(Piece word, const char *text, size_t bytes)
{
    if (is_one_of(word, types, COUNT_OF(types)))
        return counted(SOME(types));
    if (is_one_of(word, spaces, COUNT_OF(spaces)))
        return counted(SOME(spaces));
    if (word.at[0] >= '0' && word.at[0] <= '9')
        return counted(SOME(numbers));
    if (word.at[0] == '%' && draw(8) == 0)
        return draw(2) == 0 ? counted(SOME(numbers)) : counted(SOME(values));
    for (int tries = 0; tries < 50; tries++) { /* registers for registers, names for names */
        Piece other = some_word(some_line(text, bytes));
        bool is_like = other.length > 0 && other.at[0] == word.at[0];
        if (is_like && (word.at[0] != '%' || draw(4) == 0 || other.at[1] == word.at[1]))
            return other;
    }
    return counted(SOME(numbers));
}

/* Puts `in` in the place of `old`, a piece of the text. Returns the new length; the old one where there is no room. */
static size_t put(char *text, size_t bytes, size_t most, Piece old, Piece in)
{
    char copy[512];
    size_t at = (size_t)(old.at - text), length = in.length < sizeof copy ? in.length : sizeof copy;
    if (bytes - old.length + length > most)
        return bytes;
    memcpy(copy, in.at, length);
    memmove(text + at + length, text + at + old.length, bytes - at - old.length);
    memcpy(text + at, copy, length);
    return bytes - old.length + length;
}

static size_t insert_line(char *text, size_t bytes, size_t most, Piece line)
{
    char ended[500];
    Piece before = some_line(text, bytes);
    int length = snprintf(ended, sizeof ended, "%.*s\n", (int)(line.length < 480 ? line.length : 480), line.at);
    before.length = 0;
    return put(text, bytes, most, before, (Piece){ended, (size_t)length});
}

/* A random operand of a line, with its brackets; of length 0 where there is none. */
static Piece some_operand(Piece line)
{
    const Piece none = {line.at, 0};
    Piece operands[16];
    int count = 0, depth = 0;
    size_t begin = 0;
    while (begin < line.length && (line.at[begin] == ' ' || line.at[begin] == '\t')) /* to the opcode, and behind it */
        begin++;
    while (begin < line.length && line.at[begin] != ' ' && line.at[begin] != '\t')
        begin++;
    for (size_t i = begin; i < line.length && count < 16; i++) {
        depth += line.at[i] == '[' || line.at[i] == '{' || line.at[i] == '(';
        depth -= line.at[i] == ']' || line.at[i] == '}' || line.at[i] == ')';
        if ((line.at[i] != ',' || depth > 0) && line.at[i] != ';')
            continue;
        while (begin < i && (line.at[begin] == ' ' || line.at[begin] == '\t'))
            begin++;
        operands[count++] = (Piece){line.at + begin, i - begin};
        begin = i + 1;
    }
    return count == 0 ? none : operands[draw((uint32_t)count)];
}

/* Exchanges an operand for any other one of the module, puts a '!' in front of it or another one behind it, or leaves
 * it out. */
static size_t exchange_operand(char *text, size_t bytes, size_t most, Piece line)
{
    static const char *const others[] = {"_", "1", "0f3F800000", "%tid.x", "%clock64", "WARP_SZ", "!WARP_SZ", "{1, 2}"};
    Piece old = some_operand(line), other = some_operand(some_line(text, bytes));
    Piece front = {old.at, 0}, behind = {old.at + old.length, 0};
    char with_comma[200];
    if (old.length == 0 || other.length == 0)
        return bytes;
    switch (draw(8)) {
    case 0: return put(text, bytes, most, front, (Piece){"!", 1});
    case 1: return put(text, bytes, most, old, counted(SOME(others)));
    case 2:
        snprintf(with_comma, sizeof with_comma, ", %.*s", other.length < 100 ? (int)other.length : 100, other.at);
        return put(text, bytes, most, behind, counted((Piece){with_comma, 0}));
    case 3: /* with the comma behind it */
        old.length += old.at[old.length] == ',';
        return put(text, bytes, most, old, (Piece){"", 0});
    default: return put(text, bytes, most, old, other);
    }
}

static size_t mutate_once(char *text, size_t bytes, size_t most)
{
    Piece line = some_line(text, bytes), word;
    switch (draw(12)) {
    case 10:
    case 11: return exchange_operand(text, bytes, most, line);
    case 0: return insert_line(text, bytes, most, line); /* elsewhere, once more */
    case 1: return put(text, bytes, most, line, (Piece){"", 0});
    case 2: return put(text, bytes, most, line, some_line(text, bytes));
    case 3: { /* another number anywhere, an offset for example */
        Piece end = {memchr(line.at, ']', line.length), 0};
        char offset[40];
        int length = snprintf(offset, sizeof offset, "+%s", numbers[draw(COUNT_OF(numbers))]);
        return end.at == NULL ? bytes : put(text, bytes, most, end, (Piece){offset, (size_t)length});
    }
    default:
        word = some_word(line);
        return word.length == 0 ? bytes : put(text, bytes, most, word, replacement(word, text, bytes));
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned seed)
{
    drawn = seed | 1;
    if (bytes == 0)
        return 0;
    for (uint32_t left = 1 + draw(4); left > 0 && bytes > 0; left--)
        bytes = mutate_once((char *)data, bytes, most);
    return bytes;
}

/* Lines of another module in between. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_bytes, const uint8_t *b, size_t b_bytes, uint8_t *to,
                                 size_t most, unsigned seed)
{
    drawn = seed | 1;
    if (a_bytes == 0 || b_bytes == 0 || a_bytes > most)
        return 0;
    memcpy(to, a, a_bytes);
    for (uint32_t left = 1 + draw(4); left > 0; left--)
        a_bytes = insert_line((char *)to, a_bytes, most, some_line((const char *)b, b_bytes));
    return a_bytes;
}

/* ---- seeds ------------------------------------------------------------------------------------------------------- */

static void write_seed(const char *folder, const char *kind, size_t number, const Text *ptx)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%zu", folder, kind, number);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(ptx->data, 1, ptx->length, file) != ptx->length || fclose(file) != 0)
        abort();
}

static void write_row(const char *folder, const char *kind, size_t number, const char *functions, const char *row)
{
    Text ptx = {0};
    opcode_kernel(&ptx, functions, row);
    write_seed(folder, kind, number, &ptx);
    text_free(&ptx);
}

static void write_matrix_row(const char *folder, size_t number)
{
    Text ptx = {0};
    matrix_kernel(&ptx, &matrix_rows[number]);
    write_seed(folder, "matrix", number, &ptx);
    text_free(&ptx);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *folder = getenv("CONVJUDGE_FUZZ_SEEDS");
    if (folder == NULL) {
        interpreting = machine(machine_new(0, 1));
        return 0;
    }
    for (size_t i = 0; i < COUNT_OF(opcode_rows); i++)
        write_row(folder, "opcode", i, NULL, opcode_rows[i].text);
    for (size_t i = 0; i < COUNT_OF(warp_rows); i++)
        write_row(folder, "warp", i, warp_rows[i].functions, warp_rows[i].text);
    for (size_t i = 0; i < COUNT_OF(matrix_rows); i++)
        write_matrix_row(folder, i);
    exit(0);
}
