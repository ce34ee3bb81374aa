/* config.h - the settings of the service: one JSON file, which docs/guides/operate.md describes key by key.
 *
 * Every key has a default, so that an empty object is a whole configuration. What is unknown, repeated, of the wrong kind or
 * out of range is refused with file, line and key.
 * Owns     the strings and lists live in `arena`.
 * Errors   STATUS_NOT_FOUND where a file that was named does not exist, STATUS_BAD_INPUT where it is wrong.  */
#ifndef SERVICE_STORE_CONFIG_H
#define SERVICE_STORE_CONFIG_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "grader/problem/problem.h"
#include "service/store/submissions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== deadlines =================================================================================================== */

/* How long a judging may take, computed from its problem, and how long those wait who watch over it.
 *
 * Each number is larger than the one before it, so that who is nearer to a failure is the first to name it:
 *
 *     compile_s   the compiler of one file, by its own limits (compile_sandbox.h)
 *     grading_s   the sum of all limits that a grading keeps by itself; on the worst machine, since an honest one takes a
 *                 hundredth of it
 *     worker_s    then the worker kills the grader: it no longer keeps its own limits
 *     server_s    then the server takes the job back although the worker's lease is renewed: the worker keeps none, either
 *
 * A worker that has died is found much sooner, by its lease, which is renewed while a grading runs and so has nothing to do
 * with how long that takes.
 *
 * Units    seconds of the clock on the wall. */

/* How much of a submission is judged: samples, or sizes of one's own; hidden cases as well; timed cases as well. */
typedef enum JudgingMode { JUDGING_TRY, JUDGING_TEST, JUDGING_RANK, JUDGING_MODES } JudgingMode;

/* The longest that a grading waits for a GPU that others use. A worker sets CONVJUDGE_LOCK_SECONDS to it. */
enum { DEADLINE_DEVICE_WAIT_S = 300 };

/* A worker renews its lease so often, and a lease may not be shorter than a few of these. */
enum { DEADLINE_HEARTBEAT_S = 1, DEADLINE_LEAST_LEASE_S = 10 };

typedef struct Deadlines {
    double compile_s, grading_s, worker_s, server_s;
} Deadlines;

/* "try", "test", "rank". */
const char *judging_mode_name(JudgingMode mode);
/* Finds the mode with the name; JUDGING_MODES: there is none. */
JudgingMode judging_mode_named(const char *name);

/* Reads the problem's testcases and counts its reference solutions, whose times may have to be taken, too. */
MUST_USE Status deadlines_of(const Problem *problem, JudgingMode mode, double lease_s, Deadlines *deadlines,
                             Message *why);

/* The first pair that does not grow, in words; NULL: each is longer than the one before it, and the lease than the beats. */
const char *deadlines_fault(const Deadlines *deadlines, double lease_s);

/* ==== config ====================================================================================================== */

#define CONFIG_FILE "/etc/convjudge/config.json"

typedef struct Names {
    const char **items;
    size_t count;
} Names;

typedef struct ProxySocket { /* on this socket, this user's header names the person */
    const char *path;        /* NULL: there is none */
    const char *user;        /* the login name of the proxy */
    const char *header;      /* that holds the name of the person */
} ProxySocket;

typedef enum WorkerEngine {
    ENGINE_WORKERS,
    ENGINE_SLURM
} WorkerEngine; /* who judges: workers of the server's own, or batch jobs */

typedef struct SlurmSettings {       /* of the batch jobs in which workers run, the pilots (service/store) */
    const char *partition, *account; /* "": Slurm's default */
    const char *gres;                /* "gpu:1"; "": none */
    const char *device;              /* as `--device` takes it */
    const char *server;              /* by which pilots reach the server: a URL; "": its socket */
    const char *logs;                /* folder, which nodes must see, for what pilots say; "": `pilots` in `state` */
    int64_t time_minutes;            /* of each pilot */
    int64_t pilots;                  /* most at a time */
    int64_t idle_seconds;            /* a pilot ends when nothing has come for so long */
    Names options;                   /* further words for sbatch */
    Names program;                   /* words that start convjudge on a node; none: the server's own convjudge */
} SlurmSettings;

typedef struct Config {
    const char *file;   /* that was read; NULL: there is none, and all is by default */
    const char *listen; /* "127.0.0.1:8080"; "": no address */
    const char *socket; /* path of the Unix socket */
    ProxySocket proxy_socket;
    const char *state;      /* folder of the store */
    Names admins, teachers; /* login names */
    Names workers;          /* devices for which `serve` starts a worker of its own */
    WorkerEngine engine;
    SlurmSettings slurm;
    HandInLimits limits;      /* of each student; class.json may have others */
    double penalty_s;         /* that each own recent job puts a person back in the queue */
    double rank_device_s;     /* budget of a person for a day, of modes "rank" and "test" */
    double practice_device_s; /* likewise, of mode "try" */
    double lease_s;           /* a worker without a heartbeat for so long has lost its job */
    const char *class_file;   /* path of class.json; NULL: there is no class */
    const char *title;        /* of the pages */
    bool is_public;           /* pages without secrets are shown to people who have not logged in */
    Arena arena;
} Config;

/* The rows of the file, and of the limits in it and in class.json. */
extern const struct RecordTable config_table, limits_table;

/* Reads the file that `path` names; NULL: the one that CONVJUDGE_CONFIG names; where it is unset CONFIG_FILE if it exists,
 * else nothing, so that all is by default. */
MUST_USE Status config_read(const char *path, Config *config, Message *why);
void config_free(Config *config);

/* Appends all settings, as a file of the same format. */
void config_print(const Config *config, Text *text);

/* The engine of this name, "workers" or "slurm"; false: there is none. */
bool engine_named(const char *name, WorkerEngine *engine);

/* Whether the list holds the name. */
bool names_hold(const Names *names, const char *name);

#endif
