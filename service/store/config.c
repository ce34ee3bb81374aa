#include "service/store/config.h"

#include "base/json.h"
#include "base/paths.h"
#include "base/record.h"
#include "grader/problem/testcase.h"
#include "grader/ranking/ranking.h"
#include "harness/compile/compile_sandbox.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

/* ==== deadlines =================================================================================================== */

/* Limits that the judge keeps elsewhere, and that have no header of their own. */
enum {
    OPEN_S = 60,        /* harness/broker/gpu_session.c */
    ORACLE_S = 120,     /* harness/compile/toolkit.c, and grader/check/device_oracle.c */
    QUIET_S = 120,      /* before each block: grader/judge/measure.c */
    COMPILER_STEPS = 2, /* the device's side and the host's side */
    SITTINGS = 2,       /* a result that is far ahead is timed again */
};

/* Steps without a limit are estimated, for a machine ten times slower than the slowest that we have measured (two cores of a
 * laptop, lab/measurements.md). */
static const double CASE_S = 3;                     /* a new runner, its inputs, the expected output, the check */
static const double CALL_S = 0.1;                   /* likewise for a call on a GPU, whose oracle works on the GPU */
static const double WARP_INSTRUCTIONS_PER_S = 25e6; /* of the simulated GPU */
static const double REFERENCE_S = 60;               /* to time one reference solution */
static const double MARGIN = 1.1, MARGIN_S = 30;    /* from each deadline to the next */

static const char *const mode_names[] = {"try", "test", "rank"};

const char *judging_mode_name(JudgingMode mode)
{
    return mode_names[mode];
}

JudgingMode judging_mode_named(const char *name)
{
    JudgingMode mode = JUDGING_TRY;
    while (mode < JUDGING_MODES && strcmp(mode_names[mode], name) != 0)
        mode++;
    return mode;
}

static size_t count_cases(const TestcaseSet *set, CaseGroup group)
{
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++)
        count += set->cases[i].group == group;
    return count;
}

static double longer_than(double seconds)
{
    return MARGIN * seconds + MARGIN_S;
}

/* Compiled are the submission, the reference solution that shows whether the device is steady, and the oracle for the CPU and
 * for the GPU. */
static double preparation_s(double compile_s)
{
    return DEADLINE_DEVICE_WAIT_S + OPEN_S + 2 * compile_s + 2 * ORACLE_S;
}

/* All calls share the budget of the grading; the last one may overrun it until its own limit. A simulated GPU counts
 * instructions instead of seconds of kernels. */
static double calls_s(const ProblemLimits *limits)
{
    return limits->grading_seconds + (double)limits->grading_instructions / WARP_INSTRUCTIONS_PER_S +
           limits->wall_seconds;
}

/* All timed cases, as often as they may be timed; what the calls themselves take is in calls_s(). */
static double sittings_s(const Problem *problem, size_t timed_cases)
{
    const double calls = (double)timed_cases * (problem->warm_up_calls + problem->timed_calls);
    return SITTINGS * ((double)timed_cases * CASE_S + problem->blocks * (QUIET_S + calls * CALL_S));
}

static Status count_references(const Problem *problem, size_t *count, Message *why)
{
    References references;
    TRY(references_load(problem, &references, why));
    *count = references.count;
    references_free(&references);
    return STATUS_OK;
}

static double grading_s(const Problem *problem, const TestcaseSet *set, size_t references, JudgingMode mode,
                        double compile_s)
{
    double seconds = preparation_s(compile_s) + calls_s(&problem->limits);
    seconds += CASE_S * (double)count_cases(set, CASE_SAMPLE);
    if (mode != JUDGING_TRY)
        seconds += CASE_S * (double)count_cases(set, CASE_HIDDEN);
    if (mode == JUDGING_RANK)
        seconds += sittings_s(problem, count_cases(set, CASE_TIMED)) + REFERENCE_S * (double)references;
    return seconds;
}

Status deadlines_of(const Problem *problem, JudgingMode mode, double lease_s, Deadlines *deadlines, Message *why)
{
    TestcaseSet set = {0};
    size_t references = 0;
    TRY(count_references(problem, &references, why));
    TRY(testcases_read(problem, &set, why));
    deadlines->compile_s = COMPILER_STEPS * COMPILE_LOAD * compile_seconds(problem->limits.compile_seconds);
    deadlines->grading_s = grading_s(problem, &set, references, mode, deadlines->compile_s);
    deadlines->worker_s = longer_than(deadlines->grading_s);
    deadlines->server_s = longer_than(deadlines->worker_s) + lease_s;
    testcases_free(&set);
    return STATUS_OK;
}

const char *deadlines_fault(const Deadlines *deadlines, double lease_s)
{
    if (!(lease_s >= DEADLINE_LEAST_LEASE_S && lease_s > 3 * DEADLINE_HEARTBEAT_S))
        return "a lease is shorter than a few beats of a worker";
    if (!(deadlines->compile_s < deadlines->grading_s))
        return "a grading may not be as short as its compiler's limit";
    if (!(deadlines->grading_s < deadlines->worker_s))
        return "the worker kills a grading that keeps its own limits";
    if (!(deadlines->worker_s + lease_s < deadlines->server_s))
        return "the server takes a job back from a worker that keeps its own limits";
    return NULL;
}

/* ==== config ====================================================================================================== */

enum {
    MAX_CONFIG_BYTES = 1 << 20,
    MAX_NAMES = 10000,
    MAX_NAME_BYTES = 256,
    MAX_PORT = 65535,
    MOST_MINUTES = 7 * 24 * 60,
    MOST_PILOTS = 1000
};

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* Strings end up in headers, logs and on terminals, so they are of printable characters. */
static Status check_string(const RecordReading *reading, const cJSON *item, const void *member)
{
    const char *text = item->valuestring;
    if (strlen(text) > MAX_NAME_BYTES)
        return json_fail(reading->file, item, reading->why, "expected at most %d bytes, found %zu", MAX_NAME_BYTES,
                         strlen(text));
    for (const char *at = text; *at != '\0'; at++)
        if (iscntrl((unsigned char)*at))
            return json_fail(reading->file, item, reading->why, "expected no control character");
    return STATUS_OK;
}

static Status check_word(const RecordReading *reading, const cJSON *item, const void *member)
{
    TRY(check_string(reading, item, member));
    if (item->valuestring[0] == '\0')
        return json_fail(reading->file, item, reading->why, "expected a text that is not empty");
    return STATUS_OK;
}

/* A relative path would mean another place for each program that reads the file. */
static Status check_path_within(const RecordReading *reading, const cJSON *item, size_t most)
{
    TRY(check_string(reading, item, NULL));
    if (item->valuestring[0] != '/')
        return json_fail(reading->file, item, reading->why, "expected a path from the root, found \"%s\"",
                         item->valuestring);
    if (strlen(item->valuestring) >= most)
        return json_fail(reading->file, item, reading->why, "expected a path of fewer than %zu bytes", most);
    return STATUS_OK;
}

static Status check_path(const RecordReading *reading, const cJSON *item, const void *member)
{
    return check_path_within(reading, item, MAX_NAME_BYTES);
}

static Status check_socket(const RecordReading *reading, const cJSON *item, const void *member)
{
    return check_path_within(reading, item, sizeof((struct sockaddr_un *)NULL)->sun_path);
}

/* "127.0.0.1:8080", "[::1]:8080", or "". */
static Status check_address(const RecordReading *reading, const cJSON *item, const void *member)
{
    const char *value = item->valuestring;
    Status status = check_string(reading, item, member);
    if (status != STATUS_OK || value[0] == '\0')
        return status;
    const char *colon = strrchr(value, ':');
    char *end = NULL;
    const long port = colon == NULL ? 0 : strtol(colon + 1, &end, 10);
    const bool is_number = colon != NULL && isdigit((unsigned char)colon[1]) && *end == '\0';
    const bool brackets = value[0] == '[', closed = colon != NULL && colon > value && colon[-1] == ']';
    const bool is_bare = strchr(value, ':') == colon && !closed && !brackets;
    if (!is_number || port > MAX_PORT || colon == value || !(is_bare || (brackets && closed)))
        return json_fail(reading->file, item, reading->why,
                         "expected \"ADDRESS:PORT\" such as \"127.0.0.1:8080\", or \"\", found \"%s\"", value);
    return STATUS_OK;
}

static Status take_words(const RecordReading *reading, const cJSON *list, const RecordRow *row, void *record)
{
    Names *names = (Names *)((char *)record + row->offset);
    *names = (Names){0};
    if (cJSON_GetArraySize(list) > MAX_NAMES)
        return json_fail(reading->file, list, reading->why, "expected at most %d names", MAX_NAMES);
    names->items = arena_array(reading->arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *names->items);
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        if (!cJSON_IsString(item) || item->valuestring[0] == '\0')
            return json_fail(reading->file, list, reading->why, "expected a list of names");
        if (check_string(reading, item, NULL) != STATUS_OK)
            return STATUS_BAD_INPUT;
        names->items[names->count++] = arena_string(reading->arena, item->valuestring);
    }
    return STATUS_OK;
}

/* A name may not be repeated. */
static Status check_names(const RecordReading *reading, const cJSON *list, const void *member)
{
    for (const cJSON *item = list->child; item != NULL; item = item->next)
        for (const cJSON *other = list->child; other != item; other = other->next)
            if (strcmp(item->valuestring, other->valuestring) == 0)
                return json_fail(reading->file, item, reading->why, "\"%s\" is listed twice", item->valuestring);
    return STATUS_OK;
}

static Status check_webhooks(const RecordReading *reading, const cJSON *list, const void *member)
{
    for (const cJSON *item = list->child; item != NULL; item = item->next)
        if (strncmp(item->valuestring, "https://", 8) != 0 && strncmp(item->valuestring, "http://", 7) != 0)
            return json_fail(reading->file, item, reading->why, "expected a URL of http or https, found \"%s\"",
                             item->valuestring);
    return check_names(reading, list, member);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static const char *const engine_names[] = {[ENGINE_WORKERS] = "workers", [ENGINE_SLURM] = "slurm", NULL};

/* clang-format off */

RECORD(proxy_table, ProxySocket,
    ROW(ProxySocket, path, "path", .required = true, .check = check_socket),
    ROW(ProxySocket, user, "user", .required = true, .check = check_word),
    ROW(ProxySocket, header, "header", .check = check_word));

/* The words end up in a command and in a script of the shell, each quoted, never in a shell's own words. */
RECORD(slurm_table, SlurmSettings,
    ROW(SlurmSettings, partition, "partition", .check = check_string),
    ROW(SlurmSettings, account, "account", .check = check_string),
    ROW(SlurmSettings, gres, "gres", .check = check_string),
    ROW(SlurmSettings, device, "device", .check = check_word),
    ROW(SlurmSettings, server, "server", .check = check_string),
    ROW(SlurmSettings, logs, "logs", .check = check_string),
    ROW(SlurmSettings, time_minutes, "time_minutes", .low = 5, .high = MOST_MINUTES),
    ROW(SlurmSettings, pilots, "pilots", .low = 1, .high = MOST_PILOTS),
    ROW(SlurmSettings, idle_seconds, "idle_seconds", .low = 1, .high = 86400),
    ROW_TEXTS(SlurmSettings, options.items, options.count, "options", .take = take_words),
    ROW_TEXTS(SlurmSettings, program.items, program.count, "program", .take = take_words));

RECORD(budget_table, Config,
    ROW(Config, rank_device_s, "rank", .low = 1, .high = 1e6),
    ROW(Config, practice_device_s, "practice", .low = 1, .high = 1e6));

RECORD_PUBLIC(limits_table, HandInLimits,
    ROW(HandInLimits, waiting, "waiting", .low = 1, .high = 1000000),
    ROW(HandInLimits, submissions_a_day, "submissions_a_day", .low = 1, .high = 1000000),
    ROW(HandInLimits, bytes_a_day, "bytes_a_day", .low = 1, .high = 1e12));

RECORD(pages_table, Config,
    ROW(Config, title, "title", .check = check_word));

RECORD_WHEN(has_proxy, Config, it->proxy_socket.path != NULL)
RECORD_WHEN(has_slurm, Config, it->engine == ENGINE_SLURM)

RECORD_PUBLIC(config_table, Config,
    ROW(Config, listen, "listen", .check = check_address),
    ROW(Config, socket, "socket", .check = check_socket),
    ROW_OBJECT(Config, proxy_socket, "proxy_socket", proxy_table, .when = has_proxy),
    ROW(Config, state, "state", .check = check_path),
    ROW(Config, class_file, "class", .check = check_path),
    ROW_TEXTS(Config, admins.items, admins.count, "admins", .take = take_words, .check = check_names),
    ROW_TEXTS(Config, teachers.items, teachers.count, "teachers", .take = take_words, .check = check_names),
    ROW_TEXTS(Config, webhooks.items, webhooks.count, "webhooks", .take = take_words, .check = check_webhooks),
    ROW_TEXTS(Config, workers.items, workers.count, "workers", .take = take_words, .check = check_names),
    ROW(Config, engine, "engine", .names = engine_names),
    ROW_OBJECT(Config, slurm, "slurm", slurm_table, .when = has_slurm),
    ROW(Config, penalty_s, "penalty_s", .low = 0, .high = 86400),
    ROW_OBJECT(Config, limits, "limits", limits_table),
    ROW_SAME("budget_device_s", budget_table),
    ROW(Config, lease_s, "lease_s", .low = 10, .high = 3600),
    ROW_SAME("pages", pages_table),
    ROW(Config, is_public, "public"),
    ROW(Config, has_public_names, "public_names"));

/* clang-format on */

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* One socket cannot have two kinds of callers. */
static Status check_sockets(const JsonFile *file, const Config *config, Message *why)
{
    if (config->proxy_socket.path == NULL || strcmp(config->proxy_socket.path, config->socket) != 0)
        return STATUS_OK;
    return json_fail(file, json_get(file->root, "proxy_socket"), why,
                     "expected another path than that of \"socket\", found \"%s\" twice", config->socket);
}

static Config default_config(void)
{
    static const char *workers[] = {"auto"};
    return (Config){
        .listen = "127.0.0.1:8080",
        .socket = "/run/convjudge/socket",
        .proxy_socket = {.header = "X-Remote-User"},
        .state = "/var/lib/convjudge",
        .workers = {workers, 1},
        .slurm = {.partition = "",
                  .account = "",
                  .gres = "gpu:1",
                  .device = "cuda",
                  .server = "",
                  .logs = "",
                  .time_minutes = 240,
                  .pilots = 2,
                  .idle_seconds = 60},
        .limits = {.waiting = 100, .submissions_a_day = 1000, .bytes_a_day = 100000000},
        .penalty_s = 60,
        .rank_device_s = 3600,
        .practice_device_s = 3600,
        .lease_s = 30,
        .title = "ConvJudge",
        .is_public = true,
    };
}

static const char *chosen_file(const char *path)
{
    const char *named = paths_variable("CONVJUDGE_CONFIG");
    if (path != NULL)
        return path;
    if (named != NULL)
        return named;
    return access(CONFIG_FILE, F_OK) == 0 || errno != ENOENT ? CONFIG_FILE : NULL;
}

Status config_read(const char *path, Config *config, Message *why)
{
    JsonFile file = {0};
    const char *chosen = chosen_file(path);
    *config = default_config();
    if (chosen == NULL)
        return STATUS_OK;
    if (access(chosen, F_OK) != 0 && errno == ENOENT)
        return fail(STATUS_NOT_FOUND, why, "%s: there is no such file of settings", chosen);
    Status status = json_read(chosen, MAX_CONFIG_BYTES, &file, why);
    THEN(status, record_read(&config_table, &file, file.root, &config->arena, config, why));
    THEN(status, check_sockets(&file, config, why));
    config->file = arena_string(&config->arena, chosen);
    json_free(&file);
    return status;
}

void config_free(Config *config)
{
    arena_free(&config->arena);
}

bool engine_named(const char *name, WorkerEngine *engine)
{
    for (size_t i = 0; engine_names[i] != NULL; i++) {
        if (strcmp(engine_names[i], name) != 0)
            continue;
        *engine = (WorkerEngine)i;
        return true;
    }
    return false;
}

bool names_hold(const Names *names, const char *name)
{
    return text_is_among(name, names->items, names->count);
}

void config_print(const Config *config, Text *text)
{
    record_print(&config_table, config, text);
}
