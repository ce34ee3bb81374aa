#include "harness/compile/listing.h"

#include "base/arena.h"
#include "base/elf.h"
#include "base/scratch.h"
#include "harness/compile/compile_sandbox.h"
#include "simgpu/ptx/fatbin.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- lines ------------------------------------------------------------------------------------------------------- */

enum { NAME_BYTES = 128, MOST_FILES = 64 };

typedef struct ListingScan { /* of one text, from its first line to its last */
    ListedCode *codes;
    size_t line_count;
    size_t line;             /* of the submission, to which instructions belong now; 0: none */
    char kernel[NAME_BYTES]; /* the function under way; "": none */
    ListedCode *last;        /* that got an instruction */
    char named[NAME_BYTES];  /* the function whose name the last heading has */
    bool is_own[MOST_FILES]; /* of PTX: whether a file is the submission's */
} ListingScan;

static bool is_own_file(const char *name, size_t length)
{
    const size_t own = strlen(COMPILE_SOURCE_NAME);
    return length >= own && strncmp(name + length - own, COMPILE_SOURCE_NAME, own) == 0 &&
           (length == own || name[length - own - 1] == '/');
}

/* The text between the first two quotation marks from `at` on; NULL: there is none on this line. */
static const char *quoted(const char *at, const char *end, size_t *length)
{
    const char *first = memchr(at, '"', (size_t)(end - at));
    const char *last = first == NULL ? NULL : memchr(first + 1, '"', (size_t)(end - first - 1));
    *length = last == NULL ? 0 : (size_t)(last - first - 1);
    return last == NULL ? NULL : first + 1;
}

/* A line that several functions share has the name of each before its instructions. */
static void add_instruction(ListingScan *scan, const char *text, size_t length)
{
    if (scan->line == 0 || scan->line > scan->line_count || scan->kernel[0] == '\0')
        return;
    ListedCode *code = &scan->codes[scan->line - 1];
    if (code->count == 0 || code != scan->last || strcmp(scan->named, scan->kernel) != 0) {
        const char *heading = code->count == 0 ? NULL : strstr(code->text.data, scan->kernel);
        if (heading == NULL)
            text_printf(&code->text, "%s:\n", scan->kernel);
        snprintf(scan->named, sizeof scan->named, "%s", scan->kernel);
    }
    text_printf(&code->text, "%.*s\n", (int)length, text);
    code->count++;
    scan->last = code;
}

static void begin_function(ListingScan *scan, const char *name, size_t length)
{
    char mangled[SHRT_MAX];
    snprintf(mangled, sizeof mangled, "%.*s", (int)length, name);
    symbol_name(mangled, scan->kernel, sizeof scan->kernel);
    scan->line = 0;
}

static bool starts(const char *at, const char *end, const char *word)
{
    return (size_t)(end - at) >= strlen(word) && strncmp(at, word, strlen(word)) == 0;
}

typedef void ScanLine(ListingScan *scan, const char *at, const char *end);

/* Each line without the white space around it. */
static void scan_lines(ListingScan *scan, const char *text, size_t bytes, ScanLine *line)
{
    const char *const all = text + bytes;
    for (const char *at = text, *next; at < all; at = next) {
        const char *end = memchr(at, '\n', (size_t)(all - at));
        next = end == NULL ? all : end + 1;
        end = end == NULL ? all : end;
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
            end--;
        if (at < end)
            line(scan, at, end);
    }
}

/* ---- PTX --------------------------------------------------------------------------------------------------------- */

/* .file 1 "/submission/submission.cu": PTX ISA 9.0, Debugging Directives. The directives may stand at the end. */
static void note_file(ListingScan *scan, const char *at, const char *end)
{
    size_t length;
    const char *name = starts(at, end, ".file") ? quoted(at, end, &length) : NULL;
    const long number = name == NULL ? -1 : strtol(at + strlen(".file"), NULL, 10);
    if (number >= 0 && number < MOST_FILES)
        scan->is_own[number] = is_own_file(name, length);
}

static bool is_own_number(const ListingScan *scan, unsigned number)
{
    return number < MOST_FILES && scan->is_own[number];
}

/* .loc 2 40 9, function_name $L__info_string0, inlined_at 1 14 5 */
static void note_place(ListingScan *scan, const char *at, const char *end)
{
    static const char inlined[] = "inlined_at";
    unsigned file = 0, line = 0;
    scan->line = 0;
    if (sscanf(at, ".loc %u %u", &file, &line) == 2 && is_own_number(scan, file))
        scan->line = line;
    const char *outer = scan->line > 0 ? NULL : memmem(at, (size_t)(end - at), inlined, strlen(inlined));
    if (outer != NULL && sscanf(outer + strlen(inlined), "%u %u", &file, &line) == 2 && is_own_number(scan, file))
        scan->line = line;
}

static void take_ptx_line(ListingScan *scan, const char *at, const char *end)
{
    static const char *const functions[] = {".entry ", ".func "};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const char *name = starts(at, end, "//") ? NULL
                                                 : memmem(at, (size_t)(end - at), functions[i], strlen(functions[i]));
        if (name == NULL)
            continue;
        name += strlen(functions[i]);
        const char *close = *name == '(' ? memchr(name, ')', (size_t)(end - name)) : NULL; /* .func (results) name */
        while (close != NULL && ++close < end && *close == ' ')
            continue;
        name = close == NULL ? name : close;
        begin_function(scan, name, strcspn(name, "(\n \t;"));
        return;
    }
    if (starts(at, end, ".loc"))
        note_place(scan, at, end);
    else if (*at != '.' && *at != '$' && *at != '{' && *at != '}' && *at != '(' && *at != ')' && *at != '/' &&
             end[-1] == ';')
        add_instruction(scan, at, (size_t)(end - at));
}

void listing_add_ptx(const char *ptx, size_t bytes, Listing *listing)
{
    ListingScan scan = {.codes = listing->ptx, .line_count = listing->line_count};
    scan_lines(&scan, ptx, bytes, note_file);
    scan_lines(&scan, ptx, bytes, take_ptx_line);
}

/* ---- machine code ------------------------------------------------------------------------------------------------ */

/* The output of nvdisasm 12 and 13:
 *
 *     .text._Z4blurPf:
 *             //## File "/submission/submission.cu", line 12
 *             //## File "/toolkit/include/x.h", line 5 inlined at "/submission/submission.cu", line 14
 *             @P0 BRA `(.L_x_1) ;          with its address, as a comment, before it
 */
static void take_place(ListingScan *scan, const char *at, const char *end)
{
    bool goes_on = true;
    scan->line = 0;
    while (goes_on && scan->line == 0) {
        static const char word[] = "line ";
        size_t length;
        const char *name = quoted(at, end, &length);
        const char *line = name == NULL ? NULL : memmem(name, (size_t)(end - name), word, strlen(word));
        goes_on = line != NULL;
        if (goes_on && is_own_file(name, length))
            scan->line = (size_t)strtoul(line + strlen(word), NULL, 10);
        at = goes_on ? line : at;
    }
}

static void take_sass_line(ListingScan *scan, const char *at, const char *end)
{
    static const char section[] = ".text.";
    const char *code = starts(at, end, "/*") ? memmem(at, (size_t)(end - at), "*/", 2) : NULL;
    if (starts(at, end, section) && end[-1] == ':')
        begin_function(scan, at + strlen(section), (size_t)(end - at) - strlen(section) - 1);
    else if (starts(at, end, "//## File"))
        take_place(scan, at, end);
    if (code == NULL)
        return;
    for (code += 2; code < end && (*code == ' ' || *code == '\t'); code++)
        continue;
    for (; end > code && (end[-1] == ';' || end[-1] == ' '); end--)
        continue;
    if (end > code && *code != '.' && *code != '/') /* data, a comment */
        add_instruction(scan, code, (size_t)(end - code));
}

void listing_add_sass(const char *text, Listing *listing)
{
    ListingScan scan = {.codes = listing->sass, .line_count = listing->line_count};
    scan_lines(&scan, text, strlen(text), take_sass_line);
}

/* nvdisasm in the sandbox of compilers, since the machine code is a submission's. Its output can be longer than what
 * compilers print. */
static Status disassemble(const Toolkit *toolkit, const Fatbin *fatbin, const char *scratch, Text *text, Message *why)
{
    static const char command[] = "\"$1\" -g -c \"$2\" >\"$3\"";
    char program[PATH_MAX], path[PATH_MAX + 16];
    CompileFolders folders;
    ProcessEnd end = {0};
    const CompileJob job = {.cpu_seconds = 0};
    CompileTools tools;
    compile_program_path(toolkit, program, sizeof program);
    snprintf(strrchr(program, '/'), sizeof "/nvdisasm", "/nvdisasm");
    const char *const argv[] = {"/bin/sh",        "-c", command, "listing", program, "/submission/code.cubin",
                                "/out/code.sass", NULL};
    TRY(compile_tools_find(toolkit, &tools, why));
    TRY(compile_folders_new(scratch, &folders, why));
    TRY(compile_put_file(folders.in, "code.cubin", fatbin->cubin, fatbin->cubin_bytes, why));
    TRY(compile_in_sandbox(&job, &tools, &folders, argv, text, &end, why));
    if (end.exit_status != 0)
        return fail(STATUS_SYSTEM, why, "nvdisasm: %.100s", text->data == NULL ? "it failed" : text->data);
    snprintf(path, sizeof path, "%s/code.sass", folders.out);
    text_free(text);
    return text_read_file(path, COMPILE_FILE_BYTES, text, why);
}

static bool has_nvdisasm(const Toolkit *toolkit)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s", toolkit->compiler);
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        return false;
    snprintf(slash, sizeof "/nvdisasm", "/nvdisasm");
    return access(path, X_OK) == 0;
}

static Status disassemble_in_scratch(const Toolkit *toolkit, const Fatbin *fatbin, Text *text, Message *why)
{
    char scratch[PATH_MAX];
    TRY(scratch_new(scratch, sizeof scratch, why));
    Status status = disassemble(toolkit, fatbin, scratch, text, why);
    scratch_remove(scratch);
    return status;
}

static void add_machine_code(const Fatbin *fatbin, Listing *listing)
{
    Toolkit toolkit;
    Text text = {0};
    Message why = {0};
    if (fatbin->cubin == NULL || toolkit_find(&toolkit, &why) != STATUS_OK || toolkit.kind != TOOLKIT_NVCC)
        snprintf(listing->no_sass, sizeof listing->no_sass, "clang made PTX, and no machine code");
    else if (!has_nvdisasm(&toolkit))
        snprintf(listing->no_sass, sizeof listing->no_sass, "machine code is shown where nvdisasm lies beside nvcc");
    else if (disassemble_in_scratch(&toolkit, fatbin, &text, &why) != STATUS_OK)
        snprintf(listing->no_sass, sizeof listing->no_sass, "%.190s", why.text);
    else
        listing_add_sass(text.data, listing);
    text_free(&text);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

void listing_make(const Compiled *compiled, int compute, size_t line_count, Listing *listing)
{
    *listing = (Listing){.line_count = line_count,
                         .ptx = zeroed(line_count + 1, sizeof *listing->ptx),
                         .sass = zeroed(line_count + 1, sizeof *listing->sass)};
    for (size_t i = 0; i < compiled->module_count; i++) {
        const CompileModule *module = &compiled->modules[i];
        Fatbin fatbin;
        if (fatbin_read(module->image, module->bytes, compute, &fatbin, NULL) != STATUS_OK || fatbin.ptx == NULL)
            continue;
        listing_add_ptx(fatbin.ptx, fatbin.ptx_bytes, listing);
        add_machine_code(&fatbin, listing);
    }
}

void listing_free(Listing *listing)
{
    for (size_t i = 0; i < listing->line_count; i++) {
        text_free(&listing->ptx[i].text);
        text_free(&listing->sass[i].text);
    }
    free(listing->ptx);
    free(listing->sass);
    *listing = (Listing){0};
}
