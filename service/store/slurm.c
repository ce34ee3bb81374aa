#include "service/store/slurm.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/process.h"
#include "service/store/judgings.h"
#include "service/store/log.h"
#include "service/store/service_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ==== known pilots ================================================================================================ */

static KnownPilot *find(const KnownPilots *known, int64_t job)
{
    for (int64_t i = 0; i < known->count; i++)
        if (known->items[i].job == job)
            return &known->items[i];
    return NULL;
}

void known_pilots_begin(KnownPilots *known)
{
    for (int64_t i = 0; i < known->count; i++)
        known->items[i].is_seen = false;
}

void known_pilots_see(KnownPilots *known, int64_t job)
{
    KnownPilot *pilot = find(known, job);
    if (pilot == NULL) {
        if ((size_t)known->count == known->capacity) {
            known->capacity = known->capacity == 0 ? 16 : 2 * known->capacity;
            known->items = allocated(realloc(known->items, known->capacity * sizeof *known->items));
        }
        pilot = &known->items[known->count++];
        *pilot = (KnownPilot){.job = job};
    }
    pilot->is_seen = true;
}

bool known_pilots_take_ended(KnownPilots *known, KnownPilot *ended)
{
    for (int64_t i = 0; i < known->count; i++) {
        if (known->items[i].is_seen)
            continue;
        *ended = known->items[i];
        known->items[i] = known->items[--known->count];
        return true;
    }
    return false;
}

bool known_pilots_note_claim(KnownPilots *known, int64_t job)
{
    KnownPilot *pilot = find(known, job);
    if (pilot != NULL)
        pilot->has_claimed = true;
    return pilot != NULL;
}

void known_pilots_free(KnownPilots *known)
{
    free(known->items);
    *known = (KnownPilots){0};
}

/* ==== pilots ====================================================================================================== */

static const double FIRST_PAUSE_S = 2, MOST_PAUSE_S = 300;

/* squeue(1), JOB STATE CODES. A job that is requeued or suspended will run again. */
static PilotState state_named(const char *name, size_t length)
{
    static const char *const ends[] = {"COMPLETING",    "COMPLETED", "CANCELLED",    "FAILED",
                                       "TIMEOUT",       "NODE_FAIL", "BOOT_FAIL",    "DEADLINE",
                                       "OUT_OF_MEMORY", "PREEMPTED", "SPECIAL_EXIT", "REVOKED"};
    static const char *const running[] = {"RUNNING", "SUSPENDED", "STOPPED", "STAGE_OUT", "SIGNALING", "RESIZING"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strlen(ends[i]) == length && strncmp(ends[i], name, length) == 0)
            return PILOT_ENDING;
    for (size_t i = 0; i < sizeof running / sizeof *running; i++)
        if (strlen(running[i]) == length && strncmp(running[i], name, length) == 0)
            return PILOT_RUNNING;
    return PILOT_PENDING;
}

/* "17|RUNNING|None" */
static bool parse_line(const char *line, size_t length, Arena *arena, PilotJob *pilot)
{
    const char *text = arena_copy(arena, line, length);
    const char *state = strchr(text, '|'), *reason = state == NULL ? NULL : strchr(state + 1, '|');
    char *end;
    pilot->job = strtoll(text, &end, 10);
    if (pilot->job <= 0 || end != state || reason == NULL)
        return false;
    pilot->state = state_named(state + 1, (size_t)(reason - state - 1));
    pilot->reason = reason + 1;
    return true;
}

Status pilots_parse(const char *text, Arena *arena, PilotJob **pilots, size_t *count, Message *why)
{
    size_t capacity = 0;
    *pilots = NULL;
    *count = 0;
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        *pilots = arena_grown(arena, *pilots, *count, &capacity, sizeof **pilots);
        if (length > 0 && !parse_line(text, length, arena, &(*pilots)[(*count)++]))
            return fail(STATUS_BAD_INPUT, why, "squeue: expected \"JOB|STATE|REASON\", found \"%.*s\"",
                        (int)(length < 200 ? length : 200), text);
        text += length + (text[length] == '\n');
    }
    return STATUS_OK;
}

/* A number from 1 that one of the characters in `after` follows, or nothing. */
static int64_t number_of(const char *text, const char *after)
{
    char *end;
    const long long number = strtoll(text, &end, 10);
    return number > 0 && text[0] >= '1' && text[0] <= '9' && (*end == '\0' || strchr(after, *end) != NULL) ? number : 0;
}

int64_t pilots_job_of_sbatch(const char *text)
{
    return number_of(text, ";\n");
}

int64_t pilots_job_of_worker(const char *worker)
{
    static const char prefix[] = "slurm-";
    return strncmp(worker, prefix, sizeof prefix - 1) == 0 ? number_of(worker + sizeof prefix - 1, "-") : 0;
}

int64_t pilots_to_start(int64_t waiting, int64_t alive, int64_t most)
{
    const int64_t worth = (waiting + SUBMISSIONS_PER_PILOT - 1) / SUBMISSIONS_PER_PILOT;
    const int64_t wanted = worth < most ? worth : most;
    return wanted > alive ? wanted - alive : 0;
}

double pilots_pause_s(int failures)
{
    double pause = failures > 0 ? FIRST_PAUSE_S : 0;
    for (int i = 1; i < failures && pause < MOST_PAUSE_S; i++)
        pause *= 2;
    return pause < MOST_PAUSE_S ? pause : MOST_PAUSE_S;
}

bool pilots_is_ordinary(const char *reason)
{
    static const char *const ordinary[] = {"", "None", "Resources", "Priority", "BeginTime", "(null)"};
    for (size_t i = 0; i < sizeof ordinary / sizeof *ordinary; i++)
        if (strcmp(reason, ordinary[i]) == 0)
            return true;
    return false;
}

/* ==== pilot script ================================================================================================ */

enum { SIGNAL_AHEAD_S = 60 }; /* service/commands/worker.h, PILOT_MARGIN_S */

/* Finds the programs of Slurm by PATH. */
#define FIND_PROGRAM "/usr/bin/env"

typedef struct ScriptWords {
    Arena *arena;
    const char **items; /* NULL at the end */
    size_t count, capacity;
} ScriptWords;

static void add(ScriptWords *words, const char *word)
{
    words->items = arena_grown(words->arena, words->items, words->count, &words->capacity, sizeof *words->items);
    words->items[words->count++] = word;
}

static void add_option(ScriptWords *words, const char *name, const char *value)
{
    if (value[0] != '\0')
        add(words, arena_printf(words->arena, "--%s=%s", name, value));
}

static void add_number(ScriptWords *words, const char *name, int64_t value)
{
    add(words, arena_printf(words->arena, "--%s=%" PRId64, name, value));
}

/* One word for a shell, whatever it holds. */
static void quote(Text *script, const char *word)
{
    text_add(script, "'");
    for (; *word != '\0'; word++)
        if (*word == '\'')
            text_add(script, "'\\''");
        else
            text_append(script, word, 1);
    text_add(script, "' ");
}

/* The server's own settings name folders of its host. The worker takes the place of the shell, so that Slurm's signal
 * reaches it. */
void pilot_script(const PilotCommand *command, Text *script)
{
    const Names *program = &command->settings->program;
    text_add(script, "unset CONVJUDGE_CACHE CONVJUDGE_DB CONVJUDGE_CONFIG\nexec ");
    for (size_t i = 0; i < program->count; i++)
        quote(script, program->items[i]);
    if (program->count == 0)
        quote(script, command->program);
    text_add(script, "work --server ");
    quote(script, command->server);
    text_add(script, "--device ");
    quote(script, command->settings->device);
    text_printf(script, "--pilot %" PRId64 " --idle %" PRId64, command->settings->time_minutes,
                command->settings->idle_seconds);
    text_add(script, " --name \"slurm-$SLURM_JOB_ID-${SLURM_RESTART_COUNT:-0}-"
                     "$(od -An -N3 -tx1 /dev/urandom | tr -d ' \\n')\"\n");
}

/* Slurm replaces what follows a percent sign. */
static const char *log_pattern(const PilotCommand *command, Arena *arena)
{
    Text pattern = {0};
    for (const char *at = command->logs; *at != '\0'; at++)
        text_add(&pattern, *at == '%' ? "%%" : (char[]){*at, '\0'});
    const char *whole = arena_printf(arena, "%s/%%j.log", pattern.data);
    text_free(&pattern);
    return whole;
}

static const char *script_of(const PilotCommand *command, Arena *arena)
{
    Text script = {0};
    pilot_script(command, &script);
    const char *kept = arena_string(arena, script.data);
    text_free(&script);
    return kept;
}

const char **pilot_script_sbatch(const PilotCommand *command, Arena *arena)
{
    const SlurmSettings *settings = command->settings;
    ScriptWords words = {.arena = arena};
    add(&words, FIND_PROGRAM);
    add(&words, "sbatch");
    add(&words, "--parsable");
    add(&words, "--requeue");
    add(&words, "--open-mode=append");
    add(&words, "--chdir=/");
    add(&words, arena_printf(arena, "--signal=B:TERM@%d", SIGNAL_AHEAD_S));
    add_option(&words, "job-name", command->job_name);
    add_option(&words, "output", log_pattern(command, arena));
    add_number(&words, "time", settings->time_minutes);
    add_option(&words, "partition", settings->partition);
    add_option(&words, "account", settings->account);
    add_option(&words, "gres", settings->gres);
    for (size_t i = 0; i < settings->options.count; i++)
        add(&words, settings->options.items[i]);
    add_option(&words, "wrap", script_of(command, arena));
    add(&words, NULL);
    return words.items;
}

const char **pilot_script_squeue(const PilotCommand *command, Arena *arena)
{
    ScriptWords words = {.arena = arena};
    add(&words, FIND_PROGRAM);
    add(&words, "squeue");
    add(&words, "--noheader");
    add_option(&words, "name", command->job_name);
    add_number(&words, "user", geteuid());
    add(&words, "--format=" SQUEUE_FORMAT);
    add(&words, NULL);
    return words.items;
}

/* ==== pilot logs ================================================================================================== */

enum { TAIL_BYTES = 2000, WORDS_BYTES = 300 };

Status pilot_logs_make(const char *folder, Message *why)
{
    if (mkdir(folder, 0700) == 0 || errno == EEXIST)
        return STATUS_OK;
    return fail_errno(why, "%s: this folder cannot be made", folder);
}

/* The log may be long; its end is enough. */
static void read_tail(const char *path, Text *tail)
{
    char bytes[TAIL_BYTES];
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return;
    if (lseek(file, -TAIL_BYTES, SEEK_END) < 0)
        lseek(file, 0, SEEK_SET);
    const ssize_t count = read(file, bytes, sizeof bytes);
    close(file);
    if (count > 0)
        text_add_printable(tail, bytes, (size_t)count);
}

/* The last line that says anything. */
static const char *last_words(const char *text, Arena *arena)
{
    const char *line = "";
    size_t length = 0;
    while (*text != '\0') {
        const size_t next = strcspn(text, "\n");
        if (next > 0) {
            line = text;
            length = next;
        }
        text += next + (text[next] == '\n');
    }
    return arena_copy(arena, line, length < WORDS_BYTES ? length : WORDS_BYTES);
}

const char *pilot_logs_last_words(const char *folder, int64_t job, Arena *arena)
{
    Text tail = {0};
    read_tail(arena_printf(arena, "%s/%" PRId64 ".log", folder, job), &tail);
    const char *words = last_words(tail.data == NULL ? "" : tail.data, arena);
    text_free(&tail);
    return words;
}

typedef struct PilotLog {
    char *path;
    struct timespec written;
} PilotLog;

static int by_age(const void *a, const void *b)
{
    const struct timespec *left = &((const PilotLog *)a)->written, *right = &((const PilotLog *)b)->written;
    if (left->tv_sec != right->tv_sec)
        return left->tv_sec < right->tv_sec ? -1 : 1;
    return (left->tv_nsec > right->tv_nsec) - (left->tv_nsec < right->tv_nsec);
}

void pilot_logs_limit(const char *folder)
{
    Arena arena = {0};
    PilotLog *logs = NULL;
    size_t count = 0, capacity = 0;
    DIR *names = opendir(folder);
    const struct dirent *item;
    while (names != NULL && (item = readdir(names)) != NULL) {
        struct stat info;
        char *path = arena_printf(&arena, "%s/%s", folder, item->d_name);
        if (strstr(item->d_name, ".log") == NULL || lstat(path, &info) != 0)
            continue;
        logs = arena_grown(&arena, logs, count, &capacity, sizeof *logs);
        logs[count++] = (PilotLog){path, info.st_mtim};
    }
    if (names != NULL)
        closedir(names);
    if (count > PILOT_LOGS_KEPT)
        qsort(logs, count, sizeof *logs, by_age);
    for (size_t i = 0; i + PILOT_LOGS_KEPT < count; i++)
        unlink(logs[i].path);
    arena_free(&arena);
}

/* ==== slurm ======================================================================================================= */

static const double LOOK_S = 1;     /* at the queue */
static const double LIST_S = 5;     /* at Slurm's list, while there is anything to see */
static const double COMMAND_S = 30; /* of the clock on the wall, for each command of Slurm */

enum { OUTPUT_BYTES = 1 << 20 };

struct Slurm {
    SlurmOptions options;
    PilotCommand command;
    char logs[PATH_MAX], job_name[64];
    Store *store; /* a connection of the thread's own */
    pthread_t thread;
    pthread_mutex_t lock; /* for what follows until the blank line */
    pthread_cond_t wake;
    bool stops;
    SlurmHealth health;

    KnownPilots known;
    double listed_s, ran_s; /* when Slurm was last asked with success; when a command last ran */
    bool has_started;       /* a pilot was started, or may have been, since the list was made */
    int command_failures;   /* in a row */
    int fruitless;          /* pilots in a row that have ended without taking anything */
    double fruitless_s;     /* when the last of these was seen */
    Message command_trouble, pilot_trouble,
        job_trouble; /* of a command; of fruitless pilots; of a job that cannot start */
};

/* ---- trouble ----------------------------------------------------------------------------------------------------- */

/* The first that is there counts. It is told once for as long as it stays the same. */
static void tell_trouble(Slurm *slurm)
{
    const char *text = slurm->command_failures > 0 ? slurm->command_trouble.text
                       : slurm->fruitless > 0      ? slurm->pilot_trouble.text
                       : slurm->known.count > 0    ? slurm->job_trouble.text
                                                   : "";
    pthread_mutex_lock(&slurm->lock);
    Message *trouble = &slurm->health.trouble;
    const bool had_one = trouble->text[0] != '\0', is_new = strcmp(trouble->text, text) != 0;
    snprintf(trouble->text, sizeof trouble->text, "%s", text);
    pthread_mutex_unlock(&slurm->lock);
    if (is_new && text[0] != '\0')
        log_event(LEVEL_WARNING, "slurm_trouble", "why", text);
    else if (had_one && text[0] == '\0')
        log_event(LEVEL_INFO, "slurm_trouble_is_over");
}

static void count_failure(Slurm *slurm)
{
    pthread_mutex_lock(&slurm->lock);
    slurm->health.failures++;
    pthread_mutex_unlock(&slurm->lock);
}

/* ---- Slurm's commands -------------------------------------------------------------------------------------------- */

static Status run(Slurm *slurm, const char **words, Arena *arena, const char **printed, Message *why)
{
    const ProcessSpec spec = {.argv = words, .environment = (const char *const *)environ, .folder = "/"};
    Text output = {0};
    ProcessEnd end;
    Status status = process_run(&spec, COMMAND_S, OUTPUT_BYTES, &output, &end, why);
    *printed = arena_string(arena, output.data == NULL ? "" : output.data);
    text_free(&output);
    slurm->ran_s = now_s();
    if (status == STATUS_OK && end.timed_out)
        status = fail(STATUS_SYSTEM, why, "%s: no answer within %g s", words[1], COMMAND_S);
    else if (status == STATUS_OK && end.exit_status != 0)
        status = fail(STATUS_SYSTEM, why, "%s: exit status %d: %s", words[1], end.exit_status,
                      last_words(*printed, arena));
    slurm->command_failures = status == STATUS_OK ? 0 : slurm->command_failures + 1;
    if (status == STATUS_OK)
        return status;
    slurm->command_trouble = *why;
    count_failure(slurm);
    return status;
}

/* ---- pilots that have ended -------------------------------------------------------------------------------------- */

/* One that has taken nothing although something waits could not work, and the next one may not, either. */
static void note_end(Slurm *slurm, const KnownPilot *pilot, int64_t waiting)
{
    Arena arena = {0};
    char job[32];
    snprintf(job, sizeof job, "%lld", (long long)pilot->job);
    const bool is_fruitless = !pilot->has_claimed && waiting > 0;
    const char *words = is_fruitless ? pilot_logs_last_words(slurm->logs, pilot->job, &arena) : "";
    log_event(is_fruitless ? LEVEL_WARNING : LEVEL_INFO, is_fruitless ? "pilot_failed" : "pilot_ended", "job", job,
              "why", words);
    if (is_fruitless) {
        slurm->fruitless++;
        slurm->fruitless_s = now_s();
        count_failure(slurm);
        snprintf(slurm->pilot_trouble.text, sizeof slurm->pilot_trouble.text,
                 "pilot %s has ended without taking anything: %s", job, words);
    }
    arena_free(&arena);
}

/* The reason why a job does not run, unless it only waits for its turn. */
static void note_reasons(Slurm *slurm, const PilotJob *pilots, size_t count)
{
    Message *trouble = &slurm->job_trouble;
    trouble->text[0] = '\0';
    for (size_t i = 0; i < count && trouble->text[0] == '\0'; i++)
        if (pilots[i].state == PILOT_PENDING && !pilots_is_ordinary(pilots[i].reason))
            snprintf(trouble->text, sizeof trouble->text, "pilot %lld does not start: %s", (long long)pilots[i].job,
                     pilots[i].reason);
}

static void take_list(Slurm *slurm, const PilotJob *pilots, size_t count, int64_t waiting)
{
    int64_t pending = 0, running = 0;
    for (size_t i = 0; i < count; i++) {
        pending += pilots[i].state == PILOT_PENDING;
        running += pilots[i].state == PILOT_RUNNING;
        if (pilots[i].state != PILOT_ENDING)
            known_pilots_see(&slurm->known, pilots[i].job);
    }
    KnownPilot ended;
    bool have_ended = false;
    while (known_pilots_take_ended(&slurm->known, &ended)) {
        note_end(slurm, &ended, waiting);
        have_ended = true;
    }
    if (have_ended)
        pilot_logs_limit(slurm->logs);
    pthread_mutex_lock(&slurm->lock);
    slurm->health.pending = pending;
    slurm->health.running = running;
    pthread_mutex_unlock(&slurm->lock);
    note_reasons(slurm, pilots, count);
}

/* ---- one look ---------------------------------------------------------------------------------------------------- */

static Status list_pilots(Slurm *slurm, int64_t waiting, Message *why)
{
    Arena arena = {0};
    PilotJob *pilots;
    size_t count;
    const char *printed;
    Status status = run(slurm, pilot_script_squeue(&slurm->command, &arena), &arena, &printed, why);
    THEN(status, pilots_parse(printed, &arena, &pilots, &count, why));
    if (status == STATUS_OK) {
        known_pilots_begin(&slurm->known);
        take_list(slurm, pilots, count, waiting);
        slurm->listed_s = now_s();
        slurm->has_started = false;
    }
    arena_free(&arena);
    return status;
}

static Status start_pilot(Slurm *slurm, Message *why)
{
    Arena arena = {0};
    const char *printed;
    char job[32];
    slurm->has_started = true; /* also if it fails: the answer may have been lost, not the request */
    Status status = run(slurm, pilot_script_sbatch(&slurm->command, &arena), &arena, &printed, why);
    const int64_t number = status == STATUS_OK ? pilots_job_of_sbatch(last_words(printed, &arena)) : 0;
    if (status == STATUS_OK && number == 0)
        status = fail(STATUS_SYSTEM, why, "sbatch: expected the number of a job, found \"%s\"",
                      last_words(printed, &arena));
    if (status == STATUS_OK) {
        known_pilots_see(&slurm->known, number);
        snprintf(job, sizeof job, "%lld", (long long)number);
        log_event(LEVEL_INFO, "pilot_started", "job", job);
        pthread_mutex_lock(&slurm->lock);
        slurm->health.started++;
        pthread_mutex_unlock(&slurm->lock);
    }
    arena_free(&arena);
    return status;
}

/* Takes note of which pilots have a job; *strangers: how many do that Slurm does not list. */
static Status look_at_jobs(Slurm *slurm, int64_t *strangers, Message *why)
{
    Arena arena = {0};
    QueuedJob *running;
    size_t count;
    *strangers = 0;
    Status status = judgings_in_state(slurm->store, "running", INT64_MAX, &arena, &running, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const int64_t job = pilots_job_of_worker(running[i].worker);
        if (job == 0)
            continue;
        slurm->fruitless = 0;
        *strangers += !known_pilots_note_claim(&slurm->known, job);
    }
    arena_free(&arena);
    return status;
}

static bool may_run(const Slurm *slurm)
{
    return now_s() >= slurm->ran_s + pilots_pause_s(slurm->command_failures);
}

static bool may_start(const Slurm *slurm)
{
    return may_run(slurm) && now_s() >= slurm->fruitless_s + pilots_pause_s(slurm->fruitless);
}

static bool wants_more(const Slurm *slurm, int64_t waiting, int64_t strangers)
{
    return may_start(slurm) &&
           pilots_to_start(waiting, slurm->known.count + strangers, slurm->options.settings->pilots) > 0;
}

static bool is_fresh(const Slurm *slurm)
{
    return !slurm->has_started && slurm->listed_s > 0 && now_s() < slurm->listed_s + LIST_S;
}

static Status look(Slurm *slurm, Message *why)
{
    int64_t waiting = 0, strangers = 0;
    Status status = judgings_waiting(slurm->store, &waiting, why);
    THEN(status, look_at_jobs(slurm, &strangers, why));
    if (status != STATUS_OK)
        return status;
    if (waiting == 0)
        slurm->fruitless = 0;
    const bool is_new = slurm->listed_s <= 0, is_due = now_s() >= slurm->listed_s + LIST_S;
    if (may_run(slurm) &&
        (is_new || (is_due && slurm->known.count > 0) || (wants_more(slurm, waiting, strangers) && !is_fresh(slurm))))
        status = list_pilots(slurm, waiting, why);
    if (status == STATUS_OK && is_fresh(slurm) && wants_more(slurm, waiting, strangers))
        status = start_pilot(slurm, why);
    return status;
}

/* ---- the thread -------------------------------------------------------------------------------------------------- */

static bool rest(Slurm *slurm)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)LOOK_S;
    pthread_mutex_lock(&slurm->lock);
    while (!slurm->stops && pthread_cond_timedwait(&slurm->wake, &slurm->lock, &until) != ETIMEDOUT)
        ;
    const bool goes_on = !slurm->stops;
    pthread_mutex_unlock(&slurm->lock);
    return goes_on;
}

static void *keep_pilots(void *context)
{
    Slurm *slurm = context;
    do {
        Message why = {0};
        if (look(slurm, &why) != STATUS_OK && slurm->command_failures == 0) {
            slurm->command_failures = 1; /* the store */
            slurm->command_trouble = why;
        }
        tell_trouble(slurm);
    } while (rest(slurm));
    return NULL;
}

static Status open_store(Slurm *slurm, Message *why)
{
    char path[SERVICE_PATH_BYTES];
    TRY(service_store_path(slurm->options.state, path, why));
    return store_open(path, STORE_WRITE, &slurm->store, why);
}

/* The name is the same after a restart, and another one for another server of the same user. */
static Status name_pilots(Slurm *slurm, Message *why)
{
    const SlurmSettings *settings = slurm->options.settings;
    char state[PATH_MAX], logs[PATH_MAX];
    if (realpath(slurm->options.state, state) == NULL)
        return fail_errno(why, "%s", slurm->options.state);
    if ((size_t)snprintf(logs, sizeof logs, "%s%s", settings->logs[0] == '\0' ? state : settings->logs,
                         settings->logs[0] == '\0' ? "/pilots" : "") >= sizeof logs)
        return fail(STATUS_BAD_INPUT, why, "%.100s...: the name is too long", logs);
    Status status = pilot_logs_make(logs, why);
    if (status == STATUS_OK && realpath(logs, slurm->logs) == NULL)
        status = fail_errno(why, "%s", logs);
    snprintf(slurm->job_name, sizeof slurm->job_name, "convjudge-%.8s", hash_of_bytes(state, strlen(state)).hex);
    slurm->command = (PilotCommand){.settings = settings,
                                    .server = settings->server[0] == '\0' ? slurm->options.server : settings->server,
                                    .logs = slurm->logs,
                                    .program = slurm->options.program,
                                    .job_name = slurm->job_name};
    return status;
}

Status slurm_start(const SlurmOptions *options, Slurm **slurm, Message *why)
{
    pthread_condattr_t clock;
    Slurm *started = zeroed(1, sizeof *started);
    started->options = *options;
    Status status = name_pilots(started, why);
    THEN(status, open_store(started, why));
    pthread_mutex_init(&started->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&started->wake, &clock);
    if (status == STATUS_OK && pthread_create(&started->thread, NULL, keep_pilots, started) != 0)
        status = fail(STATUS_SYSTEM, why, "no thread can be started");
    *slurm = status == STATUS_OK ? started : NULL;
    if (status != STATUS_OK) {
        store_close(started->store);
        free(started);
    }
    return status;
}

void slurm_stop(Slurm *slurm)
{
    if (slurm == NULL)
        return;
    pthread_mutex_lock(&slurm->lock);
    slurm->stops = true;
    pthread_cond_signal(&slurm->wake);
    pthread_mutex_unlock(&slurm->lock);
    pthread_join(slurm->thread, NULL);
    known_pilots_free(&slurm->known);
    store_close(slurm->store);
    free(slurm);
}

SlurmHealth slurm_health(Slurm *slurm)
{
    pthread_mutex_lock(&slurm->lock);
    const SlurmHealth health = slurm->health;
    pthread_mutex_unlock(&slurm->lock);
    return health;
}
