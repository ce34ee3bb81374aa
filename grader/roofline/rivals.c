#include "grader/roofline/rivals.h"

#include "base/json.h"
#include "base/paths.h"
#include "harness/sandbox/process.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

static cJSON *sizes_item(const Problem *problem, const Sizes *sizes)
{
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (problem->parameters[i].role == ROLE_SIZE)
            cJSON_AddNumberToObject(object, problem->parameters[i].name, (double)sizes->values[i]); /* as "1500000" */
    return object;
}

void rivals_ask(const Roofline *roofline, Text *out)
{
    cJSON *root = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(root, "cases");
    for (size_t i = 0; i < roofline->case_count; i++) {
        const Testcase *testcase = roofline->cases[i].testcase;
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", testcase->name);
        cJSON_AddItemToObject(object, "sizes", sizes_item(roofline->problem, &testcase->sizes));
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
    Status status = json_check(file, object, time_keys, COUNT_OF(time_keys), why);
    if (status == STATUS_OK)
        status = json_number(file, object, "time_ms", 1e-6, 1e9, &time.ms, why);
    if (status == STATUS_OK)
        status = json_number(file, object, "uncertainty", 0, 1e3, &time.uncertainty, why);
    if (status != STATUS_OK)
        return status;
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
    if (status != STATUS_OK)
        return status;
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
    Status status = json_parse("pytorch_rivals.py", text, length, &file, why);
    if (status != STATUS_OK)
        return status;
    status = json_check(&file, file.root, file_keys, COUNT_OF(file_keys), why);
    const cJSON *rivals = status == STATUS_OK ? json_get(file.root, "rivals") : NULL;
    for (const cJSON *item = rivals == NULL ? NULL : rivals->child; item != NULL && status == STATUS_OK;
         item = item->next)
        status = take_rival(&file, item, roofline, why);
    json_free(&file);
    return status;
}

/* ---- the script -------------------------------------------------------------------------------------------------- */

static void add_missing(Roofline *roofline, const char *reason)
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
        add_missing(roofline, "its script did not end in time");
    else if (status == STATUS_OK && end.exit_status == 127)
        add_missing(roofline, "python3 is not installed");
    else if (status == STATUS_OK && end.exit_status != 0)
        add_missing(roofline, "its script failed");
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
    if (status == STATUS_OK)
        status = paths_home("grader/roofline/pytorch_rivals.py", script, sizeof script, why);
    if (status != STATUS_OK || access(rivals, R_OK) != 0)
        return status;
    return run_script(roofline, script, rivals, why);
}
