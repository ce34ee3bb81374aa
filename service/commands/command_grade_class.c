/* command_grade_class.c - judges all that a class has handed in: finds it, puts it into the queue, and runs queue and workers of a
 * service until that is empty. Where a server has the state, that server judges it.  */
#include "service/commands/command_line.h"

#include "base/clock.h"
#include "base/scratch.h"
#include "base/terminal.h"
#include "grader/ranking/person.h"
#include "leaderboard/store.h"
#include "service/commands/command_serve.h"
#include "service/commands/output.h"
#include "service/course/class_progress.h"
#include "service/course/class_read.h"
#include "service/course/class_watch.h"
#include "service/course/intake.h"
#include "service/http/http.h"
#include "service/store/config.h"
#include "service/store/judgings.h"
#include "service/store/log.h"
#include "service/store/queue.h"
#include "service/store/service_store.h"
#include "service/web/api.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double LOOK_S = 0.5, TICK_S = 0.1, LEASE_S = 30;
enum { ENDS_PER_WORKER = 3 }; /* workers that end so often by themselves, while nothing is judged, will judge nothing */

typedef struct ClassGrading {
    const Options *options;
    Arena arena;
    ClassFile class;
    bool has_class;
    Intake intake;
    ClassRun run;
    ClassProgress progress;
    const char *state, *log_path;
    char scratch[SERVICE_PATH_BYTES];     /* folder of `socket`; "": there is none */
    char socket[SERVICE_PATH_BYTES + 10]; /* for its workers */
    Names devices;
    Store *store;
    bool is_served; /* by a server that has the state */
    Config config;
    Service service;
    HttpServer *http;
    LocalWorkers *workers;
    int log;
    TerminalStyle style; /* of standard error */
    size_t shown;        /* submissions that have been told of */
} ClassGrading;

static volatile sig_atomic_t is_told_to_stop;

static void stop(int signal)
{
    is_told_to_stop = 1;
}

static void take_signals(void)
{
    const struct sigaction ends = {.sa_handler = stop}, ignored = {.sa_handler = SIG_IGN};
    sigaction(SIGTERM, &ends, NULL);
    sigaction(SIGINT, &ends, NULL);
    sigaction(SIGHUP, &ends, NULL);
    sigaction(SIGPIPE, &ignored, NULL);
}

/* ---- what there is ----------------------------------------------------------------------------------------------- */

static Status read_class(ClassGrading *grading, Message *why)
{
    if (grading->options->class_file == NULL)
        return STATUS_OK;
    Status status = class_file_read(grading->options->class_file, &grading->class, why);
    grading->has_class = status == STATUS_OK;
    return status;
}

static const char *name_of(const void *class, const char *name, const char *id)
{
    return class_name_of(class, name, id);
}

static Status read_folder(ClassGrading *grading, Message *why)
{
    IntakeRules rules = {0};
    if (grading->has_class) {
        const char **ids = arena_array(&grading->arena, grading->class.assignment_count + 1, sizeof *ids);
        for (size_t i = 0; i < grading->class.assignment_count; i++)
            ids[i] = grading->class.assignments[i].id;
        rules.assignments = ids;
        rules.assignment_count = grading->class.assignment_count;
        rules.people = class_spellings(&grading->class, &grading->arena, &rules.person_count);
        rules.name_of = name_of;
        rules.context = &grading->class;
    }
    return intake_read(grading->options->dir, &rules, &grading->intake, why);
}

static const char *state_of(const Options *options, Arena *arena)
{
    return options->state == NULL ? class_state_folder(options->class_file, options->dir, arena) : options->state;
}

/* If another process has the folder's lock, the queue of that process gives out the work. */
static Status open_store(ClassGrading *grading, Message *why)
{
    char path[SERVICE_PATH_BYTES];
    Status status = service_store_open(grading->state, &grading->store, why);
    if (status != STATUS_BUSY)
        return status;
    grading->is_served = true;
    TRY(service_store_path(grading->state, path, why));
    return store_open(path, STORE_WRITE, &grading->store, why);
}

static Status check_problem(const ClassGrading *grading, Message *why)
{
    if (grading->options->problem == NULL || !grading->has_class)
        return STATUS_OK;
    for (size_t i = 0; i < grading->class.assignment_count; i++)
        if (class_problem(&grading->class.assignments[i], grading->options->problem) != NULL)
            return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "grade-class: option '--problem': no assignment of %s has the problem '%s'",
                grading->class.path, grading->options->problem);
}

/* ---- showing ----------------------------------------------------------------------------------------------------- */

static bool prints(const ClassGrading *grading)
{
    return grading->options->json == NULL || strcmp(grading->options->json, "-") != 0;
}

static void clear_line(const ClassGrading *grading)
{
    if (grading->style.redraw)
        fputs("\r\033[K", stderr);
}

static void show_item(void *context, const HandedIn *item)
{
    ClassGrading *grading = context;
    Text text = {0};
    grading->shown++;
    if (!prints(grading))
        return;
    text_printf(&text, "%zu  ", grading->shown);
    class_report_add_item(item, &text);
    clear_line(grading);
    fputs(text.data, stdout);
    fflush(stdout);
    text_free(&text);
}

static void pass_over_item(void *context, const HandedIn *item)
{
    ((ClassGrading *)context)->shown++; /* an earlier start has told of it */
}

static void show_progress(const ClassGrading *grading)
{
    Text text = {0};
    if (!grading->style.redraw)
        return;
    class_progress_add(&grading->progress, now_s(), &text);
    fprintf(stderr, "\r\033[K%.*s", grading->style.width - 1, text.data);
    text_free(&text);
}

/* ---- judging ----------------------------------------------------------------------------------------------------- */

static Status open_log(ClassGrading *grading, Message *why)
{
    grading->log_path = arena_printf(&grading->arena, "%s/grade-class.log", grading->state);
    grading->log = open(grading->log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (grading->log < 0)
        return fail_errno(why, "%s", grading->log_path);
    log_to(grading->log);
    return STATUS_OK;
}

/* Failures of an earlier start are tried again, by all workers: the cause is mended by now, or it was an
 * interruption. */
static Status try_again(ClassGrading *grading, Message *why)
{
    Drained *drained = NULL;
    QueuedJob *held = NULL;
    size_t drained_count = 0, held_count = 0;
    bool done;
    TRY(workers_drained(grading->store, &grading->arena, &drained, &drained_count, why));
    for (size_t i = 0; i < drained_count; i++)
        TRY(worker_undrain(grading->store, drained[i].worker, why));
    TRY(judgings_in_state(grading->store, "held", INT64_MAX, &grading->arena, &held, &held_count, why));
    for (size_t i = 0; i < held_count; i++)
        TRY(judgings_release(grading->store, held[i].id, &done, why));
    return STATUS_OK;
}

static void serve_once(void *context, double seconds)
{
    const ClassGrading *grading = context;
    http_serve(grading->http, seconds);
    queue_tick(grading->service.queue);
}

/* A server for its own workers alone, on a socket in a folder that nobody else may enter. The name of a socket must be short, which
 * that of the state need not be. */
static Status start(ClassGrading *grading, Message *why)
{
    static const Route *const routes[] = {work_routes, NULL};
    const QueueOptions queue = {.state = grading->state, .lease_s = LEASE_S};
    const LocalWorkersSpec workers = {.devices = &grading->devices,
                                      .server = grading->socket,
                                      .state = grading->state,
                                      .log = grading->log,
                                      .unconfined = grading->options->unconfined};
    grading->service = (Service){.config = &grading->config, .store = grading->store, .routes = routes};
    const HttpOptions doors = {
        .socket = grading->socket, .handler = api_handle, .most_body = api_most_body, .context = &grading->service};
    Status status = scratch_new(grading->scratch, sizeof grading->scratch, why);
    snprintf(grading->socket, sizeof grading->socket, "%s/socket", grading->scratch);
    THEN(status, queue_start(&queue, grading->store, &grading->service.queue, why));
    THEN(status, http_start(&doors, &grading->http, why));
    return status == STATUS_OK ? local_workers_start(&workers, &grading->workers, why) : status;
}

static Status look(ClassGrading *grading, void (*ended)(void *context, const HandedIn *item), Message *why)
{
    return class_progress_look(grading->store, &grading->run, &grading->progress, ended, grading, why);
}

/* Names what keeps the workers from judging anything more. */
static Status check_workers(const ClassGrading *grading, Message *why)
{
    Arena arena = {0};
    Drained *drained;
    size_t count = 0;
    const size_t workers = grading->devices.count;
    if (grading->is_served)
        return STATUS_OK;
    Status status = workers_drained(grading->store, &arena, &drained, &count, why);
    arena_free(&arena);
    const bool end_at_once = grading->progress.ended == grading->progress.at_start &&
                             local_workers_ended(grading->workers) >= ENDS_PER_WORKER * (int)workers;
    if (status == STATUS_OK && (count >= workers || end_at_once))
        return fail(STATUS_SYSTEM, why, "the workers fail at everything; %s says why, and the same command continues",
                    grading->log_path);
    return status;
}

static bool is_done(const ClassGrading *grading)
{
    return grading->progress.ended == grading->progress.total;
}

/* Until it is worth while to look at what has become of the queue. */
static void rest(ClassGrading *grading)
{
    const double until_s = now_s() + LOOK_S;
    if (grading->is_served)
        nanosleep(&(struct timespec){.tv_nsec = (long)(LOOK_S * 1e9)}, NULL);
    while (!grading->is_served && now_s() < until_s)
        serve_once(grading, TICK_S);
    if (!grading->is_served)
        local_workers_tick(grading->workers, grading->service.queue);
}

static Status follow(ClassGrading *grading, Message *why)
{
    Status status = STATUS_OK;
    while (status == STATUS_OK && !is_done(grading) && !is_told_to_stop) {
        show_progress(grading);
        rest(grading);
        status = look(grading, show_item, why);
        if (status == STATUS_OK && !is_done(grading))
            status = check_workers(grading, why);
    }
    clear_line(grading);
    return status;
}

static Status judge(ClassGrading *grading, Message *why)
{
    Status status = grading->is_served ? STATUS_OK : try_again(grading, why);
    grading->progress = class_progress_begin(now_s());
    THEN(status, look(grading, pass_over_item, why));
    if (status != STATUS_OK || is_done(grading))
        return status;
    if (!grading->is_served) {
        status = open_log(grading, why);
        THEN(status, start(grading, why));
    }
    THEN(status, follow(grading, why));
    local_workers_stop(grading->workers, serve_once, grading);
    queue_stop(grading->service.queue);
    http_stop(grading->http);
    if (grading->scratch[0] != '\0')
        scratch_remove(grading->scratch);
    return status;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void add_next_step(const ClassGrading *grading, Text *text)
{
    const char *class = grading->options->class_file;
    text_add(text, "Results: ");
    terminal_add_line(text, grading->state);
    text_add(text, ". Next: convjudge scores --csv scores.csv --summary scores.html --class ");
    terminal_add_line(text, class == NULL ? "class.json" : class);
    text_add(text, " --state ");
    terminal_add_line(text, grading->state);
    text_add(text, class == NULL ? " (docs/guides/run-a-class.md has a class.json to begin with)\n" : "\n");
}

static Status report(const ClassGrading *grading, Message *why)
{
    Text text = {0};
    class_report_add_summary(&grading->run, &text);
    add_next_step(grading, &text);
    Status status = output_write(grading->options, class_report_json(&grading->run, grading->state), &text, why);
    text_free(&text);
    return status;
}

static Status run(ClassGrading *grading, int *exit_status, Message *why)
{
    char person[PERSON_MAX_BYTES + 1];
    Status status = class_devices(grading->options->device, &grading->arena, &grading->devices, why);
    THEN(status, open_store(grading, why));
    grading->run = (ClassRun){.intake = &grading->intake,
                              .class = grading->has_class ? &grading->class : NULL,
                              .problem = grading->options->problem};
    person_login(person);
    if (status == STATUS_OK && grading->has_class)
        status = class_take_for(&grading->class, grading->store, person, why);
    THEN(status, class_hand_in(grading->store, grading->options->dir, &grading->run, why));
    THEN(status, judge(grading, why));
    if (status == STATUS_OK && !is_done(grading))
        status = fail(STATUS_BUSY, why, "interrupted; %zu of %zu are judged, and the same command continues",
                      grading->progress.ended, grading->progress.total);
    THEN(status, report(grading, why));
    *exit_status = class_report_has_trouble(&grading->run);
    store_close(grading->store);
    return status;
}

Status command_grade_class(const Options *options, int *exit_status, Message *why)
{
    ClassGrading grading = {.options = options, .style = terminal_style(stderr)};
    Status status = options_expect_no_file(options, why);
    if (status == STATUS_OK && options->dir == NULL)
        status = fail(STATUS_BAD_INPUT, why, "grade-class: option '--dir' is missing");
    THEN(status, json_target_check(options->json, NULL, why));
    THEN(status, read_class(&grading, why));
    THEN(status, check_problem(&grading, why));
    if (status == STATUS_OK)
        grading.state = state_of(options, &grading.arena);
    THEN(status, read_folder(&grading, why));
    take_signals();
    THEN(status, run(&grading, exit_status, why));
    intake_free(&grading.intake);
    if (grading.has_class)
        class_file_free(&grading.class);
    arena_free(&grading.arena);
    return status;
}
