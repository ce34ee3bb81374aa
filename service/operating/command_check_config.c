#include "service/operating/operating_commands.h"

#include "grader/problem/problem_list.h"
#include "grader/problem/problem_read.h"
#include "service/class/class_read.h"
#include "service/config/config.h"
#include "service/config/deadlines.h"

#include <stdio.h>

typedef struct ConfigCheck {
    Config config;
    Text text; /* what will be printed */
    int faults;
    double longest_s; /* of the deadlines of workers */
} ConfigCheck;

static void add_settings(ConfigCheck *check)
{
    const char *file = check->config.file;
    text_printf(&check->text, "%s%s\n", file == NULL ? "no configuration file; all settings by default" : file,
                file == NULL ? "" : ", with the defaults of what it leaves out");
    config_print(&check->config, &check->text);
    text_printf(&check->text,
                "\nA worker renews its lease every %d s and loses it after %g s.\n"
                "Deadlines of a judging in seconds, each longer than the one before it:\n%-24s %5s %9s %9s %9s %9s\n",
                DEADLINE_BEAT_S, check->config.lease_s, "problem", "mode", "compiler", "grading", "worker", "head");
}

static Status add_deadlines(ConfigCheck *check, const Problem *problem, JudgingMode mode, Message *why)
{
    Deadlines deadlines;
    Status status = deadlines_of(problem, mode, check->config.lease_s, &deadlines, why);
    if (status != STATUS_OK)
        return status;
    text_printf(&check->text, "%-24s %5s %9.0f %9.0f %9.0f %9.0f\n", problem->id, judging_mode_name(mode),
                deadlines.compile_s, deadlines.grading_s, deadlines.worker_s, deadlines.head_s);
    const char *fault = deadlines_fault(&deadlines, check->config.lease_s);
    if (fault != NULL)
        text_printf(&check->text, "    wrong: %s\n", fault);
    check->faults += fault != NULL;
    if (deadlines.worker_s > check->longest_s)
        check->longest_s = deadlines.worker_s;
    return STATUS_OK;
}

static Status check_problem(ConfigCheck *check, const char *id, Message *why)
{
    Problem problem;
    Status status = problem_read(id, &problem, why);
    if (status != STATUS_OK)
        return status;
    for (JudgingMode mode = 0; mode < JUDGING_MODES && status == STATUS_OK; mode++)
        status = add_deadlines(check, &problem, mode, why);
    problem_free(&problem);
    return status;
}

static Status check_problems(ConfigCheck *check, Message *why)
{
    Arena arena = {0};
    const char **ids;
    size_t count = 0;
    Status status = problem_list(&arena, &ids, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = check_problem(check, ids[i], why);
    arena_free(&arena);
    return status;
}

static Status check_class(ConfigCheck *check, Message *why)
{
    ClassFile class = {0};
    Arena arena = {0};
    size_t people;
    if (check->config.class_file == NULL)
        return STATUS_OK;
    Status status = class_file_read(check->config.class_file, &class, why);
    if (status == STATUS_OK) {
        class_people(&class, &arena, &people);
        text_printf(&check->text, "\nThe class: %zu assignment%s, %zu %s in groups, times of %s. Extensions: %zu.\n",
                    class.assignment_count, class.assignment_count == 1 ? "" : "s", people,
                    people == 1 ? "person" : "people", class.zone.name, class.extension_count);
    }
    class_file_free(&class);
    arena_free(&arena);
    return status;
}

/* A judging that takes longer than half of a pilot's time is begun by new pilots alone. */
static void add_pilots(ConfigCheck *check)
{
    const SlurmSettings *slurm = &check->config.slurm;
    if (check->config.engine != ENGINE_SLURM)
        return;
    const double half_s = 30.0 * (double)slurm->time_minutes;
    text_printf(
        &check->text, "\nA pilot of %lld minutes begins a judging until %.0f s before its end%s\n",
        (long long)slurm->time_minutes, check->longest_s < half_s ? check->longest_s : half_s,
        check->longest_s <= half_s
            ? "."
            : ".\nThe longest may take more than half of that; longer \"time_minutes\" would begin none in vain.");
}

Status command_check_config(const Options *options, int *exit_status, Message *why)
{
    ConfigCheck check = {0};
    if (options->operand_count > 1 || (options->operand_count == 1 && options->config != NULL))
        return options_expect_file(options, why);
    Status status = config_read(options->operand_count == 0 ? options->config : options->operands[0], &check.config,
                                why);
    if (status == STATUS_OK) {
        add_settings(&check);
        status = check_problems(&check, why);
        if (status == STATUS_OK)
            status = check_class(&check, why);
        add_pilots(&check);
        fputs(check.text.data, stdout);
        *exit_status = check.faults > 0;
    }
    text_free(&check.text);
    config_free(&check.config);
    return status;
}
