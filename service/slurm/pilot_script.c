#include "service/slurm/pilot_script.h"

#include "service/slurm/pilots.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { SIGNAL_AHEAD_S = 60 }; /* service/worker/pilot.h, PILOT_MARGIN_S */

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
    text_add(script, "work --spool ");
    quote(script, command->spool);
    text_add(script, "--device ");
    quote(script, command->settings->device);
    text_printf(script, "--pilot %" PRId64 " --idle %" PRId64, command->settings->time_minutes,
                command->settings->idle_seconds);
    text_add(script, " --name \"slurm-$SLURM_JOB_ID-${SLURM_RESTART_COUNT:-0}-"
                     "$(od -An -N3 -tx1 /dev/urandom | tr -d ' \\n')\"\n");
}

const char *pilot_script_folder(const char *spool, Arena *arena)
{
    return arena_printf(arena, "%s/pilots", spool);
}

/* Slurm replaces what follows a percent sign. */
static const char *log_pattern(const PilotCommand *command, Arena *arena)
{
    Text pattern = {0};
    for (const char *at = pilot_script_folder(command->spool, arena); *at != '\0'; at++)
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
