#include "service/worker/job_files.h"

#include "base/text.h"
#include "grader/problem/solution_source.h"
#include "harness/sandbox/scratch.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_BYTES = 200 };

/* Names that end with ".c" are of plain C, which no device judges, and those of patches of solutions, which students may not
 * hand in. */
const char *job_file_name(const char *file_name)
{
    size_t length = strlen(file_name);
    bool fits = length > 0 && length <= NAME_BYTES && strchr(file_name, '/') == NULL;
    bool harmless = file_name[0] != '-' && file_name[0] != '.';
    bool plain_c = length >= 2 && strcmp(file_name + length - 2, ".c") == 0;
    return fits && harmless && !plain_c && !patch_is_name(file_name) ? file_name : "submission.cu";
}

/* The source has a folder of its own, so that no name of a student is that of a result. */
static Status write_source(const SpoolJob *job, JobFiles *files, Message *why)
{
    char folder[sizeof files->folder + 10];
    Text text = {0};
    snprintf(folder, sizeof folder, "%s/source", files->folder);
    if (mkdir(folder, 0700) != 0)
        return fail_errno(why, "%s: cannot be made", folder);
    snprintf(files->source, sizeof files->source, "%s/%s", folder, job_file_name(job->file_name));
    text_add(&text, job->source);
    Status status = text_write_file(files->source, &text, why);
    text_free(&text);
    return status;
}

Status job_files_make(const SpoolJob *job, JobFiles *files, Message *why)
{
    *files = (JobFiles){0};
    Status status = scratch_new(files->folder, sizeof files->folder, why);
    if (status != STATUS_OK) {
        files->folder[0] = '\0';
        return status;
    }
    snprintf(files->result, sizeof files->result, "%s/result.json", files->folder);
    snprintf(files->explain, sizeof files->explain, "%s/explain.json", files->folder);
    snprintf(files->verdicts, sizeof files->verdicts, "%s/verdicts.json", files->folder);
    return write_source(job, files, why);
}

void job_files_remove(const JobFiles *files)
{
    if (files->folder[0] != '\0')
        scratch_remove(files->folder);
}
