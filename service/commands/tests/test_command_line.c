/* What convjudge refuses before it compiles or starts anything, as its users type it in. */
#include "base/tests/unit.h"

#include "base/scratch.h"
#include "grader/problem/problem.h"
#include "grader/tests/home.h"
#include "harness/device/device_open.h"
#include "leaderboard/store.h"
#include "service/commands/command_line.h"
#include "service/store/service_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <wordexp.h>

/* A row is a command line without "convjudge", in the shell's syntax, with assignments of environment variables before it,
 * and the one line that follows "convjudge: ". In it, "..." stands for any characters. The exit status is 2. */
typedef struct Refusal {
    const char *line, *says;
} Refusal;

/* ---- a home, and a folder of files in which the commands run ------------------------------------------------------- */

static const char source[] = "// problem: blend\n"
                             "extern \"C\" void solve(const float* a, const int* b, const unsigned char* mask, "
                             "float* out, int rows, int cols) {}\n";

#define ASSIGNMENTS                                                                                                    \
    "\"assignments\": [{\"id\": \"a\", \"due\": \"2026-10-25T02:30\", "                                                \
    "\"problems\": [{\"problem\": \"blend\", \"points\": {\"accepted\": 1}}]}]"

static void set_path(const char *variable, const char *relative)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", home, relative);
    setenv(variable, path, 1);
}

/* A second problem, which has the parameters of the first. */
static void add_blur(void)
{
    char *text = replaced(home_problem, "\"blend\"", "\"blur\"");
    home_write("problems/blur/problem.json", text);
    home_write("problems/blur/oracle.h", home_oracle);
    home_write("testcases/blur/sample.json", home_sample);
    home_write("testcases/blur/hidden.json", home_hidden);
    free(text);
}

static int started_in; /* descriptor of a folder */

static int make_home(void **state)
{
    char work[100];
    Store *store; /* of a server that nobody has handed in to */
    Message why;
    started_in = open(".", O_RDONLY | O_CLOEXEC);
    if (home_with_problem(state) != 0)
        return -1;
    add_blur();
    home_write("work/x.cu", source);
    home_write("work/class.json", "{\"schema\": 1, \"zone\": \"UTC\", " ASSIGNMENTS "}");
    set_path("TMPDIR", "tmp");
    if (mkdir(getenv("TMPDIR"), 0700) != 0 || scratch_guard(&why) != STATUS_OK)
        return -1;
    set_path("CONVJUDGE_DB", "leaderboard.db");
    set_path("CONVJUDGE_CACHE", "cache");
    set_path("CONVJUDGE_LOCKS", "tmp");
    set_path("HOME", "work");
    setenv("NO_COLOR", "1", 1);
    setenv("CONVJUDGE_CUDA_DRIVER", "no-such-library.so.1", 1);
    unsetenv("CONVJUDGE_CONFIG");
    unsetenv("CONVJUDGE_TOKEN");
    unsetenv("CONVJUDGE_SERVER");
    snprintf(work, sizeof work, "%s/work", home);
    if (chdir(work) != 0 || mkdir("folder.cu", 0700) != 0 || mkdir("state", 0700) != 0 ||
        service_store_open("state", &store, &why) != STATUS_OK)
        return -1;
    store_close(store);
    return 0;
}

static int leave_home(void **state)
{
    const int moved = fchdir(started_in);
    close(started_in);
    return home_remove(state) + moved;
}

/* ---- one command --------------------------------------------------------------------------------------------------- */

static size_t entries_of(const char *folder)
{
    size_t count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    while (readdir(entries) != NULL)
        count++;
    closedir(entries);
    return count;
}

/* Where the words begin with NAME=VALUE, sets these variables, or unsets them; their number. */
static size_t set_variables(const wordexp_t *words, bool set)
{
    static char before[8][400];
    size_t n = 0;
    for (; n < words->we_wordc && words->we_wordv[n][0] != '-' && strchr(words->we_wordv[n], '=') != NULL; n++) {
        char name[64];
        const char *word = words->we_wordv[n], *equals = strchr(word, '=');
        snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
        if (set) {
            const char *value = getenv(name);
            snprintf(before[n], sizeof before[n], "%s", value == NULL ? "" : value);
            setenv(name, equals + 1, 1);
        } else if (before[n][0] != '\0') {
            setenv(name, before[n], 1);
        } else {
            unsetenv(name);
        }
    }
    return n;
}

/* Runs main()'s part of the program on these words; all that it prints is added to `said`. */
static int run_words(char **words, size_t count, Text *said)
{
    char *argv[100] = {"convjudge"};
    assert_true(count < COUNT_OF(argv) - 1);
    memcpy(argv + 1, words, count * sizeof *words);
    const int captured = memfd_create("said", MFD_CLOEXEC), out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    assert_true(captured >= 0 && out >= 0 && err >= 0);
    fflush(NULL);
    assert_true(dup2(captured, STDOUT_FILENO) >= 0 && dup2(captured, STDERR_FILENO) >= 0);
    const int exit_status = command_line((int)count + 1, argv, command_line_online);
    fflush(NULL);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(out);
    close(err);
    char bytes[4096];
    ssize_t length;
    lseek(captured, 0, SEEK_SET);
    while ((length = read(captured, bytes, sizeof bytes)) > 0)
        text_append(said, bytes, (size_t)length);
    close(captured);
    return exit_status;
}

static int run_line(const char *line, Text *said)
{
    wordexp_t words;
    if (wordexp(line, &words, WRDE_NOCMD | WRDE_UNDEF) != 0)
        fail_test("not words as a shell has them: %s", line);
    const size_t variables = set_variables(&words, true);
    const int exit_status = run_words(words.we_wordv + variables, words.we_wordc - variables, said);
    set_variables(&words, false);
    wordfree(&words);
    return exit_status;
}

/* Whether the text is the pattern, in which "..." stands for any characters. */
static bool matches(const char *text, const char *pattern)
{
    const char *dots = strstr(pattern, "...");
    if (dots == NULL)
        return strcmp(text, pattern) == 0;
    if (strncmp(text, pattern, (size_t)(dots - pattern)) != 0)
        return false;
    for (text += dots - pattern;; text++) {
        if (matches(text, dots + 3))
            return true;
        if (*text == '\0')
            return false;
    }
}

/* The janitor of the temporary folders is one. */
static size_t children(void)
{
    char path[64];
    int pid;
    size_t count = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fscanf(file, "%d", &pid) == 1)
        count++;
    fclose(file);
    return count;
}

/* False, and says why, where the command is not refused as the row has it, or leaves a file or a process. */
static bool is_refused(const Refusal *row)
{
    Text said = {0};
    char expected[1200];
    const size_t files = entries_of("."), temporary = entries_of(getenv("TMPDIR")), processes = children();
    text_add(&said, "");
    const int exit_status = run_line(row->line, &said);
    snprintf(expected, sizeof expected, "convjudge: %s\n", row->says);
    const char *fault = exit_status != 2                                         ? "another exit status"
                        : !matches(said.data, expected)                          ? "other words"
                        : strchr(said.data, '\n') != said.data + said.length - 1 ? "several lines"
                        : entries_of(".") != files                               ? "leaves a file"
                        : entries_of(getenv("TMPDIR")) != temporary              ? "leaves a temporary file"
                        : children() != processes                                ? "leaves a process"
                                                                                 : NULL;
    if (fault != NULL)
        print_error("%s: convjudge %.300s\nexit status %d: %.1000s\nexpected: %s\n", fault, row->line, exit_status,
                    said.data, row->says);
    text_free(&said);
    return fault == NULL;
}

static void refuse_all(const Refusal *rows, size_t count)
{
    size_t faults = 0;
    for (size_t i = 0; i < count; i++)
        faults += !is_refused(&rows[i]);
    assert_int_equal(faults, 0);
}
#define REFUSE_ALL(rows) refuse_all(rows, COUNT_OF(rows))

static bool database_exists(void)
{
    return access(getenv("CONVJUDGE_DB"), F_OK) == 0;
}

/* ---- command lines ------------------------------------------------------------------------------------------------- */

static void words_that_mean_nothing_are_named_with_the_nearest_right_ones(void **state)
{
    static const Refusal rows[] = {
        {"grad x.cu", "unknown command 'grad'; did you mean 'grade'? `convjudge --help` lists all"},
        {"foo", "unknown command 'foo'; `convjudge --help` lists all"},
        {"help grad", "unknown command 'grad'; did you mean 'grade'? `convjudge --help` lists all"},
        {"--hlep", "unknown command '--hlep'; did you mean '--help'? `convjudge --help` lists all"},
        {"'gr\x1b[2Jade'", "unknown command 'gr?[2Jade'; `convjudge --help` lists all"},
        {"--completion fish", "--completion: expected bash or zsh"},
        {"--completion", "--completion: expected bash or zsh"},
        {"grade --quickly x.cu", "grade: unknown option '--quickly'; `convjudge grade --help` lists all"},
        {"sweep --devise=sim x.cu",
         "sweep: unknown option '--devise'; did you mean '--device'? `convjudge sweep --help` lists all"},
        {"leaderboard --problem blend --export",
         "leaderboard does not take the option '--export', which is for: references"},
        {"grade x.cu --problem", "grade: option '--problem' needs a value"},
        {"grade --no-record=yes x.cu", "grade: option '--no-record' takes no value, found 'yes'"},
        {"check --timed --timed", "check: option '--timed' is given twice"},
    };
    REFUSE_ALL(rows);
}

static void a_subcommand_asks_for_what_it_needs(void **state)
{
    static const Refusal rows[] = {
        {"grade", "grade: expected one FILE, found 0"},
        {"sweep", "sweep: expected one FILE, found 0"},
        {"explain", "explain: expected one FILE, found 0"},
        {"submit", "submit: expected one FILE, found 0"},
        {"check-class", "check-class: expected one FILE, found 0"},
        {"check-config a b", "check-config: expected one FILE, found 2"},
        {"check-problem", "check-problem: option '--problem' is missing"},
        {"retime", "retime: option '--problem' is missing"},
        {"roofline", "roofline: option '--problem' is missing"},
        {"baselines", "baselines: option '--problem' is missing"},
        {"similar", "similar: option '--problem' is missing"},
        {"calibrate --device sim x.cu", "calibrate: expected no file, found 'x.cu'"},
        {"quarantine x.cu", "quarantine: expected no file, found 'x.cu'"},
        {"grade-class", "grade-class: option '--dir' is missing"},
        {"scores --state state", "scores: expected --class FILE, the class.json"},
        {"rejudge", "rejudge: expected one of --problem, --list, --batch, --apply and --drop"},
        {"rejudge --list --why 'a reason'", "rejudge: --since, --runs and --why are only for --problem"},
        {"retract 1", "retract: expected a reason: --why TEXT"},
        {"retract --why so", "retract: expected the number of one RUN, found 0 words"},
        {"retime --problem blend --record", "retime: option '--record' is only for '--run'"},
        {"retime --problem blend --run 1", "retime: expected '--run' or '--problem' with '--top', found both"},
        {"retime --run 1 --top 3", "retime: expected '--run' or '--problem' with '--top', found both"},
        {"show", "show: expected the number of one RUN, found 0 words"},
        {"withdraw", "withdraw: expected the number of one RUN, found 0 words"},
        {"compare 1", "compare: expected the numbers of two runs, found 1 words"},
        {"gradescope --person email one two", "gradescope: expected one FOLDER at most, found 2"},
        {"explain --ncu x.cu", "--ncu: expected --device cuda, too: it measures on a real GPU"},
        {"try --seed 3 x.cu", "try: '--seed' needs '--sizes': the samples have data of their own"},
        {"try --find --sizes rows=3,cols=4 x.cu", "try: '--find' looks for sizes itself: expected no '--sizes'"},
        {"try --find --data a.npy x.cu", "try: '--find' looks for sizes itself: expected no '--data'"},
        {"try --data a.npy x.cu", "try: '--data' needs '--sizes': the samples have data of their own"},
        {"submit --sizes rows=10 x.cu", "submit: option '--sizes' is only for --mode try"},
        {"submit --junit report.xml x.cu", "submit: option '--junit' is only for --wait"},
        {"work --server nowhere --device sim --idle 7", "work: option '--idle' is for a worker with '--pilot'"},
        {"grade --class class.json x.cu", "grade: option '--class' is only for --gradescope"},
        {"check-problem --problem blend --thorough --mutants 3",
         "check-problem: '--thorough' takes all mutants, so '--mutants' cannot be given"},
        {"quarantine --accept 1 --reject 1 --why x", "quarantine: '--accept' and '--reject' exclude each other"},
        {"quarantine --why x", "quarantine: '--why' is only for '--accept RUN' and '--reject RUN'"},
        {"quarantine --accept 1", "quarantine: a decision needs its reason: --why TEXT"},
        {"quarantine --accept 1 --why ' '", "quarantine: a decision needs its reason: --why TEXT"},
    };
    REFUSE_ALL(rows);
}

static void a_number_or_word_that_an_option_does_not_take_is_shown(void **state)
{
    static const Refusal rows[] = {
        {"grade --seed 12 x.cu",
         "grade: option '--seed': expected the 64 hexadecimal digits of \"seed\" in a result.json, found '12'"},
        {"try --sizes rows=1,cols=2 --seed -1 x.cu",
         "try: option '--seed': expected a number from 0 to 1000000000, found '-1'"},
        {"check-problem --problem blend --mutants many",
         "check-problem: option '--mutants': expected a whole number, found 'many'"},
        {"retime --problem blend --top 0", "retime: option '--top': expected a number from 1 to 100, found '0'"},
        {"retime --problem blend --top few", "retime: option '--top': expected a number from 1 to 100, found 'few'"},
        {"runs --top 0", "runs: option '--top': expected a number from 1 to 5000, found '0'"},
        {"show x", "show: RUN: expected the number of a run, found 'x'"},
        {"compare 0 9", "compare: the first RUN: expected the number of a run, found '0'"},
        {"retime --run x", "retime: option '--run': expected the number of a run, found 'x'"},
        {"retract one --why so", "retract: RUN: expected the number of a run, found 'one'"},
        {"quarantine --accept one --why x", "quarantine: option '--accept': expected the number of a run, found 'one'"},
        {"quarantine --reject -1 --why x", "quarantine: option '--reject': expected the number of a run, found '-1'"},
        {"similar blend --threshold 0", "similar: option '--threshold': expected percent from 1 to 100, found '0'"},
        {"similar blend --threshold much",
         "similar: option '--threshold': expected percent from 1 to 100, found 'much'"},
        {"submit --mode tset x.cu",
         "submit: unknown mode 'tset'; did you mean 'test'? expected one of: try, test, rank"},
        {"submit --wait --minutes 0 x.cu", "submit: option '--minutes': expected a number from 1 to 10000, found '0'"},
        {"gradescope --person number", "gradescope: option '--person': expected email, login or name, found 'number'"},
        {"serve --engine pbs", "serve: option '--engine': expected workers or slurm, found 'pbs'"},
        {"work --server nowhere --device sim --pilot 4",
         "work: option '--pilot': expected a number from 5 to 10080, found '4'"},
        {"report --out ''", "report: option '--out': expected the name of a folder"},
        {"CONVJUDGE_PATIENCE_SECONDS=soon runs",
         "CONVJUDGE_PATIENCE_SECONDS: expected a whole number from 1 to 3600, found 'soon'"},
    };
    REFUSE_ALL(rows);
}

static void names_of_people_are_plain_text(void **state)
{
    static const Refusal rows[] = {
        {"grade --as 'Eve\x1b[2J' x.cu",
         "the name contains characters that cannot be seen or printed, expected plain UTF-8 text"},
        {"grade --as ' Eve' x.cu", "the name begins or ends with a space"},
        {"grade --as '' x.cu", "the name is empty, expected 1 to 64 bytes of text"},
    };
    REFUSE_ALL(rows);
}

static void unknown_problems_and_devices_are_answered_with_the_known_ones(void **state)
{
    static const Refusal rows[] = {
        {"grade --problem conv9 x.cu", "unknown problem 'conv9'; known problems: blend, blur"},
        {"grade --problem bland x.cu", "unknown problem 'bland'; did you mean 'blend'? known problems: blend, blur"},
        {"grade up.cu", "unknown problem '../blend'; known problems: blend, blur"},
        {"grade any.cu",
         "line 2: the parameters of solve() fit several problems: blend, blur; add --problem ID, or a line '// problem: ID' to "
         "the file"},
        {"leaderboard --problem conv9", "unknown problem 'conv9'; known problems: blend, blur"},
        {"check-problem --problem no-such", "unknown problem 'no-such'; known problems: blend, blur"},
        {"baselines --problem nothing", "unknown problem 'nothing'; known problems: blend, blur"},
        {"roofline --problem nothing", "unknown problem 'nothing'; known problems: blend, blur"},
        {"similar conv9", "unknown problem 'conv9'; known problems: blend, blur"},
        {"report --problem conv9d --out pages", "unknown problem 'conv9d'; known problems: blend, blur"},
        {"calibrate --device tpu",
         "unknown device 'tpu'; did you mean 'cpu'? expected auto, cuda, cuda:N, sim or sim:PROFILE"},
        {"calibrate --device smi:h200",
         "unknown device 'smi:h200'; did you mean 'sim'? expected auto, cuda, cuda:N, sim or sim:PROFILE"},
        {"calibrate --device sim:zx81",
         "device 'sim:zx81': unknown profile of a simulated GPU; known profiles: a100, h200, rtx3060, t4"},
        {"calibrate --device sim:h20",
         "device 'sim:h20': unknown profile of a simulated GPU; did you mean 'h200'? known profiles: a100, h200, "
         "rtx3060, t4"},
        {"explain --device cpu x.cu", "--device cpu: expected sim[:PROFILE] or cuda[:N]"},
        {"explain --device cuda:1023 x.cu",
         "device 'cuda:1023': no NVIDIA driver here: ...; DEVICE=sim selects the simulated GPU"},
        {"calibrate --device cpu",
         "device 'cpu': runs only files in plain C; expected auto, cuda[:N] or sim[:PROFILE]"},
        {"calibrate --device cuda:1023",
         "device 'cuda:1023': no NVIDIA driver here: ...; DEVICE=sim selects the simulated GPU"},
        {"leaderboard --problem blend --device smi",
         "unknown device 'smi'; did you mean 'sim'? expected one of: auto, cuda, sim"},
        {"leaderboard --problem blend --device sim:h20",
         "device 'sim:h20': unknown profile of a simulated GPU; did you mean 'h200'? known profiles: a100, h200, "
         "rtx3060, t4"},
        {"grade y.c", "y.c: a file in plain C runs only on the CPU, expected --device cpu (DEVICE=cpu with make)"},
        {"grade --device sim y.c",
         "y.c: a file in plain C runs only on the CPU, expected --device cpu (DEVICE=cpu with make)"},
        {"try y.c", "y.c: a file in plain C runs only on the CPU, expected --device cpu (DEVICE=cpu with make)"},
    };
    home_write("work/up.cu", "// problem: ../blend\n");
    home_write("work/any.cu", strchr(source, '\n'));
    home_write("work/y.c", source);
    REFUSE_ALL(rows);
}

/* ---- files --------------------------------------------------------------------------------------------------------- */

static void what_is_no_submission_is_refused_by_every_command_that_reads_one(void **state)
{
    static const Refusal rows[] = {
        {"grade missing.cu", "missing.cu: no such file"},
        {"grade folder.cu", "folder.cu: a folder, expected a regular file"},
        {"grade link.cu", "link.cu: a symbolic link, expected a regular file"},
        {"grade pipe.cu", "pipe.cu: not a regular file"},
        {"grade --problem blend empty.cu", "empty.cu: the file is empty, expected CUDA source text"},
        {"grade --problem blend binary.cu", "binary.cu:1: byte 4 is not UTF-8 text, expected CUDA source text"},
        {"grade --problem blend long.cu", "long.cu: 10000000 bytes, the limit of problem blend is 1024"},
        {"submit missing.cu", "missing.cu: no such file"},
        {"submit folder.cu", "folder.cu: a folder, expected a regular file"},
        {"submit binary.cu", "binary.cu:1: byte 4 is not UTF-8 text, expected CUDA source text"},
    };
    char *long_text = strcpy(calloc(10000001, 1), "");
    memset(long_text, '/', 10000000);
    home_write("work/long.cu", long_text);
    free(long_text);
    home_write("work/empty.cu", "");
    home_write("work/binary.cu", "\x7f"
                                 "ELF\xff");
    assert_int_equal(symlink("x.cu", "link.cu"), 0);
    assert_int_equal(mkfifo("pipe.cu", 0600), 0);
    REFUSE_ALL(rows);
}

#define NOWHERE "nowhere/x: the result cannot be written there: No such file or directory"

static void a_result_needs_a_place_of_its_own(void **state)
{
    static const Refusal rows[] = {
        {"grade --json nowhere/result.json x.cu",
         "nowhere/result.json: the result cannot be written there: No such file or directory"},
        {"grade --json '' x.cu", "--json: an empty name, expected a file or -"},
        {"try --json nowhere/x x.cu", NOWHERE},
        {"explain --json nowhere/x x.cu", NOWHERE},
        {"submit --json nowhere/x x.cu", NOWHERE},
        {"similar blend --json nowhere/x", NOWHERE},
        {"verify-leaderboard --json nowhere/x", NOWHERE},
        {"quarantine --json nowhere/x", NOWHERE},
        {"roofline --problem blend --json nowhere/x", NOWHERE},
        {"doctor --json nowhere/x", NOWHERE},
        {"grade-class --dir folder.cu --json nowhere/x", NOWHERE},
        {"scores --class class.json --json nowhere/x", NOWHERE},
        {"scores --class class.json --csv nowhere/x", NOWHERE},
        {"scores --class class.json --summary nowhere/x", NOWHERE},
        {"grade --all-cases nowhere/x x.cu", NOWHERE},
        {"grade --all-cases x.cu x.cu", "x.cu: the submission itself, expected a place for the result"},
        {"explain --json x.cu x.cu", "x.cu: the submission itself, expected a place for the result"},
        {"explain --json . x.cu", ".: not a regular file, expected a place for the result"},
        {"submit --json x.cu x.cu", "x.cu: the submission itself, expected a place for the result"},
        {"grade --gradescope '' x.cu", "--gradescope: expected the name of a file, found ''"},
        {"grade --junit - x.cu", "--junit: expected the name of a file, found '-'"},
        {"grade --junit x.cu x.cu", "x.cu: the submission itself, expected a place for the result"},
        {"grade --gradescope nowhere/results.json x.cu",
         "nowhere/results.json: the result cannot be written there: No such file or directory"},
        {"gradescope nowhere",
         "nowhere/results/results.json: the result cannot be written there: No such file or directory"},
        {"report --out none/pages", "none/pages: cannot make this folder: No such file or directory"},
        {"scores --class class.json --csv x --json x", "scores: --csv and --json: expected two places, found x twice"},
        {"scores --class class.json --summary x --csv x",
         "scores: --csv and --summary: expected two places, found x twice"},
        {"scores --class class.json --summary x --json x",
         "scores: --json and --summary: expected two places, found x twice"},
        {"scores --class class.json --csv class.json",
         "class.json: the submission itself, expected a place for the result"},
    };
    REFUSE_ALL(rows);
}

static void sizes_and_data_that_the_statement_does_not_allow_are_named(void **state)
{
    static const Refusal rows[] = {
        {"try --sizes rows=3 x.cu", "try: sizes: cols is missing; sizes of blend: rows, cols"},
        {"try --sizes rows=3,col=4 x.cu",
         "try: sizes: 'col' is no size of blend; did you mean 'cols'? expected: rows, cols"},
        {"try --sizes 'rows=3 cols=4' x.cu",
         "try: sizes: rows: expected a number from 1 to 1000, as the statement says, found '3 cols=4'; commas separate "
         "sizes"},
        {"try --sizes rows=7,cols=3 x.cu", "try: sizes: expected rows <= 2 * cols, as the statement says"},
        {"try --sizes rows=3,cols=1 x.cu",
         "try: sizes: cols: expected a number from 2 to 1000, as the statement says, found '1'"},
        {"try --sizes rows=3,cols=4x x.cu",
         "try: sizes: cols: expected a number from 2 to 1000, as the statement says, found '4x'"},
        {"try --sizes rows=99999999999999999999,cols=3 x.cu",
         "try: sizes: rows: expected a number from 1 to 1000, as the statement says, found '99999999999999999999'"},
        {"try --sizes rows=3,cols=4,cols=4 x.cu", "try: sizes: cols is given twice"},
        {"try --sizes 3,4 x.cu", "try: sizes: expected name=number, found '3'; sizes of blend: rows, cols"},
        {"try --sizes '' x.cu", "try: sizes: expected name=number, found ''; sizes of blend: rows, cols"},
        {"try --sizes rows=2,cols=2 --data m.pgm,z=m.pgm x.cu",
         "try: data: 'z' is no input of blend; expected: a, b, mask"},
        {"try --sizes rows=2,cols=2 --data a=m.pgm,a=m.pgm x.cu", "try: data: a is given twice"},
        {"try --sizes rows=2,cols=2 --data m.pgm,b.npy x.cu",
         "try: data: 'b.npy' is no input of blend; expected: a, b, mask"},
        {"try --sizes rows=2,cols=2 --data m.pgm,m.pgm,m.pgm,m.pgm,m.pgm,m.pgm,m.pgm,m.pgm,m.pgm,m.pgm,m.pgm x.cu",
         "try: data: 'm.pgm' is no input of blend; expected: a, b, mask"},
        {"try --sizes rows=2,cols=3 --data m.pgm x.cu", "try: m.pgm: expected the shape of a, 2 x 3, found 2 x 2"},
        {"try --sizes rows=2,cols=2 --data nowhere.npy x.cu", "try: nowhere.npy: no such file"},
    };
    home_write("work/m.pgm", "P5 2 2 255\nabcd");
    REFUSE_ALL(rows);
}

static void files_that_other_commands_read_are_held_to_their_form(void **state)
{
    static const Refusal rows[] = {
        {"check-config config.json", "config.json:2: lissen: unknown key; did you mean 'listen'? expected one of: ..."},
        {"doctor --config config.json",
         "config.json:2: lissen: unknown key; did you mean 'listen'? expected one of: ..."},
        {"check-config none.json", "none.json: there is no such file of settings"},
        {"check-class mars.json",
         "mars.json:2: zone: this system knows no zone \"Mars/Olympus\", expected a name such as \"Europe/Berlin\"; ..."},
        {"check-class none.json", "none.json: there is no such file, expected a class.json"},
        {"scores --class none.json", "none.json: there is no such file, expected a class.json"},
        {"scores --class mars.json",
         "mars.json:2: zone: this system knows no zone \"Mars/Olympus\", expected a name such as \"Europe/Berlin\"; ..."},
        {"grade --gradescope other.json --class none.json x.cu",
         "none.json: there is no such file, expected a class.json"},
        {"grade-class --dir nowhere", "nowhere: there is no such folder"},
        {"sweep x.cu", "x.cu: no line \"// sweep: NAME=VALUE,VALUE...\""},
        {"sweep odd.cu", "odd.cu:1: \"1;exit\" is not a value for N, expected a number or a name"},
        {"sweep fixed.cu",
         "fixed.cu:1: N cannot be set from outside: expected #ifndef N, #define N ..., #endif in the file"},
        {"check-class earlier.json",
         "earlier.json: earlier: expected a folder or a file that can be read, found none at ../2025"},
        {"grade-class --dir folder.cu --class class.json --problem conv3d",
         "grade-class: option '--problem': no assignment of class.json has the problem 'conv3d'"},
        {"check --problem blend", "no solutions to check"},
        {"similar blend --also nowhere", "nowhere: cannot be read: No such file or directory"},
        {"similar blend --handed-out nothing", "nothing: cannot be read: No such file or directory"},
        {"similar blend --earlier deep",
         "deep/1/2/3/4/5/6/7/8/9/10/11/12/13: folders in folders, 13 deep, expected a folder of sources"},
        {"grade-class --dir folder.cu --device nonsense",
         "unknown device 'nonsense'; expected auto, cuda, cuda:N, sim or sim:PROFILE"},
        {"work --server nowhere --device sim --name 'a b'",
         "work: option '--name': expected 1 to 64 letters, digits, '-' and '_', found 'a b'"},
        {"work --server nowhere --device sim:none --once",
         "device 'sim:none': unknown profile of a simulated GPU; known profiles: a100, h200, rtx3060, t4"},
        {"work --server nowhere --device sim --once x", "work: expected no file, found 'x'"},
    };
    home_write("work/earlier.json", "{\"schema\": 1, \"zone\": \"UTC\", \"earlier\": [\"../2025\"], " ASSIGNMENTS "}");
    home_write("work/config.json", "{\n  \"lissen\": \"\"\n}\n");
    home_write("work/mars.json", "{\"schema\": 1,\n \"zone\": \"Mars/Olympus\",\n \"assignments\": []}\n");
    home_write("work/odd.cu", "// sweep: N=1;exit\n// problem: blend\n#define N 3\n");
    home_write("work/fixed.cu", "// sweep: N=3\n// problem: blend\n#define N 3\n");
    home_write("work/deep/1/2/3/4/5/6/7/8/9/10/11/12/13/x", "");
    REFUSE_ALL(rows);
}

/* The functions that read these files have tables of what can be wrong (grader/problem/tests/). */
static void a_broken_problem_or_testcase_stops_a_grading_with_file_and_line(void **state)
{
    static const struct {
        const char *file, *text, *from, *to;
        Refusal refusal;
    } rows[] = {
        {"problems/blend/problem.json",
         home_problem,
         "\"title\"",
         "\"titel\"",
         {"grade x.cu",
          ".../problems/blend/problem.json:1: titel: unknown key; did you mean 'title'? expected one of: ..."}},
        {"testcases/blend/sample.json",
         home_sample,
         "\"sizes\"",
         "\"size\"",
         {"grade --no-record x.cu",
          ".../testcases/blend/sample.json:2: size: unknown key; did you mean 'sizes'? expected one of: ..."}},
        {"testcases/blend/hidden.json",
         home_hidden,
         "255}}}]}",
         "255}}}]",
         {"grade --no-record x.cu", ".../testcases/blend/hidden.json:12: not valid JSON from here on: ''"}},
    };
    size_t faults = 0;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *broken = replaced(rows[i].text, rows[i].from, rows[i].to);
        home_write(rows[i].file, broken);
        faults += !is_refused(&rows[i].refusal);
        home_write(rows[i].file, rows[i].text);
        free(broken);
    }
    assert_int_equal(faults, 0);
}

/* ---- databases ----------------------------------------------------------------------------------------------------- */

static void exec_sql(const char *path, const char *statements)
{
    sqlite3 *database;
    char *fault = NULL;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    if (sqlite3_exec(database, statements, NULL, NULL, &fault) != SQLITE_OK)
        fail_test("%s", fault);
    sqlite3_close(database);
}

#define ELSEWHERE "; to judge without keeping the run: --no-record; to keep it elsewhere: CONVJUDGE_DB=FILE"

static void a_database_that_cannot_be_used_is_named_before_anything_is_judged(void **state)
{
    static const Refusal rows[] = {
        {"CONVJUDGE_DB=none/x.db grade x.cu", "none/x.db: its folder does not exist" ELSEWHERE},
        {"CONVJUDGE_DB=/dev/null/x.db grade x.cu", "/dev/null/x.db: its folder does not exist" ELSEWHERE},
        {"CONVJUDGE_DB=newer.db grade x.cu",
         "newer.db: written by a newer ConvJudge: schema version 999, this program knows versions up to ..." ELSEWHERE},
        {"CONVJUDGE_DB=text.db grade x.cu",
         "text.db: not a database, expected a leaderboard that ConvJudge made" ELSEWHERE},
        {"CONVJUDGE_DB=held.db grade x.cu", "held.db: cannot be opened" ELSEWHERE},
        {"verify-leaderboard", ".../leaderboard.db: no leaderboard yet"},
        {"retract 1 --why so", ".../leaderboard.db: no leaderboard yet"},
        {"retime --run 1", ".../leaderboard.db: no leaderboard yet"},
        {"quarantine --accept 1 --why x", ".../leaderboard.db: no leaderboard yet"},
        {"retime --problem blend", ".../leaderboard.db: no leaderboard yet"},
        {"rejudge --list --state none",
         "none/convjudge.db: there is no such database, expected the state of `convjudge "
         "serve`"},
        {"scores --class class.json --state none", "none/convjudge.db: there is no such database, expected the state "
                                                   "of `convjudge serve`"},
    };
    static const Refusal locked = {"CONVJUDGE_DB_TIMEOUT_MS=100 CONVJUDGE_DB=locked.db grade x.cu",
                                   "locked.db: locked by another process for more than 0.1 s" ELSEWHERE};
    sqlite3 *holder;
    exec_sql("newer.db", "PRAGMA user_version = 999; CREATE TABLE runs(x)");
    home_write("work/text.db",
               "This is not a database, but it is as long as the header of one: a hundred bytes or more,"
               " which SQLite reads before it decides what the file is.");
    home_write("work/held.db", "");
    assert_int_equal(mkdir("held.db-journal", 0700), 0);
    REFUSE_ALL(rows);
    assert_false(database_exists());

    Store *store;
    Message why = {0};
    assert_int_equal(store_open("locked.db", STORE_WRITE, &store, &why), STATUS_OK);
    store_close(store);
    assert_int_equal(sqlite3_open("locked.db", &holder), SQLITE_OK);
    assert_int_equal(sqlite3_exec(holder, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    refuse_all(&locked, 1);
    sqlite3_close(holder);
}

/* Makes runs.db once. Run 1 ranks; of its copies, each lacks something that another time of it needs. Those that rank
 * beside it are older: the latest run of a code stands for it. */
static void make_leaderboard(void)
{
    Problem problem;
    DeviceInfo device;
    Store *store;
    Message why = {0};
    if (access("runs.db", F_OK) == 0)
        return;
    assert_int_equal(problem_read("blend", &problem, &why), STATUS_OK);
    assert_int_equal(device_describe("sim", &device, &why), STATUS_OK);
    const Run run = {.board = {"blend", problem.revision.hex, device.id, device.epoch},
                     .time_utc = "2026-01-31T12:00:00Z",
                     .person = "Ada",
                     .device_name = device.name,
                     .driver = "none",
                     .toolkit = "13.0",
                     .judge = "1",
                     .sandbox = "full",
                     .verdict = "Accepted",
                     .rank_status = "ranked",
                     .time = {0.5, 0.005},
                     .machine_code = "c0de",
                     .source_hash = "50ce",
                     .source = source,
                     .file_name = "x.cu",
                     .sitting = "{}",
                     .cases = "[]"};
    if (store_open("runs.db", STORE_WRITE, &store, &why) != STATUS_OK ||
        store_add_run(store, &run, NULL, &why) != STATUS_OK)
        fail_test("%s", why.text);
    store_close(store);
    problem_free(&problem);
    exec_sql("runs.db",
             "CREATE TEMP TABLE f AS SELECT * FROM runs;"
             "UPDATE f SET id = 11, revision = 'other'; INSERT INTO runs SELECT * FROM f;"
             "UPDATE f SET id = 12, revision = (SELECT revision FROM runs WHERE id = 1), epoch = epoch + 1;"
             "INSERT INTO runs SELECT * FROM f;"
             "UPDATE f SET id = 13, epoch = epoch - 1, device = 'NVIDIA-X'; INSERT INTO runs SELECT * FROM f;"
             "UPDATE f SET id = 14, device = 'sim-h200', source_hash = 'none', time_utc = '2026-01-30T12:00:00Z';"
             "INSERT INTO runs SELECT * FROM f;"
             "UPDATE f SET id = 15, rank_status = 'not ranked: sandbox none'; INSERT INTO runs SELECT * FROM f;"
             "UPDATE f SET id = 16, score_ms = NULL, uncertainty = NULL, verdict = 'Wrong Answer';"
             "INSERT INTO runs SELECT * FROM f");
}

static int take_number(void *number, int columns, char **values, char **names)
{
    *(int *)number = atoi(values[0]);
    return 0;
}

static int decisions(void)
{
    sqlite3 *database;
    int count = -1;
    assert_int_equal(sqlite3_open("runs.db", &database), SQLITE_OK);
    sqlite3_exec(database, "SELECT count(*) FROM rulings", take_number, &count, NULL);
    sqlite3_close(database);
    return count;
}

static void runs_that_do_not_exist_or_do_not_suit_are_named(void **state)
{
    static const Refusal rows[] = {
        {"quarantine --accept 9 --why x", "runs.db: there is no run 9"},
        {"quarantine --accept 1 --why x", "run 1 is not in quarantine: ranked"},
        {"retract 9 --why so", "runs.db: there is no run 9"},
        {"retract 1 --why '  '", "the reason is empty, expected a sentence that says why"},
        {"retime --problem blur", "problem blur has 0 of at least two submissions to time on sim-h200"},
        {"retime --problem blend", "problem blend has 1 of at least two submissions to time on sim-h200"},
        {"retime --run 99", "runs.db: there is no run 99"},
        {"retime --run 1 --device sim:a100", "run 1 was timed on sim-h200, expected that device, found sim-a100"},
        {"retime --run 11 --device sim",
         "run 11 was judged under another revision of problem blend: other, expected ...; its times do not compare"},
        {"retime --run 12 --device sim",
         "run 12 was timed by version ... of the timing, and this judge times by version ...: the two do "
         "not compare"},
        {"retime --run 13 --device sim", "run 13 was timed on NVIDIA-X, expected that device, found sim-h200"},
        {"retime --run 14", "run 14: the database lacks its source"},
        {"retime --run 15", "run 15 is on no board: not ranked: sandbox none"},
        {"retime --run 16", "run 16 has no time: Wrong Answer"},
        {"leaderboard --problem blend --device sim-h20",
         "device 'sim:h20': unknown profile of a simulated GPU; did you mean 'h200'? known profiles: a100, h200, "
         "rtx3060, t4"},
    };
    make_leaderboard();
    char *before = getenv("CONVJUDGE_DB"), kept[200];
    snprintf(kept, sizeof kept, "%s", before);
    setenv("CONVJUDGE_DB", "runs.db", 1);
    REFUSE_ALL(rows);
    setenv("CONVJUDGE_DB", kept, 1);
    assert_int_equal(decisions(), 0);
}

static void what_is_there_is_shown(void **state)
{
    static const struct {
        const char *line, *says;
    } rows[] = {
        {"rejudge --state state --list", "nothing has been judged again yet"},
        {"CONVJUDGE_DB=runs.db leaderboard --problem blend", "Ada"},
        {"CONVJUDGE_DB=runs.db leaderboard --problem blend --device sim", "Ada"},
        {"CONVJUDGE_DB=runs.db leaderboard --problem blend --device sim:h200", "Ada"},
        {"CONVJUDGE_DB=runs.db leaderboard --problem blend --device sim-h200", "Ada"},
        {"CONVJUDGE_DB=runs.db leaderboard --problem blend --device sim-a100", "no ranked submissions yet"},
        {"leaderboard --problem blend", "blend (Blend): no ranked submissions yet"},
        {"help", "For instructors:\n"},
        {"help submit", "\n    --server URL|SOCKET\n"},
        {"explain --help", "\n    --case N|NAME"},
    };
    make_leaderboard();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Text said = {0};
        if (run_line(rows[i].line, &said) != 0 || strstr(said.data, rows[i].says) == NULL)
            fail_test("%s: %s", rows[i].line, said.data);
        text_free(&said);
    }
    assert_false(database_exists());
}

static void a_rejudging_without_anything_to_judge_is_refused(void **state)
{
    static const Refusal rows[] = {
        {"rejudge --state state --problem blend", "rejudge: expected a reason: --why TEXT"},
        {"rejudge --state state --problem conv9d --why 'a reason'",
         "unknown problem 'conv9d'; known problems: blend, blur"},
        {"rejudge --state state --problem blend --why 'a reason'", "problem blend has nothing to judge again"},
        {"rejudge --state state --problem blend --why 'a reason' --runs 3,x",
         "rejudge: option '--runs': expected the number of a run, found 'x'"},
        {"rejudge --state state --problem blend --why 'a reason' --runs ,",
         "rejudge: option '--runs': expected numbers of submissions such as 3,5,8"},
        {"rejudge --state state --problem blend --why 'a reason' --runs 3",
         "problem blend has nothing to judge again; submission 3: no submission has this number"},
        {"rejudge --state state --problem blend --why 'a reason' --since yesterday",
         "rejudge: option '--since': expected a time such as 2026-01-31T12:00:00Z, found 'yesterday'"},
        {"rejudge --state state --problem blend --why 'a reason' --since 2026-02-31T12:00:00Z",
         "problem blend has nothing to judge again"},
        {"rejudge --state state --batch 7", "there is no batch 7"},
        {"rejudge --state state --apply x", "rejudge: option '--apply': expected the number of a batch, found 'x'"},
    };
    REFUSE_ALL(rows);
}

/* ---- servers ------------------------------------------------------------------------------------------------------- */

#define UNENCRYPTED ": your token would travel unencrypted to another machine, expected a https:// address"
#define SERVER ": expected the address of a server, such as https://judge.example.org or http://localhost:8080"

static void a_server_that_is_not_there_is_one_line_that_says_what_to_do(void **state)
{
    static const Refusal rows[] = {
        {"CONVJUDGE_SERVER=socket submit x.cu",
         "no server at socket (No such file or directory): is `convjudge serve` running? `make grade` judges without "
         "one"},
        {"runs --server http://127.0.0.1:1",
         "no server at http://127.0.0.1:1 (Connection refused): is `convjudge serve` running? "
         "`make grade` judges without one"},
        {"runs --server ''", "--server: an empty name, expected a URL or the path of a socket"},
        {"CONVJUDGE_TOKEN=s runs --server http://judge.example.org", "http://judge.example.org" UNENCRYPTED},
        {"CONVJUDGE_TOKEN=s runs --server http://192.0.2.1", "http://192.0.2.1" UNENCRYPTED},
        {"CONVJUDGE_TOKEN=s runs --server http://127.0.0.1.example.org", "http://127.0.0.1.example.org" UNENCRYPTED},
        {"CONVJUDGE_TOKEN=s runs --server http://localhost.example.org", "http://localhost.example.org" UNENCRYPTED},
        {"CONVJUDGE_TOKEN=s runs --server ftp://localhost", "ftp://localhost" SERVER},
        {"CONVJUDGE_TOKEN=s runs --server http://me@localhost", "http://me@localhost" SERVER},
        {"CONVJUDGE_TOKEN=s runs --server 'http://localhost/?a=1'", "http://localhost/?a=1" SERVER},
        {"CONVJUDGE_TOKEN=s runs --server 'http://localhost/#a'", "http://localhost/#a" SERVER},
        {"CONVJUDGE_TOKEN=s runs --server http://", "http:" SERVER},
        {"CONVJUDGE_TOKEN=s runs --server 'http://local host'", "http://local host" SERVER},
        {"CONVJUDGE_TOKEN='two\nlines' runs --server http://127.0.0.1:1",
         "CONVJUDGE_TOKEN: expected one token, found a space or another odd character"},
        {"CONVJUDGE_TOKEN='a b' runs --server http://127.0.0.1:1",
         "CONVJUDGE_TOKEN: expected one token, found a space or another odd character"},
    };
    REFUSE_ALL(rows);
}

/* ---- what a row cannot say ----------------------------------------------------------------------------------------- */

/* A line whose one long word is `letter`, `count` times, where it has a '%'. */
static void refuse_long(const char *line, char letter, int count, const char *says)
{
    char *word = calloc((size_t)count + 1, 1), *whole;
    memset(word, letter, (size_t)count);
    whole = replaced(line, "%", word);
    const Refusal row = {whole, says};
    refuse_all(&row, 1);
    free(whole);
    free(word);
}

static void paths_and_words_that_are_too_long_are_named_by_their_beginning(void **state)
{
    refuse_long("CONVJUDGE_HOME=/% grade x.cu", 'x', 5000, "/xxx...: the path of the judge's folder is too long");
    refuse_long("TMPDIR=/% grade --no-record x.cu", 'x', 5000, "TMPDIR=/xxx...: the path is too long");
    refuse_long("grade-class --dir folder.cu --state %", 'x', 5000,
                "xxx...: the name of the state's folder is too long");
    refuse_long("runs --server %", 'x', 200, "xxx...: the path of a Unix socket has at most 107 bytes");
    refuse_long("runs --server %", 'x', 1200, "xxx...: 1200 bytes, expected the address of a server");
    refuse_long("CONVJUDGE_TOKEN=% runs --server http://127.0.0.1:1", 'x', 300,
                "CONVJUDGE_TOKEN: 300 characters, expected a token of at most 199");
}

static void an_option_given_too_often_is_refused(void **state)
{
    Text line = {0};
    text_add(&line, "similar blend");
    for (int i = 0; i < OPTION_MOST_VALUES + 1; i++)
        text_printf(&line, " --earlier=x%d", i);
    const Refusal row = {line.data, "similar: option '--earlier' is given more than 64 times"};
    refuse_all(&row, 1);
    text_free(&line);
}

static void convjudge_without_a_word_prints_its_usage(void **state)
{
    Text said = {0};
    assert_int_equal(run_line("", &said), 2);
    assert_non_null(strstr(said.data, "\n  grade "));
    assert_non_null(strstr(said.data, "\nconvjudge help COMMAND"));
    text_free(&said);
}

int main(int argc, char **argv)
{
    if (argc > 1) /* What is not refused starts this program again, as the judge that it takes itself for. */
        return 3;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_that_mean_nothing_are_named_with_the_nearest_right_ones),
        cmocka_unit_test(a_subcommand_asks_for_what_it_needs),
        cmocka_unit_test(a_number_or_word_that_an_option_does_not_take_is_shown),
        cmocka_unit_test(names_of_people_are_plain_text),
        cmocka_unit_test(unknown_problems_and_devices_are_answered_with_the_known_ones),
        cmocka_unit_test(what_is_no_submission_is_refused_by_every_command_that_reads_one),
        cmocka_unit_test(a_result_needs_a_place_of_its_own),
        cmocka_unit_test(sizes_and_data_that_the_statement_does_not_allow_are_named),
        cmocka_unit_test(files_that_other_commands_read_are_held_to_their_form),
        cmocka_unit_test(a_broken_problem_or_testcase_stops_a_grading_with_file_and_line),
        cmocka_unit_test(a_database_that_cannot_be_used_is_named_before_anything_is_judged),
        cmocka_unit_test(runs_that_do_not_exist_or_do_not_suit_are_named),
        cmocka_unit_test(what_is_there_is_shown),
        cmocka_unit_test(a_rejudging_without_anything_to_judge_is_refused),
        cmocka_unit_test(a_server_that_is_not_there_is_one_line_that_says_what_to_do),
        cmocka_unit_test(paths_and_words_that_are_too_long_are_named_by_their_beginning),
        cmocka_unit_test(an_option_given_too_often_is_refused),
        cmocka_unit_test(convjudge_without_a_word_prints_its_usage),
    };
    return cmocka_run_group_tests_name("command line", tests, make_home, leave_home);
}
