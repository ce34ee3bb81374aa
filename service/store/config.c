#include "service/store/config.h"

#include "base/json.h"
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
    QUIET_S = 120,      /* before each block: grader/timing/measure.c */
    COMPILER_STEPS = 2, /* the device's side and the host's side */
    SITTINGS = 2,       /* a result that is far ahead is timed again */
};

/* What no limit bounds is estimated, for a machine ten times slower than the slowest that we have measured (two cores of a
 * laptop, docs/measurements.md). */
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
    Ladder ladder;
    Status status = ladder_read(problem, &ladder, why);
    if (status != STATUS_OK)
        return status;
    *count = ladder.count;
    ladder_free(&ladder);
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
    Status status = count_references(problem, &references, why);
    if (status == STATUS_OK)
        status = testcases_read(problem, &set, why);
    if (status != STATUS_OK)
        return status;
    deadlines->compile_s = COMPILER_STEPS * COMPILE_WALL_SECONDS;
    deadlines->grading_s = grading_s(problem, &set, references, mode, deadlines->compile_s);
    deadlines->worker_s = longer_than(deadlines->grading_s);
    deadlines->server_s = longer_than(deadlines->worker_s) + lease_s;
    testcases_free(&set);
    return STATUS_OK;
}

const char *deadlines_fault(const Deadlines *deadlines, double lease_s)
{
    if (!(lease_s >= DEADLINE_LEAST_LEASE_S && lease_s > 3 * DEADLINE_BEAT_S))
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

#define LENGTH_OF(array) (sizeof(array) / sizeof *(array))

typedef struct ConfigReading {
    const JsonFile *file;
    Config *config;
    Message *why;
} ConfigReading;

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* Strings end up in headers, logs and on terminals, so they are of printable characters. */
static Status check_string(const ConfigReading *reading, const cJSON *item)
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

static Status read_string(const ConfigReading *reading, const cJSON *object, const char *key, const char **value)
{
    const cJSON *item = json_get(object, key);
    if (item == NULL)
        return STATUS_OK;
    Status status = check_string(reading, item);
    *value = arena_string(&reading->config->arena, item->valuestring);
    return status;
}

static Status read_word(const ConfigReading *reading, const cJSON *object, const char *key, const char **value)
{
    Status status = read_string(reading, object, key, value);
    if (status == STATUS_OK && (*value)[0] == '\0')
        return json_fail(reading->file, json_get(object, key), reading->why, "expected a text that is not empty");
    return status;
}

/* A relative path would mean another place for each program that reads the file. */
static Status read_path(const ConfigReading *reading, const cJSON *object, const char *key, size_t most,
                        const char **value)
{
    Status status = read_string(reading, object, key, value);
    if (status != STATUS_OK || json_get(object, key) == NULL)
        return status;
    if ((*value)[0] != '/')
        return json_fail(reading->file, json_get(object, key), reading->why,
                         "expected a path from the root, found \"%s\"", *value);
    if (strlen(*value) >= most)
        return json_fail(reading->file, json_get(object, key), reading->why, "expected a path of fewer than %zu bytes",
                         most);
    return STATUS_OK;
}

static Status read_socket(const ConfigReading *reading, const cJSON *object, const char *key, const char **value)
{
    return read_path(reading, object, key, sizeof((struct sockaddr_un *)NULL)->sun_path, value);
}

/* With `once`, a name may not be repeated. */
static Status read_list(const ConfigReading *reading, const cJSON *object, const char *key, bool once, Names *names)
{
    const cJSON *list = json_get(object, key);
    if (list == NULL)
        return STATUS_OK;
    *names = (Names){0};
    if (cJSON_GetArraySize(list) > MAX_NAMES)
        return json_fail(reading->file, list, reading->why, "expected at most %d names", MAX_NAMES);
    names->items = arena_array(&reading->config->arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *names->items);
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        if (!cJSON_IsString(item) || item->valuestring[0] == '\0')
            return json_fail(reading->file, list, reading->why, "expected a list of names");
        if (check_string(reading, item) != STATUS_OK)
            return STATUS_BAD_INPUT;
        if (once && names_hold(names, item->valuestring))
            return json_fail(reading->file, item, reading->why, "\"%s\" is listed twice", item->valuestring);
        names->items[names->count++] = arena_string(&reading->config->arena, item->valuestring);
    }
    return STATUS_OK;
}

static Status read_names(const ConfigReading *reading, const cJSON *object, const char *key, Names *names)
{
    return read_list(reading, object, key, true, names);
}

/* "127.0.0.1:8080", "[::1]:8080", or "". */
static Status read_address(const ConfigReading *reading, const cJSON *object, const char *key, const char **value)
{
    Status status = read_string(reading, object, key, value);
    if (status != STATUS_OK || json_get(object, key) == NULL || (*value)[0] == '\0')
        return status;
    const char *colon = strrchr(*value, ':');
    char *end = NULL;
    const long port = colon == NULL ? 0 : strtol(colon + 1, &end, 10);
    const bool is_number = colon != NULL && isdigit((unsigned char)colon[1]) && *end == '\0';
    const bool brackets = (*value)[0] == '[', closed = colon != NULL && colon > *value && colon[-1] == ']';
    const bool is_bare = strchr(*value, ':') == colon && !closed && !brackets;
    if (!is_number || port > MAX_PORT || colon == *value || !(is_bare || (brackets && closed)))
        return json_fail(reading->file, json_get(object, key), reading->why,
                         "expected \"ADDRESS:PORT\" such as \"127.0.0.1:8080\", or \"\", found \"%s\"", *value);
    return STATUS_OK;
}

/* ---- objects in it ----------------------------------------------------------------------------------------------- */

static Status read_proxy(const ConfigReading *reading, const cJSON *object)
{
    static const JsonKey keys[] = {
        {"path", JSON_STRING, true}, {"user", JSON_STRING, true}, {"header", JSON_STRING, false}};
    ProxySocket *proxy = &reading->config->proxy_socket;
    if (object == NULL)
        return STATUS_OK;
    Status status = json_check(reading->file, object, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = read_socket(reading, object, "path", &proxy->path);
    if (status == STATUS_OK)
        status = read_word(reading, object, "user", &proxy->user);
    proxy->header = "X-Remote-User";
    return status == STATUS_OK ? read_word(reading, object, "header", &proxy->header) : status;
}

static Status read_budget(const ConfigReading *reading, const cJSON *object)
{
    static const JsonKey keys[] = {{"rank", JSON_NUMBER, false}, {"practice", JSON_NUMBER, false}};
    Config *config = reading->config;
    if (object == NULL)
        return STATUS_OK;
    Status status = json_check(reading->file, object, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = json_number(reading->file, object, "rank", 1, 1e6, &config->rank_device_s, reading->why);
    if (status == STATUS_OK)
        status = json_number(reading->file, object, "practice", 1, 1e6, &config->practice_device_s, reading->why);
    return status;
}

static Status read_pages(const ConfigReading *reading, const cJSON *object)
{
    static const JsonKey keys[] = {{"title", JSON_STRING, false}};
    if (object == NULL)
        return STATUS_OK;
    Status status = json_check(reading->file, object, keys, LENGTH_OF(keys), reading->why);
    return status == STATUS_OK ? read_word(reading, object, "title", &reading->config->title) : status;
}

static Status read_engine(const ConfigReading *reading, const cJSON *root)
{
    const char *name = json_string(root, "engine");
    if (name == NULL || engine_named(name, &reading->config->engine))
        return STATUS_OK;
    return json_fail(reading->file, json_get(root, "engine"), reading->why,
                     "expected \"workers\" or \"slurm\", found \"%s\"", name);
}

/* The words end up in a command and in a script of the shell, each quoted, never in a shell's own words. */
static Status read_slurm_words(const ConfigReading *reading, const cJSON *object)
{
    SlurmSettings *slurm = &reading->config->slurm;
    Status status = read_string(reading, object, "partition", &slurm->partition);
    if (status == STATUS_OK)
        status = read_string(reading, object, "account", &slurm->account);
    if (status == STATUS_OK)
        status = read_string(reading, object, "gres", &slurm->gres);
    if (status == STATUS_OK)
        status = read_word(reading, object, "device", &slurm->device);
    if (status == STATUS_OK)
        status = read_string(reading, object, "server", &slurm->server);
    if (status == STATUS_OK)
        status = read_string(reading, object, "logs", &slurm->logs);
    if (status == STATUS_OK)
        status = read_list(reading, object, "options", false, &slurm->options);
    return status == STATUS_OK ? read_list(reading, object, "program", false, &slurm->program) : status;
}

static Status read_slurm(const ConfigReading *reading, const cJSON *object)
{
    static const JsonKey keys[] = {
        {"partition", JSON_STRING, false},    {"account", JSON_STRING, false}, {"gres", JSON_STRING, false},
        {"device", JSON_STRING, false},       {"options", JSON_ARRAY, false},  {"program", JSON_ARRAY, false},
        {"time_minutes", JSON_NUMBER, false}, {"pilots", JSON_NUMBER, false},  {"idle_seconds", JSON_NUMBER, false},
        {"server", JSON_STRING, false},       {"logs", JSON_STRING, false},
    };
    SlurmSettings *slurm = &reading->config->slurm;
    const JsonFile *file = reading->file;
    if (object == NULL)
        return STATUS_OK;
    Status status = json_check(file, object, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = read_slurm_words(reading, object);
    if (status == STATUS_OK)
        status = json_integer(file, object, "time_minutes", 5, MOST_MINUTES, &slurm->time_minutes, reading->why);
    if (status == STATUS_OK)
        status = json_integer(file, object, "pilots", 1, MOST_PILOTS, &slurm->pilots, reading->why);
    if (status == STATUS_OK)
        status = json_integer(file, object, "idle_seconds", 1, 86400, &slurm->idle_seconds, reading->why);
    return status;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static Status read_keys(const ConfigReading *reading)
{
    static const JsonKey keys[] = {
        {"listen", JSON_STRING, false},  {"socket", JSON_STRING, false},    {"proxy_socket", JSON_OBJECT, false},
        {"state", JSON_STRING, false},   {"admins", JSON_ARRAY, false},     {"teachers", JSON_ARRAY, false},
        {"workers", JSON_ARRAY, false},  {"penalty_s", JSON_NUMBER, false}, {"budget_device_s", JSON_OBJECT, false},
        {"lease_s", JSON_NUMBER, false}, {"pages", JSON_OBJECT, false},     {"public", JSON_BOOLEAN, false},
        {"engine", JSON_STRING, false},  {"slurm", JSON_OBJECT, false},     {"class", JSON_STRING, false},
    };
    const JsonFile *file = reading->file;
    const cJSON *root = file->root;
    Config *config = reading->config;
    Status status = json_check(file, root, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = read_address(reading, root, "listen", &config->listen);
    if (status == STATUS_OK)
        status = read_socket(reading, root, "socket", &config->socket);
    if (status == STATUS_OK)
        status = read_proxy(reading, json_get(root, "proxy_socket"));
    if (status == STATUS_OK)
        status = read_path(reading, root, "state", MAX_NAME_BYTES, &config->state);
    if (status == STATUS_OK)
        status = read_path(reading, root, "class", MAX_NAME_BYTES, &config->class_file);
    if (status == STATUS_OK)
        status = read_names(reading, root, "admins", &config->admins);
    if (status == STATUS_OK)
        status = read_names(reading, root, "teachers", &config->teachers);
    if (status == STATUS_OK)
        status = read_names(reading, root, "workers", &config->workers);
    if (status == STATUS_OK)
        status = read_engine(reading, root);
    if (status == STATUS_OK)
        status = read_slurm(reading, json_get(root, "slurm"));
    if (status == STATUS_OK)
        status = json_number(file, root, "penalty_s", 0, 86400, &config->penalty_s, reading->why);
    if (status == STATUS_OK)
        status = read_budget(reading, json_get(root, "budget_device_s"));
    if (status == STATUS_OK)
        status = json_number(file, root, "lease_s", 10, 3600, &config->lease_s, reading->why);
    if (status == STATUS_OK)
        status = read_pages(reading, json_get(root, "pages"));
    if (json_get(root, "public") != NULL)
        config->is_public = cJSON_IsTrue(json_get(root, "public"));
    return status;
}

/* One socket cannot have two kinds of callers. */
static Status check_sockets(const ConfigReading *reading)
{
    const Config *config = reading->config;
    if (config->proxy_socket.path == NULL || strcmp(config->proxy_socket.path, config->socket) != 0)
        return STATUS_OK;
    return json_fail(reading->file, json_get(reading->file->root, "proxy_socket"), reading->why,
                     "expected another path than that of \"socket\", found \"%s\" twice", config->socket);
}

static Config default_config(void)
{
    static const char *workers[] = {"auto"};
    return (Config){
        .listen = "127.0.0.1:8080",
        .socket = "/run/convjudge/socket",
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
    const char *named = getenv("CONVJUDGE_CONFIG");
    if (path != NULL)
        return path;
    if (named != NULL && named[0] != '\0')
        return named;
    return access(CONFIG_FILE, F_OK) == 0 || errno != ENOENT ? CONFIG_FILE : NULL;
}

Status config_read(const char *path, Config *config, Message *why)
{
    JsonFile file = {0};
    const char *chosen = chosen_file(path);
    *config = default_config();
    const ConfigReading reading = {&file, config, why};
    if (chosen == NULL)
        return STATUS_OK;
    if (access(chosen, F_OK) != 0 && errno == ENOENT)
        return fail(STATUS_NOT_FOUND, why, "%s: there is no such file of settings", chosen);
    Status status = json_read(chosen, MAX_CONFIG_BYTES, &file, why);
    if (status == STATUS_OK)
        status = read_keys(&reading);
    if (status == STATUS_OK)
        status = check_sockets(&reading);
    config->file = arena_string(&config->arena, chosen);
    json_free(&file);
    return status;
}

void config_free(Config *config)
{
    arena_free(&config->arena);
}

static const char *const engine_names[] = {[ENGINE_WORKERS] = "workers", [ENGINE_SLURM] = "slurm"};

bool engine_named(const char *name, WorkerEngine *engine)
{
    for (size_t i = 0; i < LENGTH_OF(engine_names); i++) {
        if (strcmp(engine_names[i], name) != 0)
            continue;
        *engine = (WorkerEngine)i;
        return true;
    }
    return false;
}

const char *engine_name(WorkerEngine engine)
{
    return engine_names[engine];
}

bool names_hold(const Names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return false;
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static void print_names(cJSON *root, const char *key, const Names *names)
{
    cJSON *list = cJSON_AddArrayToObject(root, key);
    for (size_t i = 0; i < names->count; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(names->items[i]));
}

static void print_proxy(cJSON *root, const ProxySocket *proxy)
{
    if (proxy->path == NULL)
        return;
    cJSON *object = cJSON_AddObjectToObject(root, "proxy_socket");
    cJSON_AddStringToObject(object, "path", proxy->path);
    cJSON_AddStringToObject(object, "user", proxy->user);
    cJSON_AddStringToObject(object, "header", proxy->header);
}

static void print_slurm(cJSON *root, const SlurmSettings *slurm)
{
    cJSON *object = cJSON_AddObjectToObject(root, "slurm");
    cJSON_AddStringToObject(object, "partition", slurm->partition);
    cJSON_AddStringToObject(object, "account", slurm->account);
    cJSON_AddStringToObject(object, "gres", slurm->gres);
    cJSON_AddStringToObject(object, "device", slurm->device);
    cJSON_AddStringToObject(object, "server", slurm->server);
    cJSON_AddStringToObject(object, "logs", slurm->logs);
    cJSON_AddNumberToObject(object, "time_minutes", (double)slurm->time_minutes);
    cJSON_AddNumberToObject(object, "pilots", (double)slurm->pilots);
    cJSON_AddNumberToObject(object, "idle_seconds", (double)slurm->idle_seconds);
    print_names(object, "options", &slurm->options);
    print_names(object, "program", &slurm->program);
}

void config_print(const Config *config, Text *text)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "listen", config->listen);
    cJSON_AddStringToObject(root, "socket", config->socket);
    print_proxy(root, &config->proxy_socket);
    cJSON_AddStringToObject(root, "state", config->state);
    if (config->class_file != NULL)
        cJSON_AddStringToObject(root, "class", config->class_file);
    print_names(root, "admins", &config->admins);
    print_names(root, "teachers", &config->teachers);
    print_names(root, "workers", &config->workers);
    cJSON_AddStringToObject(root, "engine", engine_name(config->engine));
    if (config->engine == ENGINE_SLURM)
        print_slurm(root, &config->slurm);
    cJSON_AddNumberToObject(root, "penalty_s", config->penalty_s);
    cJSON *budget = cJSON_AddObjectToObject(root, "budget_device_s");
    cJSON_AddNumberToObject(budget, "rank", config->rank_device_s);
    cJSON_AddNumberToObject(budget, "practice", config->practice_device_s);
    cJSON_AddNumberToObject(root, "lease_s", config->lease_s);
    cJSON_AddStringToObject(cJSON_AddObjectToObject(root, "pages"), "title", config->title);
    cJSON_AddBoolToObject(root, "public", config->is_public);
    json_print(root, text);
    cJSON_Delete(root);
}
