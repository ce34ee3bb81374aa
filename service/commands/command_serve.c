/* command_serve.c - the server: one thread answers requests, another one (service/head) hands out work, and workers of its
 * own are processes.  */
#include "service/commands/service_command.h"

#include "service/api/api.h"
#include "service/api/live.h"
#include "service/api/service.h"
#include "service/classroom/class_watch.h"
#include "service/commands/class_devices.h"
#include "service/commands/own_program.h"
#include "service/commands/own_workers.h"
#include "service/config/config.h"
#include "service/log/log.h"
#include "service/site/site_answers.h"
#include "service/site/site_routes.h"
#include "service/slurm/slurm.h"
#include "service/store/service_store.h"

#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const double TICK_S = 0.1;

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
    Status status = options_expect_no_file(options, why);
    if (status == STATUS_OK)
        status = config_read(options->config, config, why);
    if (status != STATUS_OK)
        return status;
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
                         .context = service};
    Status status = find_proxy_user(config, &doors.proxy_user, why);
    return status == STATUS_OK ? http_start(&doors, http, why) : status;
}

/* Two accounts to try the service with, whose tokens of earlier trials end. */
static Status add_trial_account(Store *store, const char *name, PersonRole role, const char *address, Message *why)
{
    Arena arena = {0};
    Person person;
    Secret token;
    Status status = people_admit(store, name, &arena, &person, why);
    if (status == STATUS_OK)
        status = tokens_revoke(store, person.id, why);
    if (status == STATUS_OK)
        status = people_set_role(store, person.id, role, why);
    if (status == STATUS_OK)
        status = token_add(store, person.id, TOKEN_FOR_ALL, &token, why);
    if (status == STATUS_OK)
        printf("http://%s/login  %-8s %s\n", address, name, token.hex);
    fflush(stdout);
    arena_free(&arena);
    return status;
}

static Status add_trial_accounts(Store *store, const char *address, Message *why)
{
    Status status = add_trial_account(store, "student", PERSON_STUDENT, address, why);
    return status == STATUS_OK ? add_trial_account(store, "teacher", PERSON_TEACHER, address, why) : status;
}

/* A signal that comes meanwhile is for the next time. */
static void look_at_class(Service *service)
{
    const bool is_told = is_told_to_read;
    is_told_to_read = is_told ? 0 : is_told_to_read;
    class_watch_look(service->class_watch, is_told);
}

/* Before there are threads: it sets TZ for the first time (service/class/zone.h). */
static Status open_class(Service *service, Message *why)
{
    const char *path = service->config->class_file;
    if (path == NULL)
        return STATUS_OK;
    return class_watch_start(path, service->store, "convjudge serve", &service->class_watch, why);
}

typedef struct Judges { /* those who judge: processes of this host, or batch jobs */
    OwnWorkers *workers;
    char program[OWN_PROGRAM_BYTES];
} Judges;

static void serve(Service *service, HttpServer *http, const Judges *judges)
{
    log_event(LEVEL_INFO, "started", "address", http_address(http), "socket", service->config->socket, "state",
              service->config->state);
    while (!is_told_to_stop) {
        http_serve(http, TICK_S);
        live_tick(service);
        if (judges->workers != NULL)
            own_workers_tick(judges->workers);
        look_at_class(service);
    }
    log_event(LEVEL_INFO, "stopped");
}

static Status start_engine(Service *service, Judges *judges, Message *why)
{
    const Config *config = service->config;
    if (config->engine != ENGINE_SLURM) {
        const OwnWorkersSpec workers = {.devices = &config->workers, .spool = service->spool, .explains = true};
        return own_workers_start(&workers, &judges->workers, why);
    }
    const SlurmOptions slurm = {
        .settings = &config->slurm, .state = config->state, .spool = service->spool, .program = judges->program};
    Status status = own_program(judges->program, why);
    return status == STATUS_OK ? slurm_start(&slurm, &service->slurm, why) : status;
}

static Status run_service(const Config *config, const char *spool, bool is_trial, Message *why)
{
    static const Route *const routes[] = {api_routes, operating_routes, site_routes, NULL};
    Service service = {
        .config = config, .spool = spool, .live = live_new(), .routes = routes, .show_error = site_error};
    HttpServer *http = NULL;
    Judges judges = {0};
    const HeadOptions head = {.state = config->state,
                              .spool = spool,
                              .lease_s = config->lease_s,
                              .workers_come_later = config->engine == ENGINE_SLURM};
    Status status = service_store_open(config->state, &service.store, why);
    if (status == STATUS_OK)
        status = open_class(&service, why);
    if (status == STATUS_OK)
        status = head_start(&head, &service.head, why);
    if (status == STATUS_OK)
        status = open_doors(&service, &http, why);
    if (status == STATUS_OK)
        status = start_engine(&service, &judges, why);
    if (status == STATUS_OK && is_trial)
        status = add_trial_accounts(service.store, http_address(http), why);
    if (status == STATUS_OK)
        serve(&service, http, &judges);
    own_workers_stop(judges.workers);
    slurm_stop(service.slurm);
    live_free(service.live);
    http_stop(http);
    head_stop(service.head);
    class_watch_stop(service.class_watch);
    store_close(service.store);
    return status;
}

static Status choose_spool(const Config *config, char spool[SERVICE_PATH_BYTES], Message *why)
{
    const char *folder = config->spool == NULL ? config->state : config->spool;
    const int length = snprintf(spool, SERVICE_PATH_BYTES, "%s%s", folder, config->spool == NULL ? "/spool" : "");
    return length < SERVICE_PATH_BYTES ? STATUS_OK
                                       : fail(STATUS_BAD_INPUT, why, "%.100s...: the name is too long", folder);
}

Status command_serve(const Options *options, int *exit_status, Message *why)
{
    Config config = {0};
    char spool[SERVICE_PATH_BYTES];
    Status status = read_settings(options, &config, why);
    if (status == STATUS_OK)
        status = choose_spool(&config, spool, why);
    take_signals();
    if (status == STATUS_OK)
        status = run_service(&config, spool, options->trial, why);
    config_free(&config);
    *exit_status = 0;
    return status;
}
