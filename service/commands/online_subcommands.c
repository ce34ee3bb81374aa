#include "service/commands/command_line.h"

#include <stddef.h>

const Subcommand online_subcommands[] = {
    {"serve", NULL, WITHOUT_SANDBOX,
     "convjudge serve [--config FILE] [--state DIR] [--listen ADDRESS:PORT] [--socket PATH]\n"
     "                [--engine workers|slurm] [--trial]\n"
     "    Runs the service: takes submissions, hands them to workers, keeps and shows what they find. Ends on SIGTERM.\n"
     "    --config FILE    the settings (docs/operating.md); default: /etc/convjudge/config.json if it exists\n"
     "    --state DIR      the folder of database and spool, on a local disk\n"
     "    --listen ADDRESS:PORT  where browsers and tokens come in; \"\": nowhere\n"
     "    --socket PATH    where users of this host come in\n"
     "    --engine ENGINE  who judges: workers of this host, or batch jobs of Slurm; default: what the settings say\n"
     "    --trial          make the accounts student and teacher, and print a token for each\n"},
    {"grade-class", NULL, WITH_SANDBOX,
     "convjudge grade-class --dir DIR [--class FILE] [--problem ID] [--state DIR] [--device DEVICE] [--json FILE|-]\n"
     "                      [--unconfined]\n"
     "    Judges all that a class has handed in: a folder of files or of folders as Moodle, Canvas, Gradescope and GitHub\n"
     "    Classroom export them. Started again, it goes on where it was. Exit status 1: something was refused.\n"
     "    --dir DIR        the folder (docs/teaching.md)\n"
     "    --class FILE     class.json, which says what may be handed in\n"
     "    --problem ID     all files are for this problem; default: what each says, else the only one of the class\n"
     "    --state DIR      where the results go; default: FILE or DIR with .state at its end. That of a server that runs:\n"
     "                     then this server judges\n"
     "    --device DEVICE  auto, cuda (all GPUs), cuda:N, sim[:PROFILE] (one worker for each core)\n"},
    {"token", NULL, WITHOUT_SANDBOX,
     "convjudge token add NAME [--role student|teacher|admin] [--hand-in-only] [--state DIR] [--config FILE]\n"
     "convjudge token revoke NAME [--state DIR] [--config FILE]\n"
     "    Makes a token for a person, who is added where there is nobody of that name, and shows it once; or makes all\n"
     "    tokens and logins of a person worthless.\n"
     "    --hand-in-only   the token hands in for students and sees what becomes of that, and may nothing else: for a kit\n"
     "                     of Gradescope\n"},
    {"backup", NULL, WITHOUT_SANDBOX,
     "convjudge backup [--state DIR] [--config FILE] FILE\n"
     "    Copies the database of the service to a new FILE, also while it runs.\n"},
    {"rejudge", NULL, WITHOUT_SANDBOX,
     "convjudge rejudge --problem ID [--since TIME] [--runs N,...] --why TEXT [--json FILE|-] [--state DIR] [--config FILE]\n"
     "convjudge rejudge --list|--batch N|--apply N|--drop N [--json FILE|-] [--state DIR] [--config FILE]\n"
     "    Lets the server judge submissions again while nothing fresh waits: a batch, which changes nothing that anybody\n"
     "    sees until it is applied.\n"
     "    --problem ID     begin a batch with all that was handed in for the ranking of this problem\n"
     "    --since TIME     only what was handed in then or later: 2026-01-31T12:00:00Z\n"
     "    --runs LIST      only these submissions, by their numbers: 3,5,8\n"
     "    --why TEXT       the reason, for all who look at a run that was replaced\n"
     "    --list           all batches, newest first\n"
     "    --batch N        how far a batch is, and what it would change: verdicts, times, ranks\n"
     "    --apply N        let all of it count, at once\n"
     "    --drop N         give it up\n"},
    {"submit", NULL, WITHOUT_SANDBOX,
     "convjudge submit [--problem ID] [--mode try|test|rank] [--sizes NAME=N,...] [--wait] [--minutes N] [--as NAME]\n"
     "                 [--json FILE|-] [--gradescope FILE] [--junit FILE] [--server URL|SOCKET] FILE\n"
     "    Hands a CUDA source file in to a server. With --wait, shows how it is judged and the report at the end, and the\n"
     "    exit status is that of `grade`: 0: accepted, 1: not accepted, 2: trouble.\n"
     "    --problem ID     default: what a line \"// problem: ID\" says, else the problem that solve() fits\n"
     "    --mode MODE      try: the samples, or the sizes given; test: hidden cases as well, without a clock;\n"
     "                     rank, which is the default: everything\n"
     "    --sizes LIST     with --mode try, a number for each size: input_size=1000,kernel_size=7\n"
     "    --minutes N      wait no longer than that; the submission is kept\n"
     "    --as NAME        hand it in for somebody else, for teachers\n"
     "    --json FILE      write submission and result (docs/formats.md); \"-\": to standard output, instead of the report\n"
     "    --gradescope FILE  with --wait: write it as Gradescope's results.json, too (docs/platforms.md)\n"
     "    --junit FILE     with --wait: write it as JUnit XML, too\n"
     "    --server PLACE   a URL, or the path of a Unix socket; default: CONVJUDGE_SERVER, else /run/convjudge/socket;\n"
     "                     the other commands that talk to a server take it, too\n"},
    {"gradescope", NULL, WITHOUT_SANDBOX,
     "convjudge gradescope [--problem ID] [--minutes N] [--person email|login|name] [--server URL|SOCKET] [FOLDER]\n"
     "    Runs as an autograder of Gradescope (docs/platforms.md): hands the one CUDA file of FOLDER/submission in to a\n"
     "    server, for the person that FOLDER/submission_metadata.json names, waits, and writes\n"
     "    FOLDER/results/results.json, whatever comes of it. Needs a token that hands in for others.\n"
     "    FOLDER           default: /autograder\n"
     "    --minutes N      wait no longer than that, and write that the submission is not judged yet\n"
     "    --person KIND    what the person is called at the server: the whole address of electronic mail, which is the\n"
     "                     default, what stands before its '@', or the name\n"},
    {"runs", NULL, WITHOUT_SANDBOX,
     "convjudge runs [--problem ID] [--as NAME] [--top N] [--json FILE|-] [--server URL|SOCKET]\n"
     "    Lists your submissions, newest first.\n"
     "    --as NAME        those of somebody else, for teachers\n"
     "    --top N          how many; default: 50\n"},
    {"show", NULL, WITHOUT_SANDBOX,
     "convjudge show [--no-code] [--json FILE|-] [--server URL|SOCKET] RUN\n"
     "    Shows a submission: where it stands, its report and its source.\n"
     "    --no-code        leave the source out\n"},
    {"compare", NULL, WITHOUT_SANDBOX,
     "convjudge compare [--json FILE|-] [--server URL|SOCKET] RUN RUN\n"
     "    Compares the second submission with the first, case by case: both times, their ratio, and whether it is more\n"
     "    than noise; then what changed most in the counters.\n"},
    {"history", NULL, WITHOUT_SANDBOX,
     "convjudge history [--problem ID] [--as NAME] [--json FILE|-] [--server URL|SOCKET]\n"
     "    Lists your submissions to each problem, oldest first, each with the change of time against the one before, and\n"
     "    the best time so far.\n"},
    {"withdraw", NULL, WITHOUT_SANDBOX,
     "convjudge withdraw [--json FILE|-] [--server URL|SOCKET] RUN\n"
     "    Takes back a submission that still waits.\n"},
    {"scores", NULL, WITHOUT_SANDBOX,
     "convjudge scores --class FILE [--csv FILE|-] [--summary FILE|-] [--json FILE|-] [--state DIR] [--config FILE]\n"
     "    Counts the points of a class: a line for each person, and files with a reason for every point. The server may run.\n"
     "    --class FILE     class.json (docs/formats.md, docs/teaching.md)\n"
     "    --csv FILE       write a table with a row for each person, assignment and problem; \"-\": to standard output\n"
     "    --summary FILE   write a summary for the teacher: text, or a page for a browser where the name ends in .html\n"
     "    --state DIR      the folder of the service, or of `convjudge grade-class`; default: what that has left beside\n"
     "                     class.json, else that of the server's settings\n"},
    {"report", NULL, WITHOUT_SANDBOX,
     "convjudge report [--problem ID] [--out DIR] [--sources]\n"
     "    Writes the leaderboard as a folder of pages for a browser: boards, statements, and each submission that ranks.\n"
     "    --problem ID     default: all problems\n"
     "    --out DIR        default: build/report; the first page is index.html\n"
     "    --sources        with the sources of the submissions, which everybody who sees the pages can read\n"},
    {0},
};
