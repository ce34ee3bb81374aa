#include "grader/commands/check_mutants.h"

#include "base/allocated.h"
#include "base/clock.h"
#include "base/random.h"
#include "grader/authoring/mutant_log.h"
#include "grader/authoring/mutant_notes.h"
#include "grader/authoring/mutant_pool.h"
#include "grader/authoring/mutant_trial.h"
#include "grader/terminal/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_SAMPLE = 20, SEEDS = 1000000 /* a seed that is drawn is short enough to be typed */ };

struct MutantCheck {
    MutantPool pool;
    MutantTrial *trial;
    Digest *codes; /* of the files as they are */
    uint64_t seed;
    size_t wanted; /* mutants to grade */
    size_t counts[FATES];
    MutantLog *log; /* NULL: none */
    size_t known;   /* found mutants of which the log has told */
    Progress progress;
    double start_s;
};

/* ---- what is wanted ---------------------------------------------------------------------------------------------- */

static Status read_number(const char *option, const char *text, uint64_t *number, Message *why)
{
    char *end;
    *number = strtoull(text, &end, 10);
    if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && strlen(text) < 19)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "check-problem: option '--%s': expected a whole number, found '%s'", option,
                text);
}

static Status read_options(const Options *options, uint64_t *wanted, uint64_t *seed, Message *why)
{
    Status status = STATUS_OK;
    *wanted = options->thorough ? SIZE_MAX : USUAL_SAMPLE;
    if (options->thorough && options->mutants != NULL)
        return fail(STATUS_BAD_INPUT, why,
                    "check-problem: '--thorough' takes all mutants, so '--mutants' cannot be given");
    if (options->mutants != NULL)
        status = read_number("mutants", options->mutants, wanted, why);
    if (status == STATUS_OK && options->seed != NULL)
        return read_number("seed", options->seed, seed, why);
    if (status == STATUS_OK)
        status = random_bytes(seed, sizeof *seed, why);
    *seed %= SEEDS;
    return status;
}

Status check_mutants_open(const Options *options, const Problem *problem, const Paths *solutions,
                          const CheckDevice *device, MutantCheck **check, Message *why)
{
    uint64_t wanted = 0, seed = 0;
    *check = NULL;
    Status status = read_options(options, &wanted, &seed, why);
    if (status != STATUS_OK)
        return status;
    MutantCheck *new = *check = zeroed(1, sizeof *new);
    new->seed = seed;
    new->progress = progress_new(stderr);
    if (options->keep != NULL)
        status = mutant_log_open(options->keep, problem->id, &new->log, why);
    if (status == STATUS_OK)
        status = mutant_pool_open(problem, solutions, seed, &new->pool, why);
    if (status != STATUS_OK || wanted == 0)
        return status;
    new->wanted = wanted < new->pool.count ? wanted : new->pool.count;
    new->codes = zeroed(new->pool.file_count, sizeof *new->codes);
    return mutant_trial_start(problem, &new->pool, device->modelled ? device->name : "sim", seed, mutant_trial_width(),
                              &new->trial, why);
}

void check_mutants_close(MutantCheck *check)
{
    if (check == NULL)
        return;
    mutant_trial_stop(check->trial);
    mutant_pool_free(&check->pool);
    mutant_log_close(check->log);
    free(check->codes);
    free(check);
}

/* ---- the originals ----------------------------------------------------------------------------------------------- */

static Status fail_outcome(const char *file, const TrialOutcome *outcome, Message *why)
{
    return fail(outcome->status, why, "%s: %s", file, outcome->text);
}

static Status keep_code(MutantCheck *check, const TrialDone *done, Message *why)
{
    const char *file = check->pool.files[done->file].shown;
    if (done->outcome.status != STATUS_OK)
        return fail_outcome(file, &done->outcome, why);
    if (done->outcome.verdict != VERDICT_ACCEPTED)
        return fail(STATUS_BAD_INPUT, why, "%s: only mutants of accepted files say anything, but it gets %s: %s", file,
                    verdict_name(done->outcome.verdict), done->outcome.text);
    check->codes[done->file] = done->outcome.machine_code;
    return STATUS_OK;
}

/* Whether the file is accepted, and what its machine code is. */
static Status judge_originals(MutantCheck *check, Message *why)
{
    size_t asked = 0;
    bool answered = true;
    Status status = STATUS_OK;
    while (status == STATUS_OK && answered) {
        TrialDone done;
        if (asked < check->pool.file_count && mutant_trial_is_free(check->trial)) {
            status = mutant_trial_ask(check->trial, asked++, TRIAL_ORIGINAL, &(Digest){0}, why);
            continue;
        }
        progress_note(&check->progress, "%zu of %zu files as they are", asked, check->pool.file_count);
        status = mutant_trial_wait(check->trial, &done, &answered, why);
        if (status == STATUS_OK && answered)
            status = keep_code(check, &done, why);
    }
    return status;
}

/* ---- the mutants ------------------------------------------------------------------------------------------------- */

static MutantFate fate_of(const TrialOutcome *outcome)
{
    if (outcome->same_code)
        return FATE_SAME_CODE;
    switch (outcome->verdict) {
    case VERDICT_COMPILE_ERROR: return FATE_REFUSED;
    case VERDICT_JUDGE_ERROR: return FATE_BEYOND_JUDGE;
    case VERDICT_ACCEPTED: return FATE_SURVIVED;
    default: return outcome->by_timed_case ? FATE_FOUND_IN_TIMED : FATE_FOUND;
    }
}

static void make_source(const MutantCheck *check, const PoolMutant *item, Text *source)
{
    mutant_source(check->pool.files[item->file].submission.source.data, item->mutant, source);
}

/* Counts a mutant whose fate the log tells. */
static bool is_known(MutantCheck *check, const PoolMutant *item)
{
    Text source = {0};
    MutantFate fate;
    if (check->log == NULL)
        return false;
    make_source(check, item, &source);
    const bool known = mutant_log_knows(check->log, &source, &fate);
    text_free(&source);
    check->known += known && (fate == FATE_FOUND || fate == FATE_FOUND_IN_TIMED);
    check->counts[known ? fate : FATE_FOUND] += known;
    return known;
}

static Status keep_fate(MutantCheck *check, const PoolMutant *item, MutantFate fate, Message *why)
{
    Text source = {0};
    if (check->log == NULL)
        return STATUS_OK;
    make_source(check, item, &source);
    Status status = mutant_log_add(check->log, &source, fate, why);
    text_free(&source);
    return status;
}

/* The line of the progress is ended first, since both may go to one terminal. */
static void print_survivor(MutantCheck *check, const PoolMutant *item)
{
    const PoolFile *file = &check->pool.files[item->file];
    Text note = {0};
    progress_end(&check->progress, "one is accepted");
    printf("# survivor: %s:%d: %s\n#   - %s\n#   + %s\n", file->shown, item->mutant->line, item->mutant->mistake,
           item->before, item->after);
    mutant_note_add(file->submission.source.data, item->mutant, &note);
    printf("#   if it is right: // also right: %s: WHY\n", note.data);
    text_free(&note);
    fflush(stdout);
    progress_begin(&check->progress, "mutants", 0);
}

static Status count_outcome(MutantCheck *check, const TrialDone *done, Message *why)
{
    const PoolMutant *item = &check->pool.items[done->mutant];
    if (done->outcome.status != STATUS_OK)
        return fail_outcome(check->pool.files[done->file].shown, &done->outcome, why);
    const MutantFate fate = fate_of(&done->outcome);
    check->counts[fate]++;
    if (fate == FATE_SURVIVED)
        print_survivor(check, item);
    return keep_fate(check, item, fate, why);
}

static size_t found(const MutantCheck *check)
{
    return check->counts[FATE_FOUND] + check->counts[FATE_FOUND_IN_TIMED];
}

/* Only these count: the others say nothing about the cases. */
static size_t graded(const MutantCheck *check)
{
    return found(check) + check->counts[FATE_SURVIVED];
}

void check_mutants_name(const MutantCheck *check, Text *name)
{
    text_printf(name, "the cases find the mistakes in %zu mutants of the reference solutions, ", graded(check));
    if (check->wanted < check->pool.count)
        text_printf(name, "a sample of %zu", check->pool.count);
    else
        text_add(name, "all that compile and differ");
    text_printf(name, " (seed %llu)", (unsigned long long)check->seed);
}

static void show_progress(MutantCheck *check)
{
    const size_t done = graded(check);
    const double spent_s = now_s() - check->start_s;
    if (done <= check->known)
        progress_note(&check->progress, "%zu of %zu", done, check->wanted);
    else
        progress_note(&check->progress, "%zu of %zu, %zu survived, about %.0f s left", done, check->wanted,
                      check->counts[FATE_SURVIVED],
                      spent_s / (double)(done - check->known) * (double)(check->wanted - done));
}

/* A mutant that says nothing is replaced by the next one, so those that are `under_way` may still count. */
static Status judge_mutants(MutantCheck *check, Message *why)
{
    size_t asked = 0, under_way = 0;
    Status status = STATUS_OK;
    check->start_s = now_s();
    while (status == STATUS_OK) {
        const bool more = asked < check->pool.count && graded(check) + under_way < check->wanted;
        TrialDone done;
        bool answered;
        if (more && is_known(check, &check->pool.items[asked])) {
            asked++;
            continue;
        }
        if (more && mutant_trial_is_free(check->trial)) {
            const size_t file = check->pool.items[asked].file;
            status = mutant_trial_ask(check->trial, file, asked++, &check->codes[file], why);
            under_way++;
            continue;
        }
        show_progress(check);
        status = mutant_trial_wait(check->trial, &done, &answered, why);
        if (status != STATUS_OK || !answered)
            break;
        under_way--;
        status = count_outcome(check, &done, why);
    }
    return status;
}

static void print_counts(const MutantCheck *check)
{
    const size_t *counts = check->counts;
    printf("# mutants: %zu found, of these %zu by a timed case alone; %zu survived\n", found(check),
           counts[FATE_FOUND_IN_TIMED], counts[FATE_SURVIVED]);
    printf("# left out: %zu do not compile, %zu compile to the original's code, %zu need what the judge lacks, "
           "%zu are noted as equivalent\n",
           counts[FATE_REFUSED], counts[FATE_SAME_CODE], counts[FATE_BEYOND_JUDGE], check->pool.noted);
    if (check->known > 0)
        printf("# judged before: %zu of these\n", check->known);
}

bool check_mutants_are_wanted(const MutantCheck *check)
{
    return check->wanted > 0;
}

Status check_mutants_run(MutantCheck *check, Message *why)
{
    char outcome[100];
    fflush(stdout);
    progress_begin(&check->progress, "mutants", 0);
    Status status = judge_originals(check, why);
    if (status == STATUS_OK)
        status = judge_mutants(check, why);
    snprintf(outcome, sizeof outcome, "%zu of %zu found in %.0f s", found(check), graded(check),
             now_s() - check->start_s);
    progress_end(&check->progress, status == STATUS_OK ? outcome : "failed");
    if (status != STATUS_OK)
        return status;
    print_counts(check);
    if (check->counts[FATE_SURVIVED] == 0)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "a case for each survivor above, or a note at its line why it is right");
}
