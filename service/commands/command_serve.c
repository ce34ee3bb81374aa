/* command_serve.c - the server: one thread writes, others read, and workers of its own are processes.  */
#include "service/commands/command_serve.h"

#include "base/clock.h"
#include "harness/compile/toolkit.h"
#include "harness/device/device_open.h"
#include "leaderboard/database.h"
#include "service/commands/command_line.h"
#include "service/commands/exchange.h"
#include "service/commands/worker_job.h"
#include "service/course/class_watch.h"
#include "service/store/log.h"
#include "service/store/service_store.h"
#include "service/store/slurm.h"
#include "service/web/answer.h"
#include "service/web/api.h"
#include "service/web/board_plots.h"
#include "service/web/live.h"
#include "service/web/site_answers.h"

#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ==== class devices =============================================================================================== */

enum { MOST_GPUS = 64 };

static void add_gpus(Arena *arena, Names *devices)
{
    DeviceInfo info;
    devices->items = arena_array(arena, MOST_GPUS, sizeof *devices->items);
    for (int i = 0; i < MOST_GPUS; i++) {
        const char *name = arena_printf(arena, "cuda:%d", i);
        if (device_describe(name, &info, NULL) != STATUS_OK)
            return;
        devices->items[devices->count++] = name;
    }
}

Status class_devices(const char *name, Arena *arena, Names *devices, Message *why)
{
    DeviceInfo info;
    *devices = (Names){0};
    Toolkit toolkit;
    Status status = device_describe(name == NULL ? "auto" : name, &info, why);
    if (status == STATUS_OK) /* rather here than in the log of every worker */
        status = info.modelled ? toolkit_find(&toolkit, why) : toolkit_find_nvcc(&toolkit, why);
    if (status != STATUS_OK)
        return status;
    const bool is_one = name != NULL && strncmp(name, "cuda:", 5) == 0;
    if (!info.modelled && !is_one)
        add_gpus(arena, devices);
    if (devices->count > 0)
        return STATUS_OK;
    devices->count = info.modelled ? processors_usable() : 1;
    devices->items = arena_array(arena, devices->count, sizeof *devices->items);
    for (size_t i = 0; i < devices->count; i++)
        devices->items[i] = arena_string(arena, info.handle);
    return STATUS_OK;
}

/* ==== own workers ================================================================================================= */

static const double RESTART_S = 5, PATIENCE_S = 10, STOP_TICK_S = 0.02;
/* So long after its lease a worker that is not heard of has hung; one that starts on a GPU may take as long. */
static const double HUNG_S = 45;

typedef struct LocalWorker {
    const char *device;
    char name[80];
    pid_t pid;                 /* 0: it does not run */
    double started_s, heard_s; /* by the queue */
} LocalWorker;

struct LocalWorkers {
    LocalWorkersSpec spec;
    int ended; /* workers that ended by themselves, ever */
    char program[JUDGE_PROGRAM_BYTES];
    LocalWorker *items;
    size_t count;
};

static void start_worker(const LocalWorkers *workers, LocalWorker *worker)
{
    const pid_t server = getpid();
    worker->started_s = worker->heard_s = now_s();
    worker->pid = fork();
    if (worker->pid != 0)
        return;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != server)
        _exit(0); /* the server has ended already */
    signal(SIGPIPE, SIG_DFL);
    if (workers->spec.log > 0)
        dup2(workers->spec.log, STDERR_FILENO);
    const char *words[14] = {
        workers->program, "work",         "--server", workers->spec.server, "--state", workers->spec.state,
        "--device",       worker->device, "--name",   worker->name};
    size_t count = 10;
    if (!workers->spec.explains)
        words[count++] = "--no-explain";
    if (workers->spec.unconfined)
        words[count++] = "--unconfined";
    execv(workers->program, (char *const *)words);
    _exit(127);
}

Status local_workers_start(const LocalWorkersSpec *spec, LocalWorkers **workers, Message *why)
{
    const Names *devices = spec->devices;
    LocalWorkers *made = zeroed(1, sizeof *made);
    *workers = made;
    made->spec = *spec;
    made->items = zeroed(devices->count + 1, sizeof *made->items);
    made->count = devices->count;
    Status status = judge_program(made->program, why);
    for (size_t i = 0; i < made->count && status == STATUS_OK; i++) {
        made->items[i].device = devices->items[i];
        snprintf(made->items[i].name, sizeof made->items[i].name, "own-%zu", i + 1);
        start_worker(made, &made->items[i]);
    }
    return status;
}

/* It is killed with what it runs, and started again like one that has ended. */
static void end_if_hung(LocalWorker *worker, Queue *queue)
{
    if (queue_hears(queue, worker->name))
        worker->heard_s = now_s();
    if (worker->pid <= 0 || now_s() < worker->heard_s + HUNG_S)
        return;
    log_event(LEVEL_ERROR, "worker_hangs", "worker", worker->name);
    worker->heard_s = now_s();
    kill(-worker->pid, SIGKILL);
}

void local_workers_tick(LocalWorkers *workers, Queue *queue)
{
    int how;
    for (size_t i = 0; i < workers->count; i++) {
        LocalWorker *worker = &workers->items[i];
        if (worker->pid > 0 && waitpid(worker->pid, &how, WNOHANG) == worker->pid) {
            log_event(LEVEL_WARNING, "worker_ended", "worker", worker->name);
            worker->pid = 0;
            workers->ended++;
        }
        end_if_hung(worker, queue);
        if (worker->pid <= 0 && now_s() > worker->started_s + RESTART_S)
            start_worker(workers, worker);
    }
}

int local_workers_ended(const LocalWorkers *workers)
{
    return workers->ended;
}

static void tell_to_stop(const LocalWorkers *workers)
{
    for (size_t i = 0; i < workers->count; i++)
        if (workers->items[i].pid > 0)
            kill(workers->items[i].pid, SIGTERM);
}

/* They give back what they have, for which somebody must listen. */
void local_workers_stop(LocalWorkers *workers, void (*serve)(void *context, double seconds), void *context)
{
    if (workers == NULL)
        return;
    const double begun = now_s();
    tell_to_stop(workers);
    for (size_t i = 0; i < workers->count; i++) {
        const pid_t pid = workers->items[i].pid;
        while (pid > 0 && waitpid(pid, NULL, WNOHANG) == 0) {
            if (now_s() > begun + PATIENCE_S)
                kill(pid, SIGKILL);
            serve(context, STOP_TICK_S);
        }
    }
    free(workers->items);
    free(workers);
}

/* ==== command serve =============================================================================================== */

static const double TICK_S = 0.1;
enum { MOST_WAIT_MS = 2000 }; /* for a lock of the store that comes between looking for one and writing */

static volatile sig_atomic_t is_told_to_stop, is_told_to_read;

static void stop(int signal)
{
    is_told_to_stop = 1;
}

static void read_again(int signal)
{
    is_told_to_read = 1;
}

static void take_signals(void)
{
    const struct sigaction ends = {.sa_handler = stop}, ignored = {.sa_handler = SIG_IGN},
                           reads = {.sa_handler = read_again};
    sigaction(SIGHUP, &reads, NULL);
    sigaction(SIGTERM, &ends, NULL);
    sigaction(SIGINT, &ends, NULL);
    sigaction(SIGPIPE, &ignored, NULL);
}

/* Options of the command line stand above the file. */
static Status read_settings(const Options *options, Config *config, Message *why)
{
    TRY(options_expect_no_file(options, why));
    TRY(config_read(options->config, config, why));
    config->listen = options->listen == NULL ? config->listen : options->listen;
    config->socket = options->socket == NULL ? config->socket : options->socket;
    config->state = options->state == NULL ? config->state : options->state;
    if (options->engine != NULL && !engine_named(options->engine, &config->engine))
        return fail(STATUS_BAD_INPUT, why, "serve: option '--engine': expected workers or slurm, found '%s'",
                    options->engine);
    return STATUS_OK;
}

static Status find_proxy_user(const Config *config, uid_t *user, Message *why)
{
    if (config->proxy_socket.path == NULL)
        return STATUS_OK;
    const struct passwd *entry = getpwnam(config->proxy_socket.user);
    if (entry == NULL)
        return fail(STATUS_BAD_INPUT, why, "proxy_socket: this host has no user '%s'", config->proxy_socket.user);
    *user = entry->pw_uid;
    return STATUS_OK;
}

static Status open_doors(Service *service, HttpServer **http, Message *why)
{
    const Config *config = service->config;
    HttpOptions doors = {.listen = config->listen,
                         .socket = config->socket,
                         .proxy_socket = config->proxy_socket.path,
                         .handler = api_handle,
                         .most_body = api_most_body,
                         .context = service,
                         .readers = service->reading_count};
    TRY(find_proxy_user(config, &doors.proxy_user, why));
    return http_start(&doors, http, why);
}

/* Two accounts to try the service with, whose tokens of earlier trials end. */
static Status add_trial_account(Store *store, const char *name, PersonRole role, const char *address, Message *why)
{
    Arena arena = {0};
    Person person;
    Secret token;
    Status status = people_admit(store, name, &arena, &person, why);
    THEN(status, tokens_revoke(store, person.id, why));
    THEN(status, people_set_role(store, person.id, role, why));
    THEN(status, token_add(store, person.id, TOKEN_FOR_ALL, &token, why));
    if (status == STATUS_OK)
        printf("http://%s/login  %-8s %s\n", address, name, token.hex);
    fflush(stdout);
    arena_free(&arena);
    return status;
}

static Status add_trial_accounts(Store *store, const char *address, Message *why)
{
    TRY(add_trial_account(store, "student", PERSON_STUDENT, address, why));
    return add_trial_account(store, "teacher", PERSON_TEACHER, address, why);
}

/* A signal that comes meanwhile is for the next time. */
static void look_at_class(Service *service)
{
    const bool is_told = is_told_to_read;
    is_told_to_read = is_told ? 0 : is_told_to_read;
    class_watch_look(service->class_watch, is_told);
}

/* Before there are threads: it sets TZ for the first time (service/course/class_file.h). */
static Status open_class(Service *service, Message *why)
{
    const char *path = service->config->class_file;
    if (path == NULL)
        return STATUS_OK;
    return class_watch_start(path, service->store, "convjudge serve", &service->class_watch, why);
}

typedef struct Judges { /* those who judge: processes of this host, or batch jobs */
    LocalWorkers *workers;
    char program[JUDGE_PROGRAM_BYTES];
} Judges;

typedef struct Doors { /* what is served until the workers have ended */
    Service *service;
    HttpServer *http;
    Posts *posts;
} Doors;

static void serve_once(void *context, double seconds)
{
    const Doors *doors = context;
    http_serve(doors->http, seconds);
    if (!database_can_write(doors->service->store))
        return;
    queue_tick(doors->service->queue);
    live_tick(doors->service);
    posts_tick(doors->posts);
}

static void serve(Doors *doors, const Judges *judges)
{
    Service *service = doors->service;
    log_event(LEVEL_INFO, "started", "address", http_address(doors->http), "socket", service->config->socket, "state",
              service->config->state);
    while (!is_told_to_stop) {
        Message why;
        serve_once(doors, TICK_S);
        if (clock_watch_look(&service->clock, service->store, &why) != STATUS_OK)
            log_event(LEVEL_ERROR, "trouble", "why", why.text);
        if (judges->workers != NULL)
            local_workers_tick(judges->workers, service->queue);
        look_at_class(service);
    }
    log_event(LEVEL_INFO, "stopped");
}

static Status start_engine(Service *service, Judges *judges, Message *why)
{
    const Config *config = service->config;
    if (config->engine != ENGINE_SLURM) {
        const LocalWorkersSpec workers = {
            .devices = &config->workers, .server = config->socket, .state = config->state, .explains = true};
        return local_workers_start(&workers, &judges->workers, why);
    }
    const SlurmOptions slurm = {
        .settings = &config->slurm, .state = config->state, .server = config->socket, .program = judges->program};
    TRY(judge_program(judges->program, why));
    return slurm_start(&slurm, &service->slurm, why);
}

typedef struct Webhooks {
    const Names *urls;
    Posts *posts;
} Webhooks;

static void tell_webhooks(void *context, const QueueNews *news)
{
    const Webhooks *webhooks = context;
    Text body = {0};
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "event", news->event);
    cJSON_AddNumberToObject(object, "submission", (double)news->submission);
    cJSON_AddStringToObject(object, "person", news->person);
    cJSON_AddStringToObject(object, "problem", news->problem);
    cJSON_AddStringToObject(object, "mode", news->mode);
    cJSON_AddStringToObject(object, strcmp(news->event, "held") == 0 ? "why" : "verdict", news->what);
    json_print(object, &body);
    cJSON_Delete(object);
    for (size_t i = 0; i < webhooks->urls->count; i++)
        posts_send(webhooks->posts, webhooks->urls->items[i], body.data);
    text_free(&body);
}

/* After an upgrade the first run of a new epoch begins a new board. */
static Status warn_of_outdated_boards(Store *store, Message *why)
{
    Arena arena = {0};
    OutdatedBoard *boards;
    size_t count = 0;
    Status status = board_data_outdated(store, &arena, &boards, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        log_event(LEVEL_WARNING, "board_of_an_earlier_version", "problem", boards[i].problem, "device",
                  boards[i].device, "repair",
                  arena_printf(&arena, "convjudge rejudge --problem %s --why \"a new version of the judge\"",
                               boards[i].problem));
    arena_free(&arena);
    return status;
}

/* Two at least: a page that takes long holds up no other one. */
static Status open_for_readers(Service *service, Message *why)
{
    const size_t processors = processors_usable();
    const size_t wanted = processors < 2 ? 2 : processors < MOST_READERS ? processors : MOST_READERS;
    Status status = STATUS_OK;
    while (service->reading_count < wanted && status == STATUS_OK) {
        Store *store;
        status = store_open(service->store->path, STORE_READ, &store, why);
        if (status == STATUS_OK)
            service->reading[service->reading_count++] = store;
        THEN(status, database_run(store, "PRAGMA query_only = ON; PRAGMA cache_size = -16384", why));
    }
    return status;
}

static Status run_service(const Config *config, bool is_trial, Message *why)
{
    static const Route *const routes[] = {api_routes, work_routes, operating_routes, site_routes, NULL};
    Service service = {.config = config,
                       .live = live_new(),
                       .routes = routes,
                       .show_error = site_error,
                       .ask_for_login = site_ask_for_login};
    Doors doors = {.service = &service};
    Judges judges = {0};
    Webhooks webhooks = {.urls = &config->webhooks, .posts = posts_new()};
    doors.posts = webhooks.posts;
    const QueueOptions queue = {.state = config->state,
                                .lease_s = config->lease_s,
                                .tell = config->webhooks.count > 0 ? tell_webhooks : NULL,
                                .context = &webhooks,
                                .workers_come_later = config->engine == ENGINE_SLURM};
    Status status = service_store_open(config->state, &service.store, why);
    if (status == STATUS_OK)
        database_wait_at_most(service.store, MOST_WAIT_MS);
    THEN(status, open_for_readers(&service, why));
    THEN(status, warn_of_outdated_boards(service.store, why));
    THEN(status, open_class(&service, why));
    THEN(status, queue_start(&queue, service.store, &service.queue, why));
    THEN(status, open_doors(&service, &doors.http, why));
    THEN(status, start_engine(&service, &judges, why));
    if (status == STATUS_OK && is_trial)
        status = add_trial_accounts(service.store, http_address(doors.http), why);
    if (status == STATUS_OK)
        serve(&doors, &judges);
    local_workers_stop(judges.workers, serve_once, &doors);
    live_free(service.live);
    queue_stop(service.queue);
    http_stop(doors.http);
    slurm_stop(service.slurm); /* pages ask for its health to the end */
    class_watch_stop(service.class_watch);
    for (size_t i = 0; i < service.reading_count; i++)
        store_close(service.reading[i]);
    store_close(service.store);
    posts_free(webhooks.posts);
    return status;
}

Status command_serve(const Options *options, int *exit_status, Message *why)
{
    Config config = {0};
    Status status = read_settings(options, &config, why);
    take_signals();
    THEN(status, run_service(&config, options->trial, why));
    config_free(&config);
    *exit_status = 0;
    return status;
}
