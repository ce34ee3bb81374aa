/* remote_report.h - the report of a judged submission, as the service keeps it: the text that `make grade` prints.  */
#ifndef SERVICE_CLIENT_REMOTE_REPORT_H
#define SERVICE_CLIENT_REMOTE_REPORT_H

#include "base/status.h"
#include "base/text.h"
#include "grader/terminal/terminal.h"
#include "service/client/remote_submission.h"
#include "service/client/server.h"

/* Reads the report; an empty text where the submission is not judged. */
MUST_USE Status remote_report_read(const Server *server, const RemoteSubmission *submission, Text *report,
                                   Message *why);
/* Adds it, printable, with its verdict in colour. */
void remote_report_add(const RemoteSubmission *submission, const Text *report, TerminalStyle style, Text *out);

#endif
