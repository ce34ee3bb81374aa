/* The same as JSON (docs/reference/formats.md). */
#include "grader/judge/roofline.h"

#include "base/json.h"
#include "base/paths.h"
#include "base/process.h"
#include "base/terminal.h"
#include "grader/judge/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== rivals ====================================================================================================== */

enum { MAX_OUTPUT_BYTES = 1 << 20 };
static const double MOST_SECONDS = 900; /* PyTorch alone takes 5 to 50 s to start, and cuDNN tries out its algorithms */

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const JsonKey file_keys[] = {{"rivals", JSON_ARRAY, true}};
static const JsonKey rival_keys[] = {
    {"name", JSON_STRING, true},
    {"precision", JSON_STRING, true},
    {"missing", JSON_STRING, false},
    {"times", JSON_ARRAY, false},
};
static const JsonKey time_keys[] = {
    {"case", JSON_STRING, true},
    {"time_ms", JSON_NUMBER, true},
    {"uncertainty", JSON_NUMBER, true},
    {"variant", JSON_STRING, false},
};

/* ---- the question ------------------------------------------------------------------------------------------------ */

void rivals_ask(const Roofline *roofline, Text *out)
{
    cJSON *root = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(root, "cases");
    for (size_t i = 0; i < roofline->case_count; i++) {
        const Testcase *testcase = roofline->cases[i].testcase;
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", testcase->name);
        cJSON_AddItemToObject(object, "sizes", sizes_json(roofline->problem, &testcase->sizes));
        cJSON_AddItemToArray(list, object);
    }
    json_print(root, out);
    cJSON_Delete(root);
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static Status take_time(const JsonFile *file, const cJSON *object, Roofline *roofline, TimedProgram *program,
                        Message *why)
{
    MeasuredTime time = {0};
    TRY(json_check(file, object, time_keys, COUNT_OF(time_keys), why));
    TRY(json_number(file, object, "time_ms", 1e-6, 1e9, &time.ms, why));
    TRY(json_number(file, object, "uncertainty", 0, 1e3, &time.uncertainty, why));
    const size_t which = roofline_case(roofline, json_string(object, "case"));
    const char *variant = json_string(object, "variant");
    if (which == roofline->case_count)
        return json_fail(file, object, why, "\"%s\" is not a timed case", json_string(object, "case"));
    program->times[which] = time;
    program->variants[which] = variant == NULL ? NULL : arena_string(&roofline->arena, variant);
    return STATUS_OK;
}

static Status take_rival(const JsonFile *file, const cJSON *object, Roofline *roofline, Message *why)
{
    Status status = json_check(file, object, rival_keys, COUNT_OF(rival_keys), why);
    TRY(status);
    const char *precision = json_string(object, "precision"), *missing = json_string(object, "missing");
    const bool is_tf32 = strcmp(precision, "tf32") == 0;
    if (!is_tf32 && strcmp(precision, "float32") != 0)
        return json_fail(file, json_get(object, "precision"), why, "\"%s\", expected \"float32\" or \"tf32\"",
                         precision);
    TimedProgram *program = roofline_add(roofline, json_string(object, "name"), true,
                                         is_tf32 ? PRECISION_TF32 : PRECISION_FLOAT32);
    program->missing = missing == NULL ? NULL : arena_string(&roofline->arena, missing);
    const cJSON *times = json_get(object, "times");
    for (const cJSON *item = times == NULL ? NULL : times->child; item != NULL && status == STATUS_OK;
         item = item->next)
        status = take_time(file, item, roofline, program, why);
    return status;
}

Status rivals_take(Roofline *roofline, const char *text, size_t length, Message *why)
{
    JsonFile file;
    TRY(json_parse("pytorch_rivals.py", text, length, &file, why));
    Status status = json_check(&file, file.root, file_keys, COUNT_OF(file_keys), why);
    const cJSON *rivals = status == STATUS_OK ? json_get(file.root, "rivals") : NULL;
    for (const cJSON *item = rivals == NULL ? NULL : rivals->child; item != NULL && status == STATUS_OK;
         item = item->next)
        status = take_rival(&file, item, roofline, why);
    json_free(&file);
    return status;
}

/* ---- the script -------------------------------------------------------------------------------------------------- */

static void add_missing_rival(Roofline *roofline, const char *reason)
{
    TimedProgram *program = roofline_add(roofline, "PyTorch", true, PRECISION_FLOAT32);
    program->missing = arena_string(&roofline->arena, reason);
}

/* The script is the judge's own, so it runs as the judge does, with the environment that finds the user's PyTorch. */
static Status run_script(Roofline *roofline, const char *script, const char *rivals, Message *why)
{
    Text question = {0}, answer = {0};
    ProcessEnd end;
    rivals_ask(roofline, &question);
    const char *const argv[] = {"/usr/bin/env",          "python3",     script, rivals,
                                roofline->device.handle, question.data, NULL};
    const ProcessSpec spec = {.argv = argv, .environment = (const char *const *)environ, .errors = STDERR_FILENO};
    Status status = process_run(&spec, MOST_SECONDS, MAX_OUTPUT_BYTES, &answer, &end, why);
    if (status == STATUS_OK && end.timed_out)
        add_missing_rival(roofline, "its script did not end in time");
    else if (status == STATUS_OK && end.exit_status == 127)
        add_missing_rival(roofline, "python3 is not installed");
    else if (status == STATUS_OK && end.exit_status != 0)
        add_missing_rival(roofline, "its script failed");
    else if (status == STATUS_OK)
        status = rivals_take(roofline, answer.data == NULL ? "" : answer.data, answer.length, why);
    text_free(&question);
    text_free(&answer);
    return status;
}

Status rivals_time_pytorch(Roofline *roofline, Message *why)
{
    char script[4096], rivals[4096], relative[256];
    snprintf(relative, sizeof relative, "solutions/%s/rivals/pytorch.py", roofline->problem->id);
    Status status = paths_home(relative, rivals, sizeof rivals, why);
    THEN(status, paths_home("grader/judge/pytorch_rivals.py", script, sizeof script, why));
    if (status != STATUS_OK || access(rivals, R_OK) != 0)
        return status;
    return run_script(roofline, script, rivals, why);
}

/* ==== roofline ==================================================================================================== */

static const double CLOSE = 1.1; /* a reference solution should be faster than a rival by this factor */

static double seconds(double work, double per_s)
{
    return per_s > 0 ? work / per_s : 0;
}

static Roofs roofs_of(double bytes, double operations, const DeviceInfo *device)
{
    return (Roofs){.bytes_s = seconds(bytes, device->copy_bytes_per_s),
                   .float32_s = seconds(operations, device->fma_flops_per_s),
                   .tf32_s = seconds(operations, device->tf32_flops_per_s)};
}

double roofs_direct_s(const Roofs *roofs, Precision precision)
{
    const double operations_s = precision == PRECISION_TF32 ? roofs->tf32_s : roofs->float32_s;
    return roofs->bytes_s > 0 && operations_s > 0 ? fmax(roofs->bytes_s, operations_s) : 0;
}

Roofline roofline_new(const Problem *problem, const TestcaseSet *set, const DeviceInfo *device)
{
    Roofline roofline = {.problem = problem, .device = *device};
    roofline.cases = arena_array(&roofline.arena, set->count, sizeof *roofline.cases);
    for (size_t i = 0; i < set->count; i++) {
        const Testcase *testcase = &set->cases[i];
        if (testcase->group == CASE_TIMED)
            roofline.cases[roofline.case_count++] = (RooflineCase){
                testcase, roofs_of((double)testcase->bytes, (double)testcase->operations, device)};
    }
    return roofline;
}

void roofline_free(Roofline *roofline)
{
    arena_free(&roofline->arena);
    *roofline = (Roofline){0};
}

TimedProgram *roofline_add(Roofline *roofline, const char *name, bool is_rival, Precision precision)
{
    Arena *arena = &roofline->arena;
    roofline->programs = arena_grown(arena, roofline->programs, roofline->program_count, &roofline->program_room,
                                     sizeof *roofline->programs);
    TimedProgram *program = &roofline->programs[roofline->program_count++];
    *program = (TimedProgram){.name = arena_string(arena, name),
                              .is_rival = is_rival,
                              .precision = precision,
                              .times = arena_array(arena, roofline->case_count, sizeof *program->times),
                              .variants = arena_array(arena, roofline->case_count, sizeof *program->variants)};
    return program;
}

size_t roofline_case(const Roofline *roofline, const char *name)
{
    size_t which = 0;
    while (which < roofline->case_count && strcmp(roofline->cases[which].testcase->name, name) != 0)
        which++;
    return which;
}

double roofline_share(const Roofline *roofline, const TimedProgram *program, size_t which)
{
    const double ms = program->times[which].ms;
    return ms > 0 ? 1e3 * roofs_direct_s(&roofline->cases[which].roofs, program->precision) / ms : 0;
}

static const TimedProgram *best_of(const Roofline *roofline, Precision precision, size_t which)
{
    const TimedProgram *best = NULL;
    for (const TimedProgram *one = roofline->programs; one < roofline->programs + roofline->program_count; one++)
        if (!one->is_rival && one->precision == precision && one->times[which].ms > 0 &&
            (best == NULL || one->times[which].ms < best->times[which].ms))
            best = one;
    return best;
}

const TimedProgram *roofline_best(const Roofline *roofline, size_t which)
{
    return best_of(roofline, PRECISION_FLOAT32, which);
}

static bool overlap(MeasuredTime shorter, MeasuredTime longer)
{
    return shorter.ms * (1 + shorter.uncertainty) >= longer.ms * (1 - longer.uncertainty);
}

bool roofline_is_close(const Roofline *roofline, const TimedProgram *rival, size_t which)
{
    const TimedProgram *best = best_of(roofline, rival->precision, which);
    const MeasuredTime theirs = rival->times[which];
    if (!rival->is_rival || best == NULL || !(theirs.ms > 0))
        return false;
    return theirs.ms < CLOSE * best->times[which].ms || overlap(best->times[which], theirs);
}

/* The programs with a time, fastest first. */
static size_t sort(const Roofline *roofline, const MeasuredTime *times, const TimedProgram **sorted)
{
    size_t count = 0;
    for (size_t i = 0; i < roofline->program_count; i++) {
        size_t place = count;
        if (!(times[i].ms > 0))
            continue;
        for (; place > 0 && times[sorted[place - 1] - roofline->programs].ms > times[i].ms; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = &roofline->programs[i];
        count++;
    }
    return count;
}

size_t roofline_sort(const Roofline *roofline, size_t which, const TimedProgram **sorted)
{
    Arena arena = {0};
    MeasuredTime *times = arena_array(&arena, roofline->program_count, sizeof *times);
    for (size_t i = 0; i < roofline->program_count; i++)
        times[i] = roofline->programs[i].times[which];
    const size_t count = sort(roofline, times, sorted);
    arena_free(&arena);
    return count;
}

/* The geometric mean of a program's times over all cases; ms 0: one is missing. */
static MeasuredTime roofline_mean(const Roofline *roofline, const TimedProgram *program)
{
    return timing_score(program->times, roofline->case_count);
}

size_t roofline_sort_means(const Roofline *roofline, const TimedProgram **sorted)
{
    Arena arena = {0};
    MeasuredTime *times = arena_array(&arena, roofline->program_count, sizeof *times);
    for (size_t i = 0; i < roofline->program_count; i++)
        times[i] = roofline_mean(roofline, &roofline->programs[i]);
    const size_t count = sort(roofline, times, sorted);
    arena_free(&arena);
    return count;
}

/* ==== roofline json =============================================================================================== */

enum { FORMAT = 1 };

static void put_known(cJSON *object, const char *key, double value)
{
    if (value > 0)
        json_put_number(object, key, value);
}

static cJSON *time_item(const Roofline *roofline, const TimedProgram *program, size_t which)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", program->name);
    cJSON_AddBoolToObject(object, "rival", program->is_rival);
    cJSON_AddStringToObject(object, "precision", program->precision == PRECISION_TF32 ? "tf32" : "float32");
    if (program->variants[which] != NULL)
        cJSON_AddStringToObject(object, "variant", program->variants[which]);
    json_put_number(object, "time_ms", program->times[which].ms);
    json_put_number(object, "uncertainty", program->times[which].uncertainty);
    put_known(object, "roofline", roofline_share(roofline, program, which));
    if (program->is_rival)
        cJSON_AddBoolToObject(object, "too_close", roofline_is_close(roofline, program, which));
    return object;
}

static cJSON *case_item(const Roofline *roofline, size_t which, const TimedProgram **sorted)
{
    const RooflineCase *item = &roofline->cases[which];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", item->testcase->name);
    json_put_number(object, "bytes", (double)item->testcase->bytes);
    json_put_number(object, "operations", (double)item->testcase->operations);
    put_known(object, "bytes_ms", 1e3 * item->roofs.bytes_s);
    put_known(object, "float32_ms", 1e3 * item->roofs.float32_s);
    put_known(object, "tf32_ms", 1e3 * item->roofs.tf32_s);
    cJSON *list = cJSON_AddArrayToObject(object, "programs");
    const size_t count = roofline_sort(roofline, which, sorted);
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(list, time_item(roofline, sorted[i], which));
    return object;
}

static void put_missing(const Roofline *roofline, cJSON *root)
{
    cJSON *list = cJSON_AddArrayToObject(root, "missing");
    for (size_t i = 0; i < roofline->program_count; i++) {
        const TimedProgram *program = &roofline->programs[i];
        if (program->missing == NULL)
            continue;
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", program->name);
        cJSON_AddStringToObject(object, "why", program->missing);
        cJSON_AddItemToArray(list, object);
    }
}

void roofline_json(const Roofline *roofline, Text *out)
{
    Arena arena = {0};
    const TimedProgram **sorted = arena_array(&arena, roofline->program_count, sizeof *sorted);
    const DeviceInfo *device = &roofline->device;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "format", FORMAT);
    cJSON_AddStringToObject(root, "problem", roofline->problem->id);
    cJSON_AddStringToObject(root, "revision", roofline->problem->revision.hex);
    cJSON_AddStringToObject(root, "device", device->id);
    cJSON_AddStringToObject(root, "device_name", device->name);
    cJSON_AddBoolToObject(root, "modelled", device->modelled);
    put_known(root, "copy_bytes_per_s", device->copy_bytes_per_s);
    put_known(root, "fma_flops_per_s", device->fma_flops_per_s);
    put_known(root, "tf32_flops_per_s", device->tf32_flops_per_s);
    cJSON *list = cJSON_AddArrayToObject(root, "cases");
    for (size_t i = 0; i < roofline->case_count; i++)
        cJSON_AddItemToArray(list, case_item(roofline, i, sorted));
    put_missing(roofline, root);
    json_print(root, out);
    cJSON_Delete(root);
    arena_free(&arena);
}

/* ==== roofline report ============================================================================================= */

/* The rooflines and the times as people read them. */

enum { NAME_COLUMNS = 50, TIME_COLUMNS = 10, UNCERTAINTY_COLUMNS = 8, SHARE_COLUMNS = 10 };

static const char *const PRECISION_NAMES[PRECISIONS] = {"float32", "TF32"};

static void add_rate(Text *out, const char *what, double per_s, double unit, const char *unit_name)
{
    if (per_s > 0)
        text_printf(out, "%s %s %s", what, quantity_rate(per_s / unit).text, unit_name);
    else
        text_printf(out, "%s unknown", what);
}

static void add_head(const Roofline *roofline, Text *out)
{
    const DeviceInfo *device = &roofline->device;
    text_printf(out, "%s (%s) on %s", roofline->problem->id, roofline->problem->title, device->name);
    if (device->modelled)
        text_printf(out, ", times are %s", device_time_label(device));
    text_add(out, "\n  ");
    add_rate(out, "ceilings: copy", device->copy_bytes_per_s, 1e9, "GB/s");
    add_rate(out, ", float32", device->fma_flops_per_s, 1e9, "GFLOP/s");
    add_rate(out, ", TF32 tensor cores", device->tf32_flops_per_s, 1e9, "GFLOP/s");
    text_add(
        out,
        "\n  Shares are of the direct roofline in that precision: the longer of the times for bytes and operations.\n");
}

static void add_roof(Text *out, const char *what, double roof_s)
{
    text_add(out, "  ");
    terminal_pad(out, what, NAME_COLUMNS);
    terminal_pad(out, roof_s > 0 ? quantity_time(1e3 * roof_s).text : "unknown", -TIME_COLUMNS);
    text_add(out, "\n");
}

static void add_roofs(const RooflineCase *item, Text *out)
{
    char bytes[80], float32[80], tf32[80];
    const double operations = (double)item->testcase->operations;
    snprintf(bytes, sizeof bytes, "roofline by bytes, %s bytes", quantity_count((double)item->testcase->bytes).text);
    snprintf(float32, sizeof float32, "roofline by float32, %s operations", quantity_count(operations).text);
    snprintf(tf32, sizeof tf32, "roofline by TF32 tensor cores");
    add_roof(out, bytes, item->roofs.bytes_s);
    add_roof(out, float32, item->roofs.float32_s);
    add_roof(out, tf32, item->roofs.tf32_s);
}

static void add_name(const TimedProgram *program, const char *variant, Text *out)
{
    Text name = {0};
    text_add(&name, program->name);
    if (program->is_rival)
        text_printf(&name, ", %s", PRECISION_NAMES[program->precision]);
    if (variant != NULL)
        text_printf(&name, ", %s", variant);
    text_add(out, program->is_rival ? "  * " : "    ");
    terminal_pad(out, name.data, NAME_COLUMNS - 2);
    text_free(&name);
}

static void add_time(MeasuredTime time, double share, Text *out)
{
    terminal_pad(out, quantity_time(time.ms).text, -TIME_COLUMNS);
    text_add(out, " +-");
    terminal_pad(out, quantity_percent(time.uncertainty, 1).text, -UNCERTAINTY_COLUMNS);
    if (share > 0)
        terminal_pad(out, quantity_percent(share, 1).text, -SHARE_COLUMNS);
}

static void add_program(const Roofline *roofline, const TimedProgram *program, size_t which, Text *out)
{
    add_name(program, program->variants[which], out);
    add_time(program->times[which], roofline_share(roofline, program, which), out);
    if (program == roofline_best(roofline, which))
        text_add(out, "  best");
    if (roofline_is_close(roofline, program, which))
        text_add(out, "  TOO CLOSE");
    text_add(out, "\n");
}

static void add_case(const Roofline *roofline, size_t which, const TimedProgram **sorted, Text *out)
{
    text_printf(out, "\n  %s\n", roofline->cases[which].testcase->name);
    add_roofs(&roofline->cases[which], out);
    const size_t count = roofline_sort(roofline, which, sorted);
    for (size_t i = 0; i < count; i++)
        add_program(roofline, sorted[i], which, out);
}

static void add_means(const Roofline *roofline, const TimedProgram **sorted, Text *out)
{
    text_add(out, "\n  all cases, geometric mean\n");
    const size_t count = roofline_sort_means(roofline, sorted);
    for (size_t i = 0; i < count; i++) {
        add_name(sorted[i], NULL, out);
        add_time(roofline_mean(roofline, sorted[i]), 0, out);
        text_add(out, "\n");
    }
}

static void add_missing_program(const Roofline *roofline, Text *out)
{
    const char *before = "\n";
    for (const TimedProgram *one = roofline->programs; one < roofline->programs + roofline->program_count; one++)
        if (one->missing != NULL) {
            text_add(out, before);
            terminal_print(out, "  no times of %s: %s\n", one->name, one->missing);
            before = "";
        }
}

static void add_legend(const Roofline *roofline, Text *out)
{
    bool has_rivals = false;
    for (size_t i = 0; i < roofline->program_count; i++)
        has_rivals = has_rivals || (roofline->programs[i].is_rival && roofline->programs[i].missing == NULL);
    if (has_rivals)
        text_add(
            out,
            "\n  *          a rival\n"
            "  TOO CLOSE  its interval overlaps with that of the best reference solution, or it takes less than 10 % longer\n");
}

void roofline_report(const Roofline *roofline, Text *out)
{
    Arena arena = {0};
    const TimedProgram **sorted = arena_array(&arena, roofline->program_count, sizeof *sorted);
    add_head(roofline, out);
    for (size_t i = 0; i < roofline->case_count; i++)
        add_case(roofline, i, sorted, out);
    add_means(roofline, sorted, out);
    add_missing_program(roofline, out);
    add_legend(roofline, out);
    arena_free(&arena);
}
