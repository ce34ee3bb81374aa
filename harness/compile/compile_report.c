#include "harness/compile/compile_report.h"

#include "base/elf.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static const char *demangle(const char *mangled, Arena *arena)
{
    char name[512];
    symbol_name(mangled, name, sizeof name);
    return arena_string(arena, name);
}

/* The number before `unit` in a line such as "Used 30 registers, 1024 bytes smem"; 0 if there is none. */
static uint32_t number_before(const char *line, size_t length, const char *unit)
{
    const char *found = memmem(line, length, unit, strlen(unit));
    if (found == NULL)
        return 0;
    while (found > line && found[-1] == ' ')
        found--;
    const char *digits = found;
    while (digits > line && isdigit((unsigned char)digits[-1]))
        digits--;
    return (uint32_t)strtoul(digits, NULL, 10);
}

static bool starts_with(const char *line, size_t length, const char *prefix)
{
    return length >= strlen(prefix) && memcmp(line, prefix, strlen(prefix)) == 0;
}

/* Constant bytes are listed by bank: "380 bytes cmem[0], 64 bytes cmem[3]". */
static uint32_t constant_bytes(const char *line, size_t length)
{
    static const char *const banks[] = {" bytes cmem[0]", " bytes cmem[2]", " bytes cmem[3]", " bytes cmem[4]"};
    uint32_t sum = 0;
    for (size_t i = 0; i < sizeof banks / sizeof *banks; i++)
        sum += number_before(line, length, banks[i]);
    return sum;
}

static void take_figures(CompileKernel *kernel, const char *line, size_t length)
{
    if (memmem(line, length, "bytes stack frame", 17) != NULL) {
        kernel->stack_bytes = number_before(line, length, " bytes stack frame");
        kernel->spill_bytes = number_before(line, length, " bytes spill stores") +
                              number_before(line, length, " bytes spill loads");
    } else if (memmem(line, length, ": Used ", 7) != NULL) {
        kernel->registers = number_before(line, length, " registers");
        kernel->shared_bytes = number_before(line, length, " bytes smem");
        kernel->constant_bytes = constant_bytes(line, length);
    }
}

#define PTXAS "ptxas info"
#define ENTRY "Compiling entry function '"

void report_kernels(const Text *output, Arena *arena, CompileKernel **kernels, size_t *count)
{
    size_t possible = 0;
    *count = 0;
    for (const char *at = output->data; (at = strstr(at, ENTRY)) != NULL; at += strlen(ENTRY))
        possible++;
    *kernels = arena_array(arena, possible, sizeof **kernels);
    for (const char *line = output->data; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        const char *entry = starts_with(line, length, PTXAS) ? memmem(line, length, ENTRY, strlen(ENTRY)) : NULL;
        if (entry != NULL) {
            const char *name = entry + strlen(ENTRY);
            (*kernels)[(*count)++].name = demangle(arena_copy(arena, name, strcspn(name, "'\n")), arena);
        } else if (*count > 0) {
            take_figures(&(*kernels)[*count - 1], line, length);
        }
        line += length + (line[length] == '\n');
    }
}

/* ---- the outcome ------------------------------------------------------------------------------------------------- */

static bool contains_any(const Text *text, const char *const *needles)
{
    for (; *needles != NULL; needles++)
        if (strstr(text->data, *needles) != NULL)
            return true;
    return false;
}

/* If a signal ends one of nvcc's programs, nvcc says so, and exits with the status that a shell would give. gcc only
 * says so, perhaps after the part of the output that is kept. */
CompileOutcome report_outcome(const Text *output, const ProcessEnd *end)
{
    static const char *const out_of_time[] = {"CPU time limit exceeded", NULL};
    static const char *const too_large[] = {"out of memory",
                                            "memory exhausted",
                                            "Cannot allocate memory",
                                            "bad_alloc",
                                            "File size limit exceeded",
                                            "No space left on device",
                                            "File too large",
                                            NULL};
    int signal_number = end->exit_status - 128;
    if (end->exit_status == 0)
        return COMPILE_OK;
    if (end->timed_out || signal_number == SIGXCPU || signal_number == SIGKILL || contains_any(output, out_of_time))
        return COMPILE_TIME_LIMIT;
    if (signal_number > 0 && signal_number < NSIG)
        return COMPILE_TOO_LARGE;
    return contains_any(output, too_large) ? COMPILE_TOO_LARGE : COMPILE_ERROR;
}

/* ---- diagnostics ------------------------------------------------------------------------------------------------- */

static void add_replaced(Text *text, const char *line, size_t length, const char *const *paths)
{
    for (size_t at = 0; at < length;) {
        const char *const *pair = paths;
        while (*pair != NULL && (**pair == '\0' || !starts_with(line + at, length - at, *pair)))
            pair += 2;
        if (*pair != NULL) {
            text_add(text, pair[1]);
            at += strlen(*pair);
        } else {
            text_append(text, line + at++, 1);
        }
    }
}

/* Students need not see the resources of kernels, which are shown elsewhere, and the judge's own function. */
static bool is_noise(const char *line, size_t length)
{
    return starts_with(line, length, PTXAS) || memmem(line, length, "convjudge_call", 14) != NULL ||
           (starts_with(line, length, "    ") && memmem(line, length, "bytes stack frame", 17) != NULL);
}

/* The linker begins a message with the file of the host's side and an address, or with the path of the source, if it
 * knows the line. */
static size_t linker_prefix(const char *line, size_t length)
{
    static const char folder[] = "/submission/";
    if (starts_with(line, length, "/submission/" COMPILE_SOURCE_NAME ":"))
        return strlen(folder);
    const char *end = starts_with(line, length, COMPILE_HOST_NAME ":(") ? memmem(line, length, "): ", 3) : NULL;
    return end != NULL ? (size_t)(end + 3 - line) : 0;
}

/* Finds the section after the line number in a message of some linkers, as in "submission.cu:15:(.text+0x79): undefined
 * reference". Returns its length without the first colon, and in `*place` where it begins; 0: there is none. */
static size_t linker_section(const char *line, size_t length, size_t *place)
{
    const size_t name = strlen(COMPILE_SOURCE_NAME ":");
    if (!starts_with(line, length, COMPILE_SOURCE_NAME ":"))
        return 0;
    *place = name + strspn(line + name, "0123456789");
    if (!starts_with(line + *place, length - *place, ":(.text"))
        return 0;
    const char *end = line + *place + strcspn(line + *place, " )\n");
    return *end == ')' ? (size_t)(end + 1 - line) - *place : 0;
}

void report_diagnostics(const Text *output, const char *const *paths, Text *diagnostics)
{
    Text shown = {0};
    text_add(&shown, "");
    text_add(diagnostics, "");
    for (const char *line = output->data; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        length += line[length] == '\n';
        size_t prefix = linker_prefix(line, length), place = 0;
        size_t section = linker_section(line + prefix, length - prefix, &place);
        if (!is_noise(line, length)) {
            add_replaced(&shown, line + prefix, place, paths);
            add_replaced(&shown, line + prefix + place + section, length - prefix - place - section, paths);
        }
        line += length;
    }
    size_t kept = shown.length < COMPILE_OUTPUT_BYTES ? shown.length : COMPILE_OUTPUT_BYTES;
    text_add_printable(diagnostics, shown.data, kept);
    text_free(&shown);
}

/* If the very first line of the output names the student's file, it is not repeated. */
static void add_error(const char *line, size_t length, bool first, const CompileJob *job, Text *diagnostics)
{
    size_t prefix = linker_prefix(line, length);
    bool has_place = starts_with(line + prefix, length - prefix, COMPILE_SOURCE_NAME);
    if (!has_place)
        text_printf(diagnostics, "%s: %.*s\n", job->file_name, (int)(length - prefix), line + prefix);
    else if (!first)
        text_printf(diagnostics, "%.*s\n", (int)(length - prefix), line + prefix);
}

const char *report_first_error(const Text *output, size_t *length)
{
    static const char *const signs[] = {" error: ", " error   : ", " Error: ", ": undefined reference"};
    for (const char *line = output->data; *line != '\0'; line += *length + (line[*length] == '\n')) {
        *length = strcspn(line, "\n");
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
            if (memmem(line, *length, signs[i], strlen(signs[i])) != NULL)
                return line;
    }
    return NULL;
}

static void add_first_error(const Text *output, const CompileJob *job, Text *diagnostics)
{
    size_t length;
    const char *line = report_first_error(output, &length);
    if (line != NULL)
        add_error(line, length, line == output->data, job, diagnostics);
    else
        text_printf(diagnostics, "%s: does not compile; the compiler's first messages follow\n", job->file_name);
}

bool report_names_source(const Text *output)
{
    static const char *const names[] = {COMPILE_SOURCE_NAME, COMPILE_HOST_NAME, COMPILE_DRIVER_NAME,
                                        "prototype.h",       "submission.ptx",  NULL};
    return contains_any(output, names);
}

bool report_is_nested_launch(const Text *output)
{
    static const char *const signs[] = {
        "kernel launch from __device__ or __global__ functions requires separate compilation mode", /* cudafe++ */
        "__host__ function '__cudaPushCallConfiguration'",                                          /* clang */
        NULL};
    return contains_any(output, signs);
}

bool report_is_system_header(const Text *output)
{
    size_t length;
    const char *line = report_first_error(output, &length);
    if (line == NULL || line[0] != '/' || starts_with(line, length, "/submission/"))
        return false;
    const char *group = line + length, *next = strstr(group, " error: ");
    size_t group_length = next != NULL ? (size_t)(next - group) : strlen(group);
    /* "note: in instantiation of ... requested here", "note: expanded from macro", "note: called by" */
    for (const char *note = group; note < group + group_length; note += length + (note[length] == '\n')) {
        length = strcspn(note, "\n");
        if (memmem(note, length, " note: ", 7) != NULL &&
            memmem(note, length, COMPILE_SOURCE_NAME, strlen(COMPILE_SOURCE_NAME)) != NULL)
            return false;
    }
    return true;
}

/* The end of the comment or literal that starts here; `at` itself if none does. */
static const char *skip_comment_or_literal(const char *at)
{
    if (strncmp(at, "//", 2) == 0)
        return at + strcspn(at, "\n");
    if (strncmp(at, "/*", 2) == 0) {
        const char *end = strstr(at + 2, "*/");
        return end != NULL ? end + 2 : at + strlen(at);
    }
    if (*at != '"' && *at != '\'')
        return at;
    const char *end = at + 1;
    while (*end != '\0' && *end != *at && *end != '\n')
        end += end[0] == '\\' && end[1] != '\0' ? 2 : 1;
    return *end == '\0' ? end : end + 1;
}

/* The line of the first `name (` after the name of a type, as in a declaration; 0 if there is none. */
static int line_of_function(const char *source, const char *name)
{
    char before = ' '; /* the last character that is not white space */
    for (const char *at = source; *at != '\0';) {
        const char *after = skip_comment_or_literal(at);
        if (after != at) {
            at = after;
            continue;
        }
        if (!text_in_word(*at)) {
            before = isspace((unsigned char)*at) ? before : *at;
            at++;
            continue;
        }
        size_t length = 0;
        while (text_in_word(at[length]))
            length++;
        bool is_called_so = length == strlen(name) && memcmp(at, name, length) == 0 &&
                            at[length + strspn(at + length, " \t\r\n")] == '(';
        if (is_called_so && (text_in_word(before) || before == '*' || before == '&'))
            return text_line_at(source, (size_t)(at - source));
        before = at[length - 1];
        at += length;
    }
    return 0;
}

/* Whether the compiler has this complaint about a line: "submission.cu(9): error:" or "submission.cu:9:5: error:". */
static bool has_error_in_line(const char *output, int number, const char *complaint)
{
    char nvcc[40], clang[40];
    snprintf(nvcc, sizeof nvcc, COMPILE_SOURCE_NAME "(%d): ", number);
    snprintf(clang, sizeof clang, COMPILE_SOURCE_NAME ":%d:", number);
    for (const char *line = output; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        if (memmem(line, length, complaint, strlen(complaint)) != NULL &&
            (starts_with(line, length, nvcc) || starts_with(line, length, clang)))
            return true;
        line += length + (line[length] == '\n');
    }
    return false;
}

/* Whether compiler or linker complain about the signature of the solve() in this line. */
static bool is_about_solve(const char *output, int line)
{
    static const char *const signs[] = {
        "undefined reference to `solve'", /* ld: there is no solve(), or a C++ function with other parameters */
        "\"solve\" has \"C\" linkage",    /* cudafe++: other parameters */
        "(\"solve\") redeclared with",    /* cudafe++: __global__ */
        "conflicting types for 'solve'",  /* clang: other parameters */
        "static declaration of 'solve'",  "__global__ function 'solve'",
    };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strstr(output, signs[i]) != NULL)
            return true;
    return has_error_in_line(output, line, "cannot overload functions distinguished by return type") ||
           has_error_in_line(output, line, "functions that differ only in their return type cannot be overloaded");
}

/* What the driver calls and the submission does not define, with its parameters if the linker says so; NULL: nothing. */
static const char *missing_name(const Text *output, size_t *length)
{
    static const char *const signs[] = {
        "undefined reference to `", "error: identifier \"", /* "driver.cu(7): error: identifier "conv" is undefined" */
        "error: use of undeclared identifier '"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const char *name = strstr(output->data, signs[i]), *line = name;
        while (line != NULL && line > output->data && line[-1] != '\n')
            line--;
        if (name == NULL || (i > 0 && strncmp(line, COMPILE_DRIVER_NAME, strlen(COMPILE_DRIVER_NAME)) != 0))
            continue;
        name += strlen(signs[i]);
        *length = strcspn(name, "'\"\n");
        return name;
    }
    return NULL;
}

/* A function of the same name with other parameters is another one in C++. */
static bool add_missing(const Text *output, const CompileJob *job, Text *diagnostics)
{
    size_t length;
    char function[80];
    const char *name = missing_name(output, &length);
    if (name == NULL)
        return false;
    snprintf(function, sizeof function, "%.*s", (int)strcspn(name, "('\"\n"), name);
    const int line = line_of_function(job->source, function);
    if (line > 0 && line < text_line_at(job->source, job->source_bytes - strlen(job->driver)))
        text_printf(diagnostics,
                    "%s:%d: %s() differs from what the driver of the problem calls: the statement shows its %s\n",
                    job->file_name, line, function, job->headers[0].name);
    else
        text_printf(diagnostics,
                    "%s: defines no %.*s, which the driver of the problem calls: the statement shows its %s\n",
                    job->file_name, (int)length, name, job->headers[0].name);
    return true;
}

static bool add_solve(const Text *output, const CompileJob *job, Text *diagnostics)
{
    if (job->driver != NULL)
        return add_missing(output, job, diagnostics);
    int line = line_of_function(job->source, "solve");
    if (!is_about_solve(output->data, line))
        return false;
    if (line == 0 && line_of_function(job->source, "main") != 0)
        text_printf(
            diagnostics,
            "%s: there is no solve(): move the work of main() into a function `extern \"C\" %s`, which the judge "
            "calls with arrays on the device; it never calls main()\n",
            job->file_name, job->prototype);
    else if (line == 0)
        text_printf(diagnostics, "%s: no function solve() with the signature `%s`\n", job->file_name, job->prototype);
    else
        text_printf(diagnostics,
                    "%s:%d: solve() must have the signature `%s`, in no namespace, neither static nor a template\n",
                    job->file_name, line, job->prototype);
    return true;
}

void report_headline(const CompileJob *job, CompileOutcome outcome, const Text *output, Text *diagnostics)
{
    if (outcome == COMPILE_TIME_LIMIT)
        text_printf(diagnostics, "%s: compiling takes too long: the limit is %u s of processor time for each step\n",
                    job->file_name, compile_seconds(job->cpu_seconds));
    else if (outcome == COMPILE_TOO_LARGE)
        text_printf(diagnostics,
                    "%s: compiling takes too much memory or makes too large a file: the limits are 2 GiB and "
                    "%d MiB\n",
                    job->file_name, COMPILE_FILE_BYTES >> 20);
    else if (outcome == COMPILE_UNSUPPORTED || outcome == COMPILE_BROKEN || outcome == COMPILE_NESTED)
        add_first_error(output, job, diagnostics);
    else if (outcome == COMPILE_ERROR && !add_solve(output, job, diagnostics))
        add_first_error(output, job, diagnostics);
}
