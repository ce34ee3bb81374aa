#include "grader/result/hidden_finding.h"

#include "grader/check/checker.h"
#include "grader/result/wording.h"

#include <math.h>
#include <stdbool.h>

/* Adds what is known of the output, and what stands between that and the mistake. */
static void add_output(Text *out, const HiddenFinding *finding)
{
    const char *nature = wrong_nature_words(finding->output.nature);
    text_add(out, wrong_place_words(finding->output.place));
    if (nature[0] != '\0')
        text_printf(out, ": %s", nature);
    if (finding->output.place != WRONG_PLACE_NOWHERE && finding->mistake.kind != MISTAKE_NONE)
        text_add(out, "; ");
}

static Mistake mistake_of(const HiddenFinding *finding)
{
    Mistake mistake = finding->mistake;
    if (finding->output.place == WRONG_PLACE_NOWHERE && mistake.kind == MISTAKE_NONE)
        mistake.kind = MISTAKE_OTHER;
    return mistake;
}

void hidden_finding_add(Text *out, const HiddenFinding *finding, const Submission *submission)
{
    add_output(out, finding);
    wording_add_mistake(out, submission, mistake_of(finding));
}

void hidden_finding_add_kind(Text *out, const HiddenFinding *finding)
{
    add_output(out, finding);
    text_add(out, mistake_words(mistake_of(finding).kind));
}

double hidden_error(double max_error)
{
    return max_error > 0 && max_error <= HIDDEN_LARGEST_ERROR ? fmax(checker_coarse(max_error), HIDDEN_LEAST_ERROR) : 0;
}
