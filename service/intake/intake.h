/* intake.h - finds what a class has handed in, in a folder of files or of folders as other systems export them.
 *
 * Names     export_name.h. A clone, `assignment-username`, belongs to what is left of its name without what the names of all
 *           clones beside it begin with, up to a '-', or without "assignment-" in a folder "assignment-submissions".
 * Folders   what lies directly in the folder is one person's each. A folder is opened as if it were the folder itself where it is
 *           called as `assignments` says, or is GitHub Classroom's "assignment-submissions", or the only entry and an export.
 *           Nothing deeper is: its names are the students'.
 * Archives  are unpacked, two deep (archive.h).
 * Links     symbolic ones and everything that is neither file nor folder are refused.  */
#ifndef SERVICE_INTAKE_INTAKE_H
#define SERVICE_INTAKE_INTAKE_H

#include "base/status.h"
#include "service/intake/intake_list.h"

typedef struct IntakeRules {
    const char *const *assignments; /* names of folders */
    size_t assignment_count;
    /* Who is in the class: "ada-2.cu" and "ada_conv.cu" are ada's if she is, and "ada-2" is not. */
    const char *const *people;
    size_t person_count;
} IntakeRules;

/* Nothing is written. Frees nothing of an earlier intake. NOT_FOUND, BAD_INPUT: it is no folder that can be read. */
MUST_USE Status intake_read(const char *folder, const IntakeRules *rules, Intake *intake, Message *why);

#endif
