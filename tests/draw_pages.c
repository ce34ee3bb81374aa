/* draw_pages.c - writes one of each page that only a server has, for tests/pages.py: a submission with its explanation from the files of a
 * grading, and around it a class that does not exist.
 * Usage: draw_pages FOLDER RESULT.json EXPLAIN.json SOURCE     a file that is "" is left out  */
#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "service/web/parts.h"
#include "service/store/view.h"
#include "service/web/pair_page.h"
#include "service/course/class_summary.h"
#include "service/web/summary_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PEOPLE = 60 };

static Arena arena;
static const char *folder;
static const Site student = {.person = "Ada Lovelace"}, teacher = {.person = "Prof. Noether", .is_teacher = true},
                  admin = {.person = "root", .is_teacher = true, .is_admin = true}, nobody = {0};

static void write_page(const char *name, Text *page)
{
    Message why;
    if (text_write_file(arena_printf(&arena, "%s/%s", folder, name), page, &why) != STATUS_OK) {
        fprintf(stderr, "%s\n", why.text);
        exit(1);
    }
    text_free(page);
}

static const char *read_file(const char *path)
{
    Text text = {0};
    Message why;
    if (*path == '\0')
        return NULL;
    if (text_read_file(path, 1 << 24, &text, &why) != STATUS_OK) {
        fprintf(stderr, "%s\n", why.text);
        exit(1);
    }
    const char *copy = arena_string(&arena, text.data);
    text_free(&text);
    return copy;
}

static cJSON *read_json(const char *path)
{
    const char *text = read_file(path);
    return text == NULL ? NULL : cJSON_Parse(text);
}

/* ---- a class that does not exist --------------------------------------------------------------------------------- */

static const char *name_of(int i)
{
    static const char *const names[] = {"Ada Lovelace", "Grace Hopper", "Özge <b>Yıldız</b>", "wei\u202Egnp.exe",
                                        "Kurt Gödel"};
    if (i == 8)
        return "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW"; /* the widest that an account may have */
    return i < 5 ? names[i] : arena_printf(&arena, "Student %d", i);
}

/* Times from 50 us to 300 us, thicker in the middle; neighbours tie. */
static BoardPage make_board(const cJSON *result)
{
    StoredRun *runs = arena_array(&arena, PEOPLE, sizeof *runs);
    BoardPage board = {.device = "sim-h200", .device_name = "NVIDIA H200 (simulated)", .modelled = true};
    for (int i = 0; i < PEOPLE; i++)
        runs[i] = (StoredRun){.id = i + 1,
                              .person = name_of(i),
                              .machine_code = "",
                              .time_utc = arena_printf(&arena, "2026-%02d-%02dT12:00:00Z", 10 + i / 30, 1 + i % 30),
                              .time = {0.0512 * exp(0.9 + 0.9 * sin(2.4 * i)), i % 7 == 0 ? 0.04 : 0.005},
                              .cases = "[]"};
    board.standings = standings_of(runs, PEOPLE, &arena, &board.standing_count);
    int64_t *submissions = arena_array(&arena, PEOPLE, sizeof *submissions);
    submissions[3] = 4;
    board.submissions = submissions;
    const cJSON *list = view_item(result, "references"), *item;
    ReferenceTime *references = arena_array(&arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *references);
    cJSON_ArrayForEach(item, list) references[board.reference_count++] = (ReferenceTime){
        .name = view_text(item, "name"), .time = view_time(item, "score_ms")};
    board.references = references;
    board.best = arena_array(&arena, 6, sizeof *board.best);
    for (int i = 0; i < 6; i++)
        board.best[board.best_count++] = (BestTime){
            .time_utc = arena_printf(&arena, "2026-10-%02dT12:00:00Z", 2 + 4 * i),
            .person = name_of(i),
            .time = {0.3 * pow(0.72, i), 0.005}};
    return board;
}

static SubmissionLine make_line(int i)
{
    static const char *const verdicts[] = {"Accepted", "Wrong Answer", "Run-Time Error", "Accepted", "Compile Error"};
    bool accepted = i % 5 == 0 || i % 5 == 3;
    return (SubmissionLine){.number = 120 - i,
                            .person = name_of(i % 5),
                            .problem = i % 4 == 3 ? "blur-rgb" : "conv1d",
                            .file_name = i % 2 == 0 ? "tiled.cu" : "my_second_attempt_with_a_long_name.cu",
                            .received = arena_printf(&arena, "2026-11-%02dT09:%02d:00Z", 28 - i, i),
                            .state = i == 0 ? "waiting" : "judged",
                            .verdict = i == 0 ? NULL : verdicts[i % 5],
                            .rank_status = accepted ? "ranked" : "not ranked: not accepted",
                            .device = "sim-h200",
                            .time = {accepted ? 0.08 * (1 + i / 7.0) : 0, 0.005}};
}

static SubmissionLine *make_lines(size_t count)
{
    SubmissionLine *lines = arena_array(&arena, count, sizeof *lines);
    for (size_t i = 0; i < count; i++)
        lines[i] = make_line((int)i);
    return lines;
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

static void draw_submissions(const cJSON *result, const cJSON *explain, const char *source, const BoardPage *board)
{
    static const char *const states[] = {"waiting", "judging", "held", "withdrawn"};
    cJSON *sitting = cJSON_Parse("{\"copy_bytes_per_s\": 4.29e12, \"fma_flops_per_s\": 6.69e13}");
    const StoredRun again = {.id = 14, .time_utc = "2026-11-25T09:30:00Z", .time = {0.0519, 0.012}};
    SubmissionPage page = {.number = 12,
                           .person = "Ada Lovelace",
                           .problem = "conv1d",
                           .problem_title = "1D convolution",
                           .file_name = view_text(result, "file"),
                           .received = "2026-11-23T13:20:01Z",
                           .mode = "rank",
                           .state = "judged",
                           .result = result,
                           .sitting = sitting,
                           .explain = explain,
                           .source = source,
                           .board = board,
                           .run = 12,
                           .again = &again,
                           .again_count = 1,
                           .rank = 3,
                           .of = PEOPLE};
    Text text = {0};
    page_submission(&text, &student, &page);
    write_page("submission.html", &text);
    page.result = page.explain = NULL;
    page.ahead = 3;
    page.expected_s = 40;
    page.can_withdraw = true;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        page.state = states[i];
        page.step = i == 1 ? "timed cases" : NULL;
        page.done = i == 1;
        page.total = i == 1 ? 3 : 0;
        page_submission(&text, &student, &page);
        write_page(arena_printf(&arena, "submission-%s.html", states[i]), &text);
    }
    cJSON_Delete(sitting);
}

static void draw_person(const cJSON *result, const char *source)
{
    enum { ROWS = 14 };
    const char *other = "// problem: conv1d\n#include <cuda_runtime.h>\n\nextern \"C\" void solve()\n{\n}\n";
    cJSON *older = cJSON_Parse(
        "{\"cases\": [{\"name\": \"longest input, five taps\", \"timed\": true, \"time_ms\": 0.1, "
        "\"uncertainty\": 0.01, \"counters\": {\"warp_instructions\": 9e8, \"global_load_sectors\": 8e7}}]}");
    static const char *const keys[] = {"problem", "device", "revision", "epoch"}; /* of a board */
    for (size_t i = 0; result != NULL && i < sizeof keys / sizeof *keys; i++)
        cJSON_AddItemToObject(older, keys[i], cJSON_Duplicate(json_get(result, keys[i]), true));
    ComparedSubmission before = {make_line(8), other, older}, after = {make_line(5), source, result};
    PersonPage page = {.person = "Ada Lovelace",
                       .pseudonym = "the countess",
                       .rows = make_lines(ROWS),
                       .row_count = ROWS,
                       .before = &before,
                       .after = &after};
    Text text = {0};
    if (source == NULL)
        after.source = other;
    page_person(&text, &student, &page);
    write_page("person.html", &text);
    cJSON_Delete(older);
}

static void draw_problem(const BoardPage *board)
{
    static const char *const groups[] = {"Monday, 10 h", "Tuesday", NULL};
    static const char *const deadlines[] = {
        "One dimension: due 2026-11-09 23:59 (Europe/Berlin), in 3 hours; then 10 % of the points are "
        "taken off for each day begun, until 2026-11-12 23:59.",
        NULL};
    Problem problem;
    TestcaseSet testcases;
    Message why;
    if (problem_read("conv1d", &problem, &why) != STATUS_OK ||
        testcases_read(&problem, &testcases, &why) != STATUS_OK) {
        fprintf(stderr, "%s\n", why.text);
        exit(1);
    }
    const ProblemPage page = {.problem = &problem,
                              .testcases = &testcases,
                              .statement = read_file(arena_printf(&arena, "%s/statement.md", problem.folder)),
                              .starter = read_file(arena_printf(&arena, "%s/starter.cu", problem.folder)),
                              .boards = board,
                              .board_count = 1,
                              .groups = groups,
                              .group = "Tuesday",
                              .deadlines = deadlines,
                              .has_sources = true,
                              .key = "8f14e45f"};
    Text text = {0};
    page_problem(&text, &student, &page);
    write_page("problem.html", &text);
    testcases_free(&testcases);
    problem_free(&problem);
}

static void draw_teacher(void)
{
    static const char *const problems[] = {"conv1d", "conv2d-same", "blur-rgb", "conv3d"};
    enum { PROBLEMS = 4, STUDENTS = 18 };
    const char **people = arena_array(&arena, STUDENTS, sizeof *people);
    TeacherCell *cells = arena_array(&arena, PROBLEMS * STUDENTS, sizeof *cells);
    for (int i = 0; i < STUDENTS; i++) {
        people[i] = name_of(i);
        for (int k = 0; k < PROBLEMS; k++) {
            int tries = (i * 7 + k * 5) % 6;
            cells[i * PROBLEMS + k] = (TeacherCell){.tries = tries,
                                                    .is_solved = tries > 0 && (i + k) % 4 != 0,
                                                    .submission = 4,
                                                    .verdict = "Wrong Answer",
                                                    .since = "2026-11-20T09:00:00Z"};
        }
    }
    QuarantinedRun run = {.row = make_line(3),
                          .known = "register_tile.cu",
                          .known_ms = 0.4,
                          .second_ms = 0.121,
                          .rank_status = "quarantined: 3.5 times as fast as anything known"};
    const TeacherGroup groups[] = {{"Monday, 10 h", 23}, {"<b>Tuesday</b>", 18}};
    SimilarRow pair = {.problem = "conv1d",
                       .a = "Ada Lovelace",
                       .b = "Kurt Gödel",
                       .run_a = 4,
                       .run_b = 9,
                       .key = "4-9",
                       .same_machine_code = true,
                       .source = 0.93,
                       .device_code = 1};
    TeacherPage page = {.problems = problems,
                        .problem_count = PROBLEMS,
                        .people = people,
                        .people_count = STUDENTS,
                        .cells = cells,
                        .quarantine = &run,
                        .quarantine_count = 1,
                        .similar = &pair,
                        .similar_count = 1,
                        .similar_time = "2026-11-23T03:00:00Z",
                        .groups = groups,
                        .group_count = 2};
    Text text = {0};
    page_teacher(&text, &teacher, &page);
    write_page("teacher.html", &text);
}

/* The source against itself with two lines before it. */
static void draw_pair(const char *source)
{
    const PairPart parts[] = {{{{4, 7}, {6, 9}}},     {{{8, 8}, {10, 10}}},   {{{10, 13}, {12, 15}}},
                              {{{14, 15}, {16, 17}}}, {{{17, 18}, {19, 20}}}, {{{19, 20}, {21, 22}}},
                              {{{22, 22}, {24, 24}}}};
    const PairLines handed_out[] = {{2, 3}}, others[] = {{4, 5}};
    const char *text = source == NULL ? "int a;\nint b;\nint c;\n" : source;
    PairPage page = {.problem = "conv1d",
                     .time_utc = "2026-11-23T03:00:00Z",
                     .sides = {{.name = "Özge <b>Yıldız</b>",
                                .file = "my_second_attempt_with_a_long_name.cu",
                                .is_persons = true,
                                .submission = 4,
                                .source = text,
                                .source_share = 0.93,
                                .code_share = 1,
                                .handed_out = handed_out,
                                .handed_out_count = 1},
                               {.name = "/srv/2025/submissions",
                                .file = "Ada L_17_file_/<i>winner</i>.cu",
                                .source = arena_printf(&arena, "// </pre><script>x</script>\n// two\n%s", text),
                                .source_share = 0.87,
                                .code_share = 0.99,
                                .handed_out = others,
                                .handed_out_count = 1}},
                     .parts = parts,
                     .part_count = sizeof parts / sizeof *parts,
                     .same_machine_code = true};
    Text out = {0};
    page_pair(&out, &teacher, &page);
    write_page("pair.html", &out);
}

static void draw_admin(void)
{
    const struct AdminWorker workers[] = {
        {"gpu1.0", "cuda:0, NVIDIA H200", "judging", NULL, "2026-11-23T13:20:01Z", 118, 412, 0},
        {"gpu1.1", "cuda:1, NVIDIA H200", "gets no work", "it failed on two submissions", "2026-11-23T12:00:00Z", 0,
         398, 2},
        {"gpu2.0", "h200", "not there", NULL, "2026-11-22T09:00:00Z", 0, 12, 1},
        {"gpu3.0", "h200", "idle", NULL, NULL, 0, 0, 0},
    };
    const struct AdminDisk disks[] = {{"store", "/var/lib/convjudge/service.db", 48123904, 812345678912},
                                      {"pilots", "/var/lib/convjudge/pilots", 1048576, 812345678912}};
    const struct AdminFailure failures[] = {
        {"2026-11-23T12:00:00Z", "the broker did not start: cuInit: unknown error", "gpu1.1", 97}};
    AdminPage page = {.queue = make_lines(4),
                      .queue_count = 4,
                      .held = make_lines(1),
                      .held_count = 1,
                      .workers = workers,
                      .worker_count = 4,
                      .lacks_workers = true,
                      .disks = disks,
                      .disk_count = 2,
                      .failures = failures,
                      .failure_count = 1};
    Text text = {0};
    page_admin(&text, &admin, &page);
    write_page("admin.html", &text);
}

static void draw_batches(void)
{
    static const char *const problems[] = {"conv1d", "conv2d"};
    const BatchLine lines[] = {
        {3, "conv1d", "a <b>hidden</b> case with an even filter", "2026-11-23T12:00:00Z", "open", 8, 5, 1, 1, 1, 0},
        {2, "conv2d", "another driver", "2026-11-20T12:00:00Z", "applied", 120, 120, 0, 0, 0, 0}};
    const BatchChange changes[] = {
        {118, name_of(2), "tiled.cu", {"Accepted", {0.0512, 0.005}, 1}, {"Wrong Answer", {0, 0}, 0}, false},
        {116, name_of(3), "naive.cu", {"Accepted", {0.1512, 0.005}, 3}, {"Accepted", {0.1513, 0.004}, 2}, true},
        {113, name_of(4), "naive.cu", {"Run-Time Error", {0, 0}, 0}, {"Accepted", {0.1801, 0.02}, 3}, false}};
    const BatchOmission omissions[] = {{117, "its author has withdrawn it"}};
    const BatchPage page = {.line = lines[0],
                            .revision = "593683473feebaf1a37815484d0d596fbcbb0ccae3fa9513b45c76d8c02ec170",
                            .changes = changes,
                            .change_count = sizeof changes / sizeof *changes,
                            .omissions = omissions,
                            .omission_count = 1};
    Text text = {0};
    page_batches(&text, &admin, lines, 2, problems, 2);
    write_page("batches.html", &text);
    page_batch(&text, &admin, &page);
    write_page("batch.html", &text);
}

/* A class in which everybody hands in several times, and some never get further. */
static void add_work(Facts *facts, size_t task, int person)
{
    static const char *const failures[] = {
        "\"verdict\": \"Wrong Answer\", \"cases\": [{\"name\": \"three taps\", \"verdict\": \"Accepted\"}, {\"name\": \"hidden 1\", "
        "\"verdict\": \"Wrong Answer\", \"kind\": \"only the last elements: never written\", \"text\": \"\"}]",
        "\"verdict\": \"Run-Time Error\", \"cases\": [{\"name\": \"three taps\", \"verdict\": \"Run-Time Error\", \"kind\": \"a "
        "kernel reads outside of an array in device memory\", \"text\": \"reads (tiled.cu:3: `x`)\"}]",
        "\"verdict\": \"Compile Error\", \"text\": \"the compiler refused the file\", \"compile\": {\"diagnostics\": "
        "\"tiled.cu(2): error: identifier \\\"sum\\\" is undefined\"}"};
    static const char accepted[] =
        "\"verdict\": \"Accepted\", \"modelled\": true, \"cases\": [{\"name\": \"three taps\", \"verdict\": \"Accepted\"}, {\"name\": "
        "\"hidden 1\", \"verdict\": \"Accepted\"}], \"references\": [{\"name\": \"register_blocking.cu\", \"score_ms\": 0.05, "
        "\"uncertainty\": 0.005}, {\"name\": \"shared_tile.cu\", \"score_ms\": 0.09, \"uncertainty\": 0.005}, {\"name\": "
        "\"naive.cu\", \"score_ms\": 0.16, \"uncertainty\": 0.005}]";
    static const char source[] =
        "// tiled.cu\n__global__ void tiled(float *output) { output[threadIdx.x] = sum; }\n"
        "    const float <b>value</b> = input[blockIdx.x * blockDim.x + threadIdx.x + radius];\n";
    const int tries = person % 5 + 1;
    for (int i = 0; i < tries; i++) {
        const bool is_accepted = i + 1 == tries && person % 4 != 0;
        const FactSubmission submission = {
            .person = facts_person(facts, name_of(person)),
            .task = task,
            .number = 10 * person + i,
            .file_name = "tiled.cu",
            .received_utc = arena_printf(&arena, "2026-11-%02dT%02d:00:00Z", 2 + i, person % 24),
            .device = is_accepted ? "sim-h200" : "",
            .time = {is_accepted ? 0.0512 * exp(0.9 + 0.9 * sin(2.4 * person)) : 0, 0.005}};
        facts_add_submission(
            facts, &submission, "",
            arena_printf(&arena, "{\"file\": \"tiled.cu\", %s}", is_accepted ? accepted : failures[(person / 4) % 3]),
            source);
    }
}

static void draw_summary(int people, const char *name)
{
    Facts facts = {0};
    const size_t tasks[] = {facts_add_task(&facts, &(FactTask){"week-1", "One dimension", "conv1d", "1D convolution"}),
                            facts_add_task(&facts, &(FactTask){"week-1", "One dimension", "conv2d", "2D convolution"})};
    for (int i = 0; i < people; i++) {
        const size_t person = facts_person(&facts, name_of(i));
        facts_expect(&facts, person, "week-1");
        if (i % 9 == 8)
            continue;
        add_work(&facts, tasks[0], i);
        if (i % 2 == 1)
            add_work(&facts, tasks[1], i / 2);
        facts_add_points(&facts, &(FactPoints){person, "week-1", fmin(10, floor(20 * fabs(sin(i))) / 2), 10});
    }
    const Summary summary = summary_of(&facts, "Parallel programming, autumn 2026", "2026-11-23T12:00:00Z", &arena);
    Text text = {0};
    summary_page(&text, &teacher, &summary);
    write_page(arena_printf(&arena, "%s.html", name), &text);
    summary_text(&text, &summary);
    write_page(arena_printf(&arena, "%s.txt", name), &text);
    facts_free(&facts);
}

static void draw_class(const char *source)
{
    enum { SOURCES = 30, ASSIGNMENTS = 3 };
    static const char *const titles[ASSIGNMENTS] = {"One dimension", "Two | dimensions", "Pictures"};
    static const ExtensionLine extensions[] = {
        {"2026-11-09T12:00:00Z", "convjudge serve", "extension add",
         "Ada Lovelace, week-1: due 2026-11-16T23:59 instead of 2026-11-09T23:59, by grace: ill (/etc/convjudge/class.json)"}};
    OpenSource sources[SOURCES];
    const char *people[PEOPLE];
    PointsCell cells[PEOPLE * ASSIGNMENTS];
    Text text = {0};
    for (int i = 0; i < SOURCES; i++)
        sources[i] = (OpenSource){.submission = 100 - i,
                                  .person = name_of(i),
                                  .file_name = arena_printf(&arena, "submission-%d.cu", 100 - i),
                                  .received = "2026-11-08T12:00:00Z",
                                  .problem = "conv1d",
                                  .problem_title = "1D convolution",
                                  .time = {0.05 * (i + 1), 0.005},
                                  .device = "sim-h200",
                                  .source = source == NULL ? "// <nothing>\n" : source};
    page_sources(&text, &student, "conv1d", "1D convolution", sources, SOURCES);
    write_page("sources.html", &text);
    page_source(&text, &student, &sources[2]);
    write_page("source.html", &text);
    page_join(&text, &student, "Monday's \"group\" <i>", "f97a8fe28ff71f230f09");
    write_page("join.html", &text);
    for (int i = 0; i < PEOPLE; i++)
        people[i] = name_of(i);
    for (int i = 0; i < PEOPLE * ASSIGNMENTS; i++)
        cells[i] = (PointsCell){.points = i % 9 / 2.0,
                                .most = 10,
                                .is_known = i % 7 != 0,
                                .is_final = i % 5 != 0,
                                .is_extended = i % 11 == 0};
    page_points(&text, &teacher,
                &(PointsPage){.title = "Parallel programming",
                              .assignments = titles,
                              .assignment_count = ASSIGNMENTS,
                              .people = people,
                              .people_count = PEOPLE,
                              .cells = cells,
                              .extensions = extensions,
                              .extension_count = 1});
    write_page("points.html", &text);
}

static void draw_others(void)
{
    const ProblemRow problems[] = {
        {"conv1d", "1D convolution", "easy", 60, "Accepted", "Özge <b>Yıldız</b>", {0.0516, 0.005}, "sim-h200"},
        {"conv2d-same",
         "2D convolution with ghost cells",
         "medium",
         12,
         "Wrong Answer",
         "Kurt Gödel",
         {0.312, 0.005},
         "sim-h200"},
        {"blur-rgb", "Blur of a colour picture", "hard", 0, NULL, NULL, {0, 0}, NULL},
    };
    static const char *const first[] = {"conv1d", NULL}, *const second[] = {"conv2d-same", "blur-rgb", NULL};
    const AssignmentLine assignments[] = {
        {"One dimension", first,
         "closed 2026-11-12 23:59 (Europe/Berlin), 9 days ago; what is handed in now is judged, but does not count"},
        {"Two dimensions <and> colours", second, "due 2026-11-23 23:59 (Europe/Berlin), in 3 hours"}};
    IndexPage index = {.assignments = assignments,
                       .assignment_count = 2,
                       .problems = problems,
                       .problem_count = 3,
                       .recent = make_lines(6),
                       .recent_count = 6};
    Text text = {0};
    page_index(&text, &student, &index);
    write_page("index.html", &text);
    const SecretPage secret = {.title = "Token of Grace",
                               .secret = "f97a8fe28ff71f230f0977229bc269b9bc58d0ad328aa145171648b1991979ee",
                               .text = "It is shown only now.",
                               .back = "/teacher"};
    page_secret(&text, &teacher, &secret);
    write_page("secret.html", &text);
    page_login(&text, &nobody, "This token is not known.", "/problems/conv1d");
    write_page("login.html", &text);
    page_error(&text, &nobody, 404, "There is no submission 4000, or none that you may see.");
    write_page("error.html", &text);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    folder = argv[1];
    cJSON *result = read_json(argv[2]), *explain = read_json(argv[3]);
    const char *source = read_file(argv[4]);
    const BoardPage board = make_board(result);
    Text style = {0}, script = {0};
    text_add(&style, style_css);
    write_page("style.css", &style);
    text_add(&script, live_js);
    write_page("live.js", &script);
    draw_submissions(result, explain, source, &board);
    draw_person(result, source);
    draw_problem(&board);
    draw_teacher();
    draw_pair(source);
    draw_admin();
    draw_batches();
    draw_class(source);
    draw_summary(3, "summary-small");
    draw_summary(500, "summary-large");
    draw_others();
    cJSON_Delete(result);
    cJSON_Delete(explain);
    arena_free(&arena);
    return 0;
}
