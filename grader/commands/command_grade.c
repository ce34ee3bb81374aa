/* Judges a submission, or runs it on a case of its author's own, and finds sizes with which it fails. */
#include "base/paths.h"
#include "base/random.h"
#include "base/terminal.h"
#include "grader/commands/command.h"
#include "grader/commands/request.h"
#include "grader/judge/judge.h"
#include "grader/judge/result.h"
#include "grader/problem/key_stream.h"
#include "grader/problem/custom_case.h"
#include "grader/ranking/person.h"
#include "grader/ranking/ranking.h"
#include "grader/ranking/review.h"
#include "grader/report/explain.h"
#include "grader/report/explain_report.h"
#include "grader/report/look.h"
#include "grader/report/report.h"
#include "grader/report/trace.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ==== size search ================================================================================================= */

/* Finds sizes with which a submission fails, on random data of its author's own.
 *
 * Each case has a process of its own, as `convjudge try` gives it one, so that what is found fails there, too. Sizes are
 * drawn so that several blocks are needed, extents differ, and few are multiples of 32: cases of about a million operations
 * first, then smaller and larger ones. What fails is then made smaller, one size at a time, as long as it still fails. The
 * hidden cases have no part in it: the same sizes are drawn for each submission.  */

enum { SEARCH_BATCH = 6, DRAWS = 2000 };

typedef struct SizeSearch {
    const JudgeJob *job; /* problem, submission and device */
    uint64_t seed;       /* of the data */
    size_t most;         /* cases */
    CallBudget budget;   /* of all calls; no batch of cases begins when it is used up */
    Progress *progress;  /* may be NULL */
    size_t tried;
    bool is_found;
    Sizes failing;
} SizeSearch;

/* ---- running cases ----------------------------------------------------------------------------------------------- */

/* Runs the cases up to the first that fails. What the judge cannot run is no failure. */
static Status try_batch(SizeSearch *search, const Sizes *sizes, size_t count, bool *fails, Message *why)
{
    TestcaseSet set;
    Result result = {0};
    CallBudget spent = {0};
    JudgeJob job = {.problem = search->job->problem,
                    .submission = search->job->submission,
                    .cases = &set,
                    .spent = &spent,
                    .device = search->job->device,
                    .samples_only = true,
                    .finds_failure = true};
    TRY(custom_cases_of(job.problem, sizes, count, search->seed, &set, why));
    Status status = judge_submission(&job, &result, why);
    const CaseResult *failed = status == STATUS_OK ? result_failed_case(&result) : NULL;
    *fails = failed != NULL && failed->verdict != VERDICT_JUDGE_ERROR;
    if (*fails) {
        search->failing = failed->sizes;
        search->is_found = true;
    }
    search->budget.spent_s += spent.spent_s;
    search->budget.spent_instructions += spent.spent_instructions;
    for (size_t i = 0; i < result.case_count; i++)
        if (result.cases[i].judged) {
            search->tried++;
            progress_advance(search->progress);
        }
    result_free(&result);
    testcases_free(&set);
    return status;
}

static Status try_all(SizeSearch *search, const Sizes *sizes, size_t count, bool *fails, Message *why)
{
    Status status = STATUS_OK;
    *fails = false;
    for (size_t first = 0; first < count && status == STATUS_OK && !*fails; first += SEARCH_BATCH) {
        const size_t left = search->most - search->tried, batch = left < SEARCH_BATCH ? left : SEARCH_BATCH;
        if (left == 0 || call_budget_is_used_up(&search->budget))
            break;
        status = try_batch(search, sizes + first, count - first < batch ? count - first : batch, fails, why);
    }
    return status;
}

/* ---- drawing sizes ----------------------------------------------------------------------------------------------- */

/* The same numbers for everybody, in [0, 1). Source: Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators. */
static double drawn(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* A size of any magnitude, each as likely as the others. */
static int64_t draw_size(const Parameter *parameter, uint64_t *state)
{
    const double span = (double)(parameter->high - parameter->low) + 2;
    if (parameter->values != NULL)
        return parameter->values[(size_t)(drawn(state) * (double)parameter->value_count)];
    return parameter->low + (int64_t)exp(drawn(state) * log(span)) - 1;
}

static double draw_scalar(const Parameter *parameter, uint64_t *state)
{
    return (float)(parameter->least + drawn(state) * (parameter->most - parameter->least));
}

static void draw_sizes(const Problem *problem, uint64_t *state, Sizes *sizes)
{
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (problem->parameters[i].role == ROLE_SIZE)
            sizes->values[i] = draw_size(&problem->parameters[i], state);
        else if (problem->parameters[i].role == ROLE_SCALAR)
            sizes_set_scalar(sizes, i, draw_scalar(&problem->parameters[i], state));
}

/* Number `which` of the sizes to try; false: none were drawn that suit. */
static bool draw_candidate(const Problem *problem, size_t which, Sizes *sizes)
{
    static const double operations[] = {1e6, 1e5, 1e7, 1e4, 1e3};
    static const double MOST_BYTES = 1e8, WIDTH = 10;
    const double least = operations[which % (sizeof operations / sizeof *operations)];
    uint64_t state = which;
    for (int i = 0; i < DRAWS; i++) {
        int64_t count = 0, bytes = 0;
        *sizes = (Sizes){0};
        draw_sizes(problem, &state, sizes);
        if (sizes_check(problem, sizes, NULL) == STATUS_OK &&
            expression_evaluate(&problem->operations, sizes->values, &count, NULL) == STATUS_OK &&
            expression_evaluate(&problem->bytes, sizes->values, &bytes, NULL) == STATUS_OK &&
            (double)bytes <= MOST_BYTES && (double)count >= least && (double)count < WIDTH * least)
            return true;
    }
    return false;
}

/* One size is as large as it may be, and the others are as small: grids have limits, and so have 16-bit numbers. */
static bool extreme_candidate(const Problem *problem, size_t size, Sizes *sizes)
{
    const double MOST_OPERATIONS = 1e9;
    int64_t operations = 0;
    *sizes = (Sizes){0};
    for (size_t i = 0; i < problem->parameter_count; i++)
        sizes->values[i] = i == size ? problem->parameters[i].high : problem->parameters[i].low;
    return problem->parameters[size].role == ROLE_SIZE && sizes_check(problem, sizes, NULL) == STATUS_OK &&
           expression_evaluate(&problem->operations, sizes->values, &operations, NULL) == STATUS_OK &&
           (double)operations <= MOST_OPERATIONS;
}

/* ---- making what fails smaller ----------------------------------------------------------------------------------- */

static bool is_listed(const Sizes *list, size_t count, const Sizes *sizes)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(&list[i], sizes, sizeof *sizes) == 0)
            return true;
    return false;
}

/* Lists smaller numbers for one of the sizes, the smallest first. */
static size_t list_smaller(const SizeSearch *search, size_t size, Sizes list[])
{
    static const double shares[] = {0.02, 0.1, 0.25, 0.5, 0.75, 0.9};
    const Problem *problem = search->job->problem;
    const int64_t low = problem->parameters[size].low, now = search->failing.values[size];
    const size_t share_count = sizeof shares / sizeof *shares;
    size_t count = 0;
    for (size_t i = 0; i < share_count + 5; i++) {
        Sizes smaller = search->failing;
        smaller.values[size] = i < 3                 ? low + (int64_t)i
                               : i < 3 + share_count ? low + (int64_t)(shares[i - 3] * (double)(now - low))
                                                     : now - 2 + (int64_t)(i - 3 - share_count);
        const int64_t value = smaller.values[size];
        if (value < now && (count == 0 || value > list[count - 1].values[size]) &&
            sizes_check(problem, &smaller, NULL) == STATUS_OK && !is_listed(list, count, &smaller))
            list[count++] = smaller;
    }
    return count;
}

static Status make_smaller(SizeSearch *search, Message *why)
{
    enum { MOST_ROUNDS = 8, MOST_LISTED = 16 };
    const Problem *problem = search->job->problem;
    Status status = STATUS_OK;
    bool is_smaller = true;
    for (int round = 0; round < MOST_ROUNDS && is_smaller; round++) {
        is_smaller = false;
        for (size_t i = 0; i < problem->parameter_count && status == STATUS_OK; i++) {
            Sizes list[MOST_LISTED];
            bool fails = false;
            if (problem->parameters[i].role == ROLE_SIZE)
                status = try_all(search, list, list_smaller(search, i, list), &fails, why);
            is_smaller = is_smaller || fails;
        }
    }
    return status;
}

/* Tries `count` sizes that are drawn, and then, if `with_extremes`, those at the limits of the statement. */
static Status search_sizes(SizeSearch *search, size_t count, bool with_extremes, Message *why)
{
    const Problem *problem = search->job->problem;
    Sizes *const list = zeroed(count + problem->parameter_count, sizeof *list);
    size_t listed = 0;
    bool fails;
    for (size_t i = 0; i < count; i++)
        listed += draw_candidate(problem, i, &list[listed]);
    for (size_t i = 0; i < problem->parameter_count && with_extremes; i++)
        listed += extreme_candidate(problem, i, &list[listed]);
    Status status = try_all(search, list, listed, &fails, why);
    free(list);
    return status == STATUS_OK && search->is_found ? make_smaller(search, why) : status;
}

/* ---- the command that shows it ----------------------------------------------------------------------------------- */

static void add_setting(Text *out, const char *name, const char *value)
{
    if (value == NULL)
        return;
    text_printf(out, " %s", name);
    text_add_word(out, value);
}

/* The command uses make in the folder of the judge's Makefile, and `make -C` elsewhere. */
static void add_try_command(const Options *options, const Problem *problem, const Sizes *sizes, uint64_t seed,
                            Text *out)
{
    char path[PATH_MAX], home[PATH_MAX], here[PATH_MAX], number[30];
    const char *stand = paths_variable("STAND");
    Text text = {0};
    Message ignored;
    sizes_add_options(&text, problem, sizes);
    snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
    const bool has_make = paths_home("Makefile", path, sizeof path, &ignored) == STATUS_OK && access(path, R_OK) == 0 &&
                          paths_home("", path, sizeof path, &ignored) == STATUS_OK && realpath(path, home) != NULL;
    if (has_make) {
        const bool is_there = realpath(stand == NULL ? "." : stand, here) != NULL && strcmp(here, home) == 0;
        text_add(out, "make");
        add_setting(out, "-C ", is_there ? NULL : home);
        add_setting(out, "try SUB=", options->operands[0]);
        text_printf(out, " SIZES=%s", text.data);
        add_setting(out, "SEED=", number);
        add_setting(out, "PROBLEM=", options->problem);
        add_setting(out, "DEVICE=", options->device);
        add_setting(out, "UNCONFINED=", options->unconfined ? "1" : NULL);
    } else {
        text_printf(out, "convjudge try --sizes %s", text.data);
        add_setting(out, "--seed ", number);
        add_setting(out, "--problem ", options->problem);
        add_setting(out, "--device ", options->device);
        text_add(out, options->unconfined ? " --unconfined" : "");
        add_setting(out, "-- ", options->operands[0]);
    }
    text_add(out, "\n");
    text_free(&text);
}

/* ==== command try ================================================================================================= */

/* A case of the author's own, or the samples alone. Nothing is recorded, so the author may know everything about the data. */

/* Larger ones are hard to type again. */
enum { DRAWN_SEEDS = 1000000, MOST_SEED = 1000000000 };

typedef struct Trying {
    const Options *options;
    Request request;
    uint64_t seed;
    TestcaseSet set; /* with --sizes, or with sizes that were found */
    SizeSearch search;
    Result result;
} Trying;

static Status try_choose_seed(const Options *options, uint64_t *seed, Message *why)
{
    int64_t chosen = 0;
    if (options->seed == NULL) {
        uint32_t drawn = 0;
        Status status = random_bytes(&drawn, sizeof drawn, why);
        *seed = drawn % DRAWN_SEEDS;
        return status;
    }
    Status status = options_number(options, "--seed", options->seed, 0, MOST_SEED, &chosen, why);
    *seed = (uint64_t)chosen;
    return status;
}

static Status make_case(Trying *trying, Message *why)
{
    const Options *options = trying->options;
    if (options->find && (options->sizes != NULL || options->data != NULL))
        return fail(STATUS_BAD_INPUT, why, "try: '--find' looks for sizes itself: expected no '--%s'",
                    options->sizes != NULL ? "sizes" : "data");
    if (options->sizes == NULL) {
        const char *other = options->seed != NULL && !options->find ? "seed" : options->data != NULL ? "data" : NULL;
        return other == NULL
                   ? STATUS_OK
                   : fail(STATUS_BAD_INPUT, why, "%s: '--%s' needs '--sizes': the samples have data of their own",
                          options->subcommand, other);
    }
    const CustomCase own = {.sizes = options->sizes, .data = options->data, .seed = trying->seed};
    Message unfit;
    Status status = custom_case_make(&trying->request.problem, &own, &trying->set, &unfit);
    return status == STATUS_OK ? status : fail(status, why, "%s: %s", options->subcommand, unfit.text);
}

static Status try_check_request(Trying *trying, Message *why)
{
    TRY(request_read(trying->options, &trying->request, why));
    TRY(try_choose_seed(trying->options, &trying->seed, why));
    return make_case(trying, why);
}

static JudgeJob try_job(Trying *trying, Progress *progress)
{
    return (JudgeJob){
        .problem = &trying->request.problem,
        .submission = &trying->request.submission,
        .cases = trying->set.count == 0 ? NULL : &trying->set,
        .device = request_device(trying->options),
        .samples_only = true,
        .second_opinion = !trying->options->no_second_opinion,
        .progress = progress,
    };
}

static Status try_judge_file(Trying *trying, Progress *progress, Message *why)
{
    const JudgeJob job = try_job(trying, progress);
    return judge_submission(&job, &trying->result, why);
}

/* Judges the case that was found, in place of the samples. */
static Status judge_found(Trying *trying, Progress *progress, Message *why)
{
    const Problem *problem = &trying->request.problem;
    TRY(custom_cases_of(problem, &trying->search.failing, 1, trying->seed, &trying->set, why));
    result_free(&trying->result);
    trying->result = (Result){0};
    return try_judge_file(trying, progress, why);
}

/* Looks for sizes that fail where the samples do not. */
static Status try_find(Trying *trying, Progress *progress, Message *why)
{
    enum { CANDIDATES = 200, MOST_CASES = 1000 };
    const CallBudget most = {.seconds = 60, .warp_instructions = 2000000000};
    const JudgeJob job = try_job(trying, NULL);
    SizeSearch *search = &trying->search;
    char outcome[100];
    *search = (SizeSearch){.job = &job, .seed = trying->seed, .most = MOST_CASES, .budget = most, .progress = progress};
    if (!trying->options->find || trying->result.verdict != VERDICT_ACCEPTED)
        return STATUS_OK;
    progress_begin(progress, "sizes", 0);
    Status status = search_sizes(search, CANDIDATES, true, why);
    snprintf(outcome, sizeof outcome, "%zu tried, %s", search->tried, search->is_found ? "found" : "none fails");
    progress_end(progress, status == STATUS_OK ? outcome : "failed");
    return status == STATUS_OK && search->is_found ? judge_found(trying, progress, why) : status;
}

static void add_search(const Trying *trying, Text *out)
{
    const SizeSearch *search = &trying->search;
    if (search->is_found) {
        text_printf(out, "  the smallest sizes found that fail, of %zu tried; once more:\n    ", search->tried);
        add_try_command(trying->options, &trying->request.problem, &search->failing, trying->seed, out);
    } else if (search->tried > 0) {
        text_printf(out, "  none of %zu other sizes fails, with random data (SEED=%llu)\n", search->tried,
                    (unsigned long long)trying->seed);
    }
}

static Status write_result(const Trying *trying, Message *why)
{
    Text more = {0};
    if (trying->options->sizes != NULL)
        text_printf(&more,
                    trying->options->data == NULL
                        ? "  the data: random ones with SEED=%llu, which repeats them\n"
                        : "  the data: what no file gives is random, with SEED=%llu, which repeats it\n",
                    (unsigned long long)trying->seed);
    add_search(trying, &more);
    Status status = request_write(&trying->request, trying->options, &trying->result,
                                  more.data == NULL ? "" : more.data, why);
    text_free(&more);
    return status;
}

static Status try_once(const Options *options, int *exit_status, Message *why)
{
    Trying trying = {.options = options};
    Progress progress = progress_new(stderr);
    Status status = try_check_request(&trying, why);
    THEN(status, try_judge_file(&trying, &progress, why));
    THEN(status, try_find(&trying, &progress, why));
    THEN(status, write_result(&trying, why));
    if (status == STATUS_OK)
        *exit_status = verdict_exit_status(trying.result.verdict);
    result_free(&trying.result);
    testcases_free(&trying.set);
    request_free(&trying.request);
    return status;
}

/* ---- again and again --------------------------------------------------------------------------------------------- */

/* Equal as long as nobody has written the file, or put another one in its place as many editors do. */
typedef struct FileState {
    ino_t inode; /* 0: there is no file */
    off_t bytes;
    struct timespec written;
} FileState;

static FileState file_state(const char *path)
{
    struct stat found;
    FileState state = {0};
    if (stat(path, &found) == 0)
        state = (FileState){.inode = found.st_ino, .bytes = found.st_size, .written = found.st_mtim};
    return state;
}

static bool is_same_state(const FileState *a, const FileState *b)
{
    return a->inode == b->inode && a->bytes == b->bytes && a->written.tv_sec == b->written.tv_sec &&
           a->written.tv_nsec == b->written.tv_nsec;
}

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
    is_interrupted = true;
}

/* Returns when the file is another than `judged` and nobody is writing it any more, or at Ctrl-C, which at other times ends the
 * judging at once. Looks at the file itself, since a network's file system sends no events. */
static void wait_for_change(const char *path, FileState judged)
{
    const struct timespec pause = {.tv_nsec = 300000000};
    const struct sigaction noting = {.sa_handler = interrupt};
    struct sigaction before;
    FileState last = judged;
    sigaction(SIGINT, &noting, &before);
    for (bool is_ready = false; !is_ready && !is_interrupted;) {
        nanosleep(&pause, NULL);
        const FileState now = file_state(path);
        is_ready = now.inode != 0 && !is_same_state(&now, &judged) && is_same_state(&now, &last);
        last = now;
    }
    sigaction(SIGINT, &before, NULL);
}

/* The lines around each judging are those that the kit's tasks.json waits for. */
static Status try_again_and_again(const Options *options, int *exit_status, Message *why)
{
    const char *path = options->operands[0];
    Status status = options_expect_file(options, why);
    for (bool is_first = true; status == STATUS_OK && !is_interrupted; is_first = false) {
        const FileState judged = file_state(path);
        printf("\njudging %s\n", path);
        fflush(stdout);
        if (is_first)
            status = try_once(options, exit_status, why);
        else if (try_once(options, exit_status, why) != STATUS_OK)
            fprintf(stderr, "convjudge: %s\n", why->text);
        if (status == STATUS_OK) {
            printf("waiting for changes of %s; Ctrl-C ends\n", path);
            fflush(stdout);
            wait_for_change(path, judged);
        }
    }
    return status;
}

Status command_try(const Options *options, int *exit_status, Message *why)
{
    return options->watch ? try_again_and_again(options, exit_status, why) : try_once(options, exit_status, why);
}

/* ==== command trace =============================================================================================== */

static bool is_simulated(const char *device)
{
    return device == NULL || strcmp(device, "sim") == 0 || strncmp(device, "sim:", 4) == 0;
}

/* A submission without an output, or without a wrong one, gets its report. */
static Status write_traces(const Trying *trying, TraceList *list, Message *why)
{
    const char *json = trying->options->json;
    const TerminalStyle style = terminal_style(stdout);
    const TraceViews views = trace_views(list);
    Text text = {0};
    if (json != NULL)
        record_print(&trace_table, &views, &text);
    else if (views.count == 0)
        report_write(&trying->result, style, &text);
    for (size_t i = 0; i < views.count && json == NULL; i++) {
        text_add(&text, i == 0 ? "" : "\n");
        trace_write(&views.items[i], style, &text);
    }
    if (views.count == 0 && json == NULL && trying->result.verdict == VERDICT_ACCEPTED)
        text_add(&text,
                 "  No element is wrong here. Look for sizes that fail with `try --find` (FIND=1 with make), and\n"
                 "  trace those; or name an element with --output (OUTPUT= with make).\n");
    Status status = json_target_write(json != NULL ? json : "-", &text, why);
    text_free(&text);
    return status;
}

Status command_trace(const Options *options, int *exit_status, Message *why)
{
    Trying trying = {.options = options};
    TraceList list = {0};
    Progress progress = progress_new(stderr);
    Status status = is_simulated(options->device)
                        ? try_check_request(&trying, why)
                        : fail(STATUS_BAD_INPUT, why, "trace: --device %s: expected sim[:PROFILE]", options->device);
    const TraceWish wish = {.output = options->output,
                            .cases = trying.set.count == 0 ? NULL : &trying.set,
                            .device = options->device == NULL ? "sim" : options->device,
                            .progress = &progress};
    if (status == STATUS_OK)
        status = trace_run(&trying.request.problem, &trying.request.submission, &wish, &trying.result, &list, why);
    if (status == STATUS_OK)
        status = write_traces(&trying, &list, why);
    if (status == STATUS_OK)
        *exit_status = list.count == 1 ? list.items[0].is_wrong : verdict_exit_status(trying.result.verdict);
    trace_free(&list);
    result_free(&trying.result);
    testcases_free(&trying.set);
    request_free(&trying.request);
    return status;
}

/* ==== command look ================================================================================================ */

/* The timed case that --case names, else the one with the fewest operations: what warps ask for hardly differs. */
static Status choose_timed_case(const Trying *trying, CaseChoice *choice, Message *why)
{
    const Problem *problem = &trying->request.problem;
    TestcaseSet set;
    int64_t least = INT64_MAX;
    TRY(case_choice_read(problem, trying->options->timed_case, choice, why));
    if (choice->number > 0)
        return STATUS_OK;
    TRY(testcases_read(problem, &set, why));
    for (size_t i = 0; i < set.count; i++)
        if (set.cases[i].group == CASE_TIMED && set.cases[i].operations < least) {
            least = set.cases[i].operations;
            snprintf(choice->name, sizeof choice->name, "%s", set.cases[i].name);
        }
    testcases_free(&set);
    return STATUS_OK;
}

static Status read_line(const Options *options, const LookView *view, int *line, Message *why)
{
    int64_t number = view->hottest_line;
    TRY(options_number(options, "--line", options->line, 1, INT_MAX, &number, why));
    *line = (int)number;
    return options->line == NULL || look_has_line(view, *line)
               ? STATUS_OK
               : fail(STATUS_BAD_INPUT, why,
                      "look: no access to memory was seen in line %s of the file; the one with most is %d",
                      options->line, view->hottest_line);
}

static Status write_look(const Trying *trying, const LookView *view, Message *why)
{
    const Options *options = trying->options;
    const Submission *submission = &trying->request.submission;
    const char *source = submission->source.data;
    Text text = {0};
    int line;
    TRY(read_line(options, view, &line, why));
    if (options->json != NULL)
        record_print(&look_table, view, &text);
    else
        look_write(view, source, line, terminal_style(stdout), &text);
    Status status = json_target_write(options->json != NULL ? options->json : "-", &text, why);
    text_free(&text);
    if (status == STATUS_OK && options->page != NULL)
        status = look_page(view, submission->file_name, source, line, &text, why);
    if (status == STATUS_OK && options->page != NULL)
        status = text_write_file(options->page, &text, why);
    text_free(&text);
    return status;
}

static Status view_profile(const Trying *trying, const ExecutionProfile *profile, Message *why)
{
    const Result *result = &trying->result;
    HardwareProfile hardware;
    Explanation explanation;
    Listing listing;
    LookView view;
    Arena arena = {0};
    const Text *source = &trying->request.submission.source;
    TRY(explain_hardware(result->device.handle, &hardware, why));
    explain(profile, &hardware, 0, &explanation);
    listing_make(&result->compiled, 10 * result->device.compute_major + result->device.compute_minor,
                 (size_t)text_line_at(source->data, source->length), &listing);
    look_view(&(Look){.problem = &trying->request.problem,
                      .sizes = result->cases[0].sizes,
                      .case_name = result->cases[0].name,
                      .explanation = &explanation,
                      .listing = &listing},
              &arena, &view);
    Status status = write_look(trying, &view, why);
    listing_free(&listing);
    explanation_free(&explanation);
    arena_free(&arena);
    return status;
}

/* The sample with most operations. */
static const Testcase *largest_sample(const TestcaseSet *set)
{
    const Testcase *largest = NULL;
    for (size_t i = 0; i < set->count; i++)
        if (set->cases[i].group == CASE_SAMPLE && (largest == NULL || set->cases[i].operations > largest->operations))
            largest = &set->cases[i];
    return largest;
}

/* Of cases of one's own, or the samples, one is run. */
static Status look_inside(Trying *trying, ExecutionProfile *profiles, Progress *progress, Message *why)
{
    CaseChoice choice = {.number = 0};
    Testcase one;
    if (trying->options->sample && trying->set.count == 0)
        TRY(testcases_read(&trying->request.problem, &trying->set, why));
    const Testcase *own = trying->options->sample ? largest_sample(&trying->set) : trying->set.cases;
    const bool is_own = trying->set.count > 0 && own != NULL;
    if (is_own)
        one = *own;
    else
        TRY(choose_timed_case(trying, &choice, why));
    const TestcaseSet only = {.cases = &one, .count = 1};
    const JudgeJob job = {.problem = &trying->request.problem,
                          .submission = &trying->request.submission,
                          .cases = is_own ? &only : NULL,
                          .device = trying->options->device == NULL ? "sim" : trying->options->device,
                          .samples_only = is_own,
                          .timed_only = !is_own,
                          .only_timed_case = is_own ? NULL : choice.name,
                          .profiles = profiles,
                          .progress = progress};
    TRY(judge_submission(&job, &trying->result, why));
    const Result *result = &trying->result;
    return result->case_count == 0 || profiles->kernel_count == 0
               ? request_write(&trying->request, trying->options, result, "", why)
               : view_profile(trying, profiles, why);
}

Status command_look(const Options *options, int *exit_status, Message *why)
{
    Trying trying = {.options = options};
    Progress progress = progress_new(stderr);
    ExecutionProfile *profiles = zeroed(JOB_MAX_PROFILES, sizeof *profiles);
    Status status = is_simulated(options->device)
                        ? try_check_request(&trying, why)
                        : fail(STATUS_BAD_INPUT, why, "look: --device %s: expected sim[:PROFILE]", options->device);
    if (status == STATUS_OK)
        status = json_target_check(options->page, options->operands[0], why);
    if (status == STATUS_OK)
        status = look_inside(&trying, profiles, &progress, why);
    if (status == STATUS_OK)
        *exit_status = verdict_exit_status(trying.result.verdict);
    free(profiles);
    result_free(&trying.result);
    testcases_free(&trying.set);
    request_free(&trying.request);
    return status;
}

/* ==== command grade =============================================================================================== */

typedef struct GradeCommand {
    const Options *options;
    ClassPoints points;
    bool recorded;
    bool file_is_at_fault; /* if the grading fails */
    GeneratorKey seed;     /* if --seed is given */
    char person[PERSON_MAX_BYTES + 1];
    Request request;
    Store *store;          /* NULL: there is no database to read, and nothing will be recorded */
    References references; /* filled in when an anchor is chosen */
    Progress progress;
    CallBudget spent;
    Result result;
} GradeCommand;

/* Where nothing is recorded, a database that cannot be read is no error: the report lacks the percentile in the class. */
static Status open_store(GradeCommand *grading, Message *why)
{
    Message unfit;
    if (grading->recorded) {
        Status status = ranking_open(STORE_WRITE, &grading->store, &unfit);
        return status == STATUS_OK ? status
                                   : fail(status, why,
                                          "%s; to judge without keeping the run: --no-record; to keep it elsewhere: "
                                          "CONVJUDGE_DB=FILE",
                                          unfit.text);
    }
    if (ranking_open(STORE_READ, &grading->store, NULL) != STATUS_OK)
        grading->store = NULL;
    return STATUS_OK;
}

/* A run with a known seed could contain the answers, so it is not recorded. */
static Status choose_seed(GradeCommand *grading, Message *why)
{
    const char *seed = grading->options->seed;
    grading->recorded = !grading->options->no_record && !grading->options->untimed && seed == NULL;
    if (seed != NULL && !key_read(seed, &grading->seed))
        return fail(
            STATUS_BAD_INPUT, why,
            "grade: option '--seed': expected the 64 hexadecimal digits of \"seed\" in a result.json, found '%s'",
            seed);
    return STATUS_OK;
}

/* Checks everything that can be wrong with the request, before minutes of judging. */
static Status check_request(GradeCommand *grading, Message *why)
{
    const Options *options = grading->options;
    TRY(choose_seed(grading, why));
    TRY(person_choose(options->person, grading->person, why));
    Status status = request_read(options, &grading->request, why);
    THEN(status, json_target_check(options->all_cases, options->operands[0], why));
    grading->file_is_at_fault = status != STATUS_OK;
    return status == STATUS_OK ? open_store(grading, why) : status;
}

/* There is no anchor where no times are stored yet (this run, or the next, will take them), and none in a student's
 * kit, which has the times of the reference solutions but not their sources. */
static const Submission *choose_anchor(void *context, const DeviceInfo *device)
{
    GradeCommand *grading = context;
    const Board board = {.problem = grading->request.problem.id,
                         .revision = grading->request.problem.revision.hex,
                         .device = device->id,
                         .epoch = device->epoch};
    Message ignored;
    if (grading->references.count == 0 && ranking_references(grading->store, &grading->request.problem, &board,
                                                             &grading->references, &ignored) != STATUS_OK)
        return NULL;
    const Reference *anchor = references_anchor(&grading->references);
    return anchor == NULL || anchor->submission.source.length == 0 ? NULL : &anchor->submission;
}

static JudgeJob job_of(GradeCommand *grading)
{
    return (JudgeJob){
        .problem = &grading->request.problem,
        .submission = &grading->request.submission,
        .secret = grading->options->seed != NULL ? &grading->seed : NULL,
        .device = request_device(grading->options),
        .untimed_only = grading->options->untimed,
        .all_cases = grading->options->all_cases != NULL || grading->options->class_file != NULL,
        .second_opinion = !grading->options->no_second_opinion,
        .spent = &grading->spent,
        .progress = &grading->progress,
        .anchor = choose_anchor,
        .context = grading,
    };
}

static Status judge_file(GradeCommand *grading, Message *why)
{
    const JudgeJob job = job_of(grading);
    return judge_submission(&job, &grading->result, why);
}

/* Whether other data may show what failed: not what an earlier call has left, nor what takes too long. */
static bool has_way_out(const Result *result)
{
    const CaseResult *failed = result_failed_case(result);
    if (failed == NULL || failed->group != CASE_HIDDEN || failed->verdict == VERDICT_JUDGE_ERROR ||
        failed->verdict == VERDICT_TIME_LIMIT_EXCEEDED)
        return false;
    const WrongNature nature = failed->finding.output.nature;
    return nature != WRONG_NATURE_LEFT_OVER && nature != WRONG_NATURE_STALE;
}

/* A hidden case failed, and nothing but its kind of mistake may be told. A case that shows everything is looked for, and
 * tried before it is named. On a simulated GPU the work of the calls ends the search, however busy the machine is, so that
 * each grading of a file finds the same. A failure of the judge leaves the report as it is. */
static void find_way_out(GradeCommand *grading)
{
    enum { CANDIDATES = 15, MOST_CASES = 40, SEED = 1 };
    /* The cases have 3.3e8 operations together at most, for which a plain kernel takes 3e7 warp-instructions. */
    const CallBudget most = {.seconds = grading->result.device.modelled ? 15 : 4, .warp_instructions = 300000000};
    const JudgeJob job = job_of(grading);
    Result *result = &grading->result;
    SizeSearch search = {.job = &job, .seed = SEED, .most = MOST_CASES, .budget = most};
    Text text = {0};
    Message ignored;
    if (!has_way_out(result) || search_sizes(&search, CANDIDATES, false, &ignored) != STATUS_OK)
        return;
    text_add(&text, "  The numbers of hidden cases stay hidden, so that nobody can reconstruct them. ");
    if (!search.is_found) {
        text_printf(&text, "The judge tried %zu other cases, and all were right.\n", search.tried);
    } else if (grading->progress.lines || grading->options->gradescope != NULL) { /* nobody reads it here */
        text_add(&text, "These sizes fail, too:\n    ");
        sizes_add_options(&text, job.problem, &search.failing);
        text_add(&text, "\n");
    } else {
        text_add(&text, "This case fails, too:\n    ");
        add_try_command(grading->options, job.problem, &search.failing, search.seed, &text);
    }
    result->way_out = arena_string(&result->arena, text.data);
    text_free(&text);
}

static void decide_rank(const GradeCommand *grading, bool recorded, Result *result)
{
    ranking_decide(result, recorded);
    if (grading->options->untimed && result->verdict == VERDICT_ACCEPTED)
        snprintf(result->rank_status, sizeof result->rank_status, "not ranked: without timed cases (--untimed)");
}

/* A result that would rank is reviewed first, which needs the times of the reference solutions. The run is recorded before
 * it is reported, so that nothing reported can be lost. */
static Status rank_result(GradeCommand *grading, Message *why)
{
    Result *result = &grading->result;
    const bool recorded = grading->recorded && !result->on_cpu, compared = result->score.ms > 0 && !result->on_cpu;
    const JudgeJob job = job_of(grading);
    Status status = STATUS_OK;
    result->person = grading->person;
    decide_rank(grading, recorded, result);
    if (compared)
        status = ranking_compare(grading->store, recorded, job.device, job.progress, result, why);
    if (status == STATUS_OK && strcmp(result->rank_status, "ranked") == 0)
        status = review_result(grading->store, &job, result, why);
    if (status == STATUS_OK && recorded)
        status = ranking_record(grading->store, grading->request.submission.source.data, result, why);
    if (status == STATUS_OK && compared && grading->store != NULL)
        status = ranking_place(grading->store, result, why);
    return status;
}

static Status write_verdicts(const GradeCommand *grading, Message *why)
{
    Text text = {0};
    if (grading->options->all_cases == NULL)
        return STATUS_OK;
    case_verdicts_json(&grading->result, &text);
    Status status = json_target_write(grading->options->all_cases, &text, why);
    text_free(&text);
    return status;
}

static void free_grading(GradeCommand *grading)
{
    result_free(&grading->result);
    references_free(&grading->references);
    store_close(grading->store);
    request_free(&grading->request);
}

static Status grade(GradeCommand *grading, Message *why)
{
    TRY(check_request(grading, why));
    TRY(judge_file(grading, why));
    find_way_out(grading);
    TRY(rank_result(grading, why));
    TRY(write_verdicts(grading, why));
    TRY(request_exchange(grading->options, &grading->result, grading->points, why));
    return request_write(&grading->request, grading->options, &grading->result, "", why);
}

Status command_grade(const Options *options, ClassPoints points, int *exit_status, Message *why)
{
    GradeCommand grading = {.options = options, .points = points, .progress = progress_new(stderr)};
    const ExchangeFiles files = request_exchange_files(options);
    ExchangeFailure failure = {0};
    TRY(options_expect_file(options, why));
    TRY(exchange_check(&files, options->operands[0], why));
    TRY(request_check_class(options, points, why));
    Status status = failure.status = grade(&grading, &failure.reason);
    failure.fault = grading.file_is_at_fault ? FAULT_OF_FILE : FAULT_OF_JUDGE;
    if (status == STATUS_OK)
        *exit_status = verdict_exit_status(grading.result.verdict);
    else
        status = exchange_fail(&files, &failure, why);
    free_grading(&grading);
    return status;
}
