#include "service/client/remote_report.h"

#include "service/client/api_call.h"
#include "service/client/run_table.h"

#include <string.h>

Status remote_report_read(const Server *server, const RemoteSubmission *submission, Text *report, Message *why)
{
    text_add(report, "");
    if (submission->state != REMOTE_JUDGED)
        return STATUS_OK;
    return api_get_text(server, api_path("submissions/%lld/report", (long long)submission->number), report, why);
}

/* The report begins with the verdict, after empty lines. */
void remote_report_add(const RemoteSubmission *submission, const Text *report, TerminalStyle style, Text *out)
{
    const char *text = report->data;
    const size_t spaces = strspn(text, "\n"), length = strlen(submission->verdict);
    text_append(out, text, spaces);
    text += spaces;
    if (length > 0 && strncmp(text, submission->verdict, length) == 0) {
        run_table_add_state_cell(submission, terminal_columns(submission->verdict), style, out);
        text += length;
    }
    text_add_printable(out, text, strlen(text));
}
