/* job_files.h - the temporary folder in which a job is judged: its source under its own name, and its results.  */
#ifndef SERVICE_WORKER_JOB_FILES_H
#define SERVICE_WORKER_JOB_FILES_H

#include "base/status.h"
#include "service/spool/spool_contents.h"

typedef struct JobFiles {
    char folder[4096];
    char source[4400], result[4200], explain[4200], verdicts[4200];
} JobFiles;

/* Makes the folder, and writes the source. It goes when the process ends, however that ends (scratch.h). */
MUST_USE Status job_files_make(const SpoolJob *job, JobFiles *files, Message *why);
void job_files_remove(const JobFiles *files);

/* The name for the source: the student's, unless that could be mistaken for something else. */
const char *job_file_name(const char *file_name);

#endif
