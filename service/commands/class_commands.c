#include "service/commands/class_commands.h"

#include "grader/commands/command.h"
#include "service/course/class_read.h"
#include "service/course/scores.h"

Status command_grade_class_points(const Options *options, int *exit_status, Message *why)
{
    return command_grade(options, result_points, exit_status, why);
}

/* Behind those of the command line. */
static Status add_paths(const ClassFile *class_file, const char *key, const char *const *paths, size_t count,
                        OptionValues *values, Message *why)
{
    for (size_t i = 0; i < count; i++) {
        if (values->count == OPTION_MOST_VALUES)
            return fail(STATUS_BAD_INPUT, why, "%s: \"%s\" and the command line name more than %d paths",
                        class_file->path, key, OPTION_MOST_VALUES);
        values->items[values->count++] = paths[i];
    }
    return STATUS_OK;
}

Status command_similar_class(const Options *options, int *exit_status, Message *why)
{
    ClassFile class_file = {0};
    Options all = *options;
    if (options->class_file == NULL)
        return command_similar(options, exit_status, why);
    Status status = class_file_read(options->class_file, &class_file, why);
    if (status == STATUS_OK)
        status = class_file_check_paths(&class_file, why);
    if (status == STATUS_OK)
        status = add_paths(&class_file, "earlier", class_file.earlier, class_file.earlier_count, &all.earlier, why);
    if (status == STATUS_OK)
        status = add_paths(&class_file, "handed_out", class_file.handed_out, class_file.handed_out_count,
                           &all.handed_out, why);
    if (status == STATUS_OK)
        status = command_similar(&all, exit_status, why);
    class_file_free(&class_file);
    return status;
}
