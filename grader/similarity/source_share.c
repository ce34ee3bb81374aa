#include "grader/similarity/source_share.h"

#include "base/arena.h"
#include "harness/compile/compile_sandbox.h"
#include "harness/sandbox/sandbox.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The shortest run of tokens that counts: sim_c's own default of 24. */
#define SHORTEST_RUN "24"

enum { CPU_SECONDS = 300, WALL_SECONDS = 600, MEMORY_BYTES = 0x7FFFF000, OUTPUT_BYTES = 256 << 20 };

const char *source_share_program(void)
{
    const char *chosen = getenv("CONVJUDGE_SIM_C");
    return chosen == NULL || chosen[0] == '\0' ? "/usr/bin/sim_c" : chosen;
}

bool source_share_is_there(void)
{
    return access(source_share_program(), X_OK) == 0;
}

/* ---- what the teacher handed out --------------------------------------------------------------------------------- */

/* The next line without its spaces, in `line`; NULL at the end. Returns what comes after the line. */
static const char *next_line(const char *text, Text *line, bool *has_letter)
{
    text_free(line);
    text_add(line, "");
    *has_letter = false;
    if (*text == '\0')
        return NULL;
    for (; *text != '\0' && *text != '\n'; text++) {
        *has_letter = *has_letter || isalpha((unsigned char)*text);
        if (!isspace((unsigned char)*text))
            text_append(line, text, 1);
    }
    return *text == '\n' ? text + 1 : text;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char **lines_of(const char *text, Arena *arena, size_t *count)
{
    const char **lines = NULL;
    size_t capacity = 0;
    Text line = {0};
    bool has_letter;
    *count = 0;
    while ((text = next_line(text, &line, &has_letter)) != NULL)
        if (has_letter) {
            lines = arena_grown(arena, (void *)lines, *count, &capacity, sizeof *lines);
            lines[(*count)++] = arena_string(arena, line.data);
        }
    text_free(&line);
    if (*count > 0)
        qsort((void *)lines, *count, sizeof *lines, by_text);
    return lines;
}

void source_share_leave_out(const char *source, const char *handout, Text *rest)
{
    Arena arena = {0};
    Text line = {0};
    size_t count;
    bool has_letter;
    const char **known = lines_of(handout, &arena, &count), *next;
    for (; (next = next_line(source, &line, &has_letter)) != NULL; source = next) {
        const char *wanted = line.data;
        bool is_known = has_letter && count > 0 &&
                        bsearch(&wanted, (void *)known, count, sizeof *known, by_text) != NULL;
        if (!is_known)
            text_append(rest, source, (size_t)(next - source));
    }
    text_free(&line);
    arena_free(&arena);
}

/* ---- sim_c ------------------------------------------------------------------------------------------------------- */

static Status put_sources(const char *folder, const Text *sources, size_t count, Message *why)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        char name[24];
        snprintf(name, sizeof name, "%zu.c", i);
        status = compile_put_file(folder, name, sources[i].data, sources[i].length, why);
    }
    return status;
}

static Status run_tool(const char *folder, size_t count, Text *output, Message *why)
{
    /* -e -a: each file with each other one; -s: not with itself; -p -t 1: percentages from 1 on; -T: no more words */
    const char *const options[] = {source_share_program(), "-e", "-a", "-s", "-p", "-t", "1", "-T", "-r", SHORTEST_RUN};
    enum { OPTIONS = sizeof options / sizeof *options };
    Arena arena = {0};
    const char **argv = arena_array(&arena, OPTIONS + count + 1, sizeof *argv);
    const SandboxMount mounts[] = {{folder, "/sources", false}};
    Sandbox *sandbox;
    ProcessSpec process;
    ProcessEnd end = {0};
    memcpy((void *)argv, options, sizeof options);
    for (size_t i = 0; i < count; i++)
        argv[OPTIONS + i] = arena_printf(&arena, "%zu.c", i);
    const SandboxSpec spec = {
        .process = {.argv = argv,
                    .folder = "/sources",
                    .limits = {.address_space_bytes = MEMORY_BYTES,
                               .cpu_seconds = CPU_SECONDS,
                               .processes = 8,
                               .open_files = 64}},
        .mounts = mounts,
        .mount_count = 1,
        .read_only = true,
    };
    Status status = sandbox_new(&spec, &sandbox, &process, why);
    if (status == STATUS_OK)
        status = process_run(&process, WALL_SECONDS, OUTPUT_BYTES, output, &end, why);
    if (status == STATUS_OK && (end.exit_status != 0 || end.timed_out || end.truncated))
        status = fail(STATUS_SYSTEM, why, "%s ended with status %d: %.300s", source_share_program(), end.exit_status,
                      output->data == NULL ? "" : output->data);
    sandbox_free(sandbox);
    arena_free(&arena);
    return status;
}

/* Reads lines such as "12.c consists for 63 % of 7.c material". */
static void read_shares(const char *output, size_t count, float *shares)
{
    for (const char *line = output; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        size_t a, b;
        unsigned percent;
        line += *line == '\n';
        if (sscanf(line, "%zu.c consists for %u %% of %zu.c material", &a, &percent, &b) == 3 && a < count &&
            b < count && percent <= 100)
            shares[a * count + b] = (float)percent / 100;
    }
}

Status source_share_all(const Text *sources, size_t count, float *shares, Message *why)
{
    char scratch[PATH_MAX], folder[PATH_MAX + 16];
    Text output = {0};
    memset(shares, 0, count * count * sizeof *shares);
    Status status = scratch_new(scratch, sizeof scratch, why);
    if (status != STATUS_OK)
        return status;
    snprintf(folder, sizeof folder, "%s/sources", scratch);
    if (mkdir(folder, 0755) != 0 || chmod(folder, 0755) != 0)
        status = fail_errno(why, "%s: cannot be made", folder);
    if (status == STATUS_OK)
        status = put_sources(folder, sources, count, why);
    if (status == STATUS_OK)
        status = run_tool(folder, count, &output, why);
    if (status == STATUS_OK)
        read_shares(output.data, count, shares);
    text_free(&output);
    scratch_remove(scratch);
    return status;
}
