/* draw_pages.c - writes one of each page that only a server has, for tests/pages.py: a submission with its explanation from the files of a
 * grading, and around it a class that does not exist.
 * Usage: draw_pages FOLDER RESULT.json EXPLAIN.json SOURCE     a file that is "" is left out  */
#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "service/course/class_summary.h"
#include "service/store/view.h"
#include "service/web/parts.h"
#include "service/web/site_answers.h"
#include "service/web/summary_page.h"
#include "service/web/template.h"

#include <inttypes.h>
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
                              .time = {0.0512 * exp(0.9 + 0.9 * sin(2.4 * i)), i % 7 == 0 ? 0.04 : 0.005}};
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

static StoredSubmission make_line(int i)
{
    static const char *const verdicts[] = {"Accepted", "Wrong Answer", "Run-Time Error", "Accepted", "Compile Error"};
    bool accepted = i % 5 == 0 || i % 5 == 3;
    return (StoredSubmission){.id = 120 - i,
                              .person = name_of(i % 5),
                              .problem = i % 4 == 3 ? "blur-rgb" : "conv1d",
                              .file_name = i % 2 == 0 ? "tiled.cu" : "my_second_attempt_with_a_long_name.cu",
                              .received_utc = arena_printf(&arena, "2026-11-%02dT09:%02d:00Z", 28 - i, i),
                              .state = i == 0 ? "queued" : "recorded",
                              .verdict = i == 0 ? "" : verdicts[i % 5],
                              .device = "sim-h200",
                              .time = {accepted ? 0.08 * (1 + i / 7.0) : 0, 0.005}};
}

/* JSON with apostrophes, which the texts do not have. */
__attribute__((format(printf, 1, 2))) static cJSON *values_of(const char *format, ...)
{
    Text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    for (char *c = text.data; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    cJSON *values = cJSON_Parse(text.data);
    if (values == NULL) {
        fprintf(stderr, "draw_pages: no JSON: %s\n", text.data);
        exit(1);
    }
    text_free(&text);
    return values;
}

static void put_lines(cJSON *values, const char *name, int count)
{
    cJSON *lines = cJSON_AddArrayToObject(values, name);
    for (int i = 0; i < count; i++) {
        const StoredSubmission line = make_line(i);
        site_row(lines, &line);
    }
}

static void draw(const char *file, const Site *site, const char *page, cJSON *values)
{
    Text text = {0};
    site_show(&text, site, page, values);
    write_page(arena_printf(&arena, "%s.html", file), &text);
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

static void draw_submissions(const cJSON *result, const cJSON *explain, const char *source, const BoardPage *board)
{
    static const char *const states[] = {"waiting", "judging", "held", "withdrawn"};
    cJSON *sitting = cJSON_Parse("{\"copy_bytes_per_s\": 4.29e12, \"fma_flops_per_s\": 6.69e13}");
    const SubmissionRecord record = {
        .result = result, .sitting = sitting, .explain = explain, .source = source, .board = board};
    const char *file = view_text(result, "file");
    cJSON *values = values_of(
        "{'number': 12, 'person': 'Ada Lovelace', 'problem': 'conv1d', 'problem_title': '1D convolution', 'file_name': '%s',"
        " 'received': '2026-11-23T13:20:01Z', 'mode': 'rank', 'state': 'judged', 'run': 12, 'rank': 3, 'of': %d,"
        " 'again': [{'run': 14, 'time_utc': '2026-11-25T09:30:00Z', 'time_ms': 0.0519, 'uncertainty': 0.012}]}",
        file, PEOPLE);
    submission_put(values, &record);
    draw("submission", &student, "submission", values);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        values = values_of(
            "{'number': 12, 'person': 'Ada Lovelace', 'problem': 'conv1d', 'problem_title': '1D convolution', 'file_name': '%s',"
            " 'received': '2026-11-23T13:20:01Z', 'mode': 'rank', 'state': '%s', 'run': 12, 'rank': 3, 'of': %d,"
            " 'ahead': 3, 'expected_s': 40, 'can_withdraw': 1, 'step': '%s', 'done': %d, 'total': %d}",
            file, states[i], PEOPLE, i == 1 ? "timed cases" : "", i == 1, i == 1 ? 3 : 0);
        submission_put(values, &(SubmissionRecord){.sitting = sitting, .source = source, .board = board});
        draw(arena_printf(&arena, "submission-%s", states[i]), &student, "submission", values);
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
    StoredSubmission rows[ROWS];
    cJSON *values = values_of("{'person': 'Ada Lovelace', 'pseudonym': 'the countess', 'is_reader': 1}");
    for (int i = 0; i < ROWS; i++)
        rows[i] = make_line(i);
    if (source == NULL)
        after.source = other;
    person_put_rows(values, rows, ROWS, before.row.id, after.row.id);
    cJSON_AddItemToObject(values, "comparison", comparison(&before, &after));
    draw("person", &student, "person", values);
    cJSON_Delete(older);
}

static void draw_problem(const BoardPage *board)
{
    Problem problem;
    TestcaseSet testcases;
    Message why;
    if (problem_read("conv1d", &problem, &why) != STATUS_OK ||
        testcases_read(&problem, &testcases, &why) != STATUS_OK) {
        fprintf(stderr, "%s\n", why.text);
        exit(1);
    }
    const char *statement = read_file(arena_printf(&arena, "%s/statement.md", problem.folder)),
               *starter = read_file(arena_printf(&arena, "%s/starter.cu", problem.folder));
    cJSON *values = problem_values(&problem, &testcases, statement, starter);
    cJSON *more = values_of(
        "{'groups': [{'name': 'Monday, 10 h', 'is_shown': 0}, {'name': 'Tuesday', 'is_shown': 1}],"
        " 'group': 'Tuesday', 'has_sources': 1, 'hides_board': 0, 'key': '8f14e45f', 'from': 0, 'program': 'void f();', 'deadlines': ['One dimension: due"
        " 2026-11-09 23:59 (Europe/Berlin), in 3 hours; then 10 %% of the points are taken off for each day begun,"
        " until 2026-11-12 23:59.']}");
    problem_put_boards(values, board, 1, student.person);
    while (more->child != NULL) {
        cJSON *item = cJSON_DetachItemViaPointer(more, more->child);
        cJSON_AddItemToObject(values, arena_string(&arena, item->string), item);
    }
    draw("problem", &student, "problem", values);
    cJSON_Delete(more);
    testcases_free(&testcases);
    problem_free(&problem);
}

static void draw_teacher(void)
{
    enum { PROBLEMS = 4, STUDENTS = 18 };
    int solved[PROBLEMS] = {0};
    cJSON *values = values_of(
        "{'has_points': 0, 'part': {'page': 2, 'pages': 3, 'earlier': 1, 'later': 3}, 'people_count': %d, 'problems': ['conv1d', 'conv2d-same', 'blur-rgb', 'conv3d'], 'stuck': [],"
        " 'quarantine': [{'number': 117, 'person': '%s', 'problem': 'blur-rgb', 'device': 'sim-h200', 'is_modelled': 1,"
        " 'time_ms': %.17g, 'uncertainty': 0.005, 'known': 'register_tile.cu', 'known_ms': 0.4, 'second_ms': 0.121,"
        " 'times_as_fast': %.17g, 'rank_status': 'quarantined: 3.5 times as fast as anything known'}],"
        " 'similar': [{'problem': 'conv1d', 'a': {'name': 'Ada Lovelace', 'submission': 4}, 'b': {'name': 'Kurt Gödel',"
        " 'submission': 9}, 'key': '4-9', 'same_machine_code': 1, 'source': 0.93, 'device_code': 1}],"
        " 'similar_time': '2026-11-23T03:00:00Z', 'outdated': [], 'groups': [{'name': 'Monday, 10 h', 'members': 23, 'number': 1},"
        " {'name': '<b>Tuesday</b>', 'members': 18, 'number': 2}]}",
        STUDENTS, name_of(3), make_line(3).time.ms, 0.4 / make_line(3).time.ms);
    cJSON *people = cJSON_AddArrayToObject(values, "people"), *stuck = cJSON_GetObjectItem(values, "stuck");
    for (int i = 0; i < STUDENTS; i++) {
        cJSON *row = values_row(people), *cells = cJSON_AddArrayToObject(row, "cells");
        values_put(row, "person=%s", name_of(i));
        for (int k = 0; k < PROBLEMS; k++) {
            const int tries = (i * 7 + k * 5) % 6, is_solved = tries > 0 && (i + k) % 4 != 0;
            const char *problem = cJSON_GetArrayItem(cJSON_GetObjectItem(values, "problems"), k)->valuestring;
            cJSON *cell = values_of("{'person': '%s', 'problem': '%s', 'tries': %d, 'is_solved': %d, 'number': 4,"
                                    " 'verdict': 'Wrong Answer', 'since': '2026-11-20T09:00:00Z'}",
                                    name_of(i), problem, tries, is_solved);
            if (tries > 0 && !is_solved)
                cJSON_AddItemToArray(stuck, cJSON_Duplicate(cell, true));
            cJSON_AddItemToArray(cells, tries > 0 ? cJSON_Duplicate(cell, true) : cJSON_CreateNull());
            cJSON_Delete(cell);
            solved[k] += is_solved;
        }
    }
    cJSON_AddItemToObject(values, "solved", cJSON_CreateIntArray(solved, PROBLEMS));
    draw("teacher", &teacher, "teacher", values);
}

/* The source against itself with two lines before it. */
static void draw_pair(const char *source)
{
    const char *text = source == NULL ? "int a;\nint b;\nint c;\n" : source;
    const PairSource sources[] = {
        {.source = text, .submission = 4},
        {.source = arena_printf(&arena, "// </pre><script>x</script>\n// two\n%s", text)},
    };
    cJSON *pair = values_of(
        "{'a': {'person': 'Özge <b>Yıldız</b>', 'file': 'my_second_attempt_with_a_long_name.cu', 'handed_out': [[2, 3]]},"
        " 'b': {'from': '/srv/2025/submissions', 'file': 'Ada L_17_file_/<i>winner</i>.cu', 'handed_out': [[4, 5]]},"
        " 'source': [0.93, 0.87], 'device_code': [1, 0.99], 'same_machine_code': true, 'parts': ["
        "{'lines': [[4, 7], [6, 9]]}, {'lines': [[8, 8], [10, 10]]}, {'lines': [[10, 13], [12, 15]]},"
        " {'lines': [[14, 15], [16, 17]]}, {'lines': [[17, 18], [19, 20]]}, {'lines': [[19, 20], [21, 22]]},"
        " {'lines': [[22, 22], [24, 24]]}]}");
    cJSON *values = pair_values(pair, sources);
    values_put(values, "problem=%s time_utc=%s", "conv1d", "2026-11-23T03:00:00Z");
    draw("pair", &teacher, "pair", values);
    cJSON_Delete(pair);
}

static void draw_admin(void)
{
    cJSON *values = values_of(
        "{'workers': [{'name': 'gpu1.0', 'device': 'cuda:0, NVIDIA H200', 'state': 'judging', 'drained': null,"
        " 'since': '2026-11-23T13:20:01Z', 'judging': 118, 'judged': 412, 'failed': 0},"
        " {'name': 'gpu1.1', 'device': 'cuda:1, NVIDIA H200', 'state': 'gets no work', 'drained': 'it failed on two submissions',"
        " 'since': '2026-11-23T12:00:00Z', 'judging': 0, 'judged': 398, 'failed': 2},"
        " {'name': 'gpu2.0', 'device': 'h200', 'state': 'not there', 'drained': null,"
        " 'since': '2026-11-22T09:00:00Z', 'judging': 0, 'judged': 12, 'failed': 1},"
        " {'name': 'gpu3.0', 'device': 'h200', 'state': 'idle', 'drained': null,"
        " 'since': null, 'judging': 0, 'judged': 0, 'failed': 0}], 'lacks_workers': 1, 'clock': null, 'pause': null, 'outdated': [], 'pilots': null,"
        " 'disks': [{'name': 'store', 'path': '/var/lib/convjudge/service.db', 'used_bytes': 48123904, 'free_bytes': 812345678912},"
        " {'name': 'pilots', 'path': '/var/lib/convjudge/pilots', 'used_bytes': 1048576, 'free_bytes': 812345678912}],"
        " 'failures': [{'time_utc': '2026-11-23T12:00:00Z', 'what': 'the broker did not start: cuInit: unknown error',"
        " 'worker': 'gpu1.1', 'submission': 97}]}");
    put_lines(values, "queue", 4);
    put_lines(values, "held", 1);
    draw("admin", &admin, "admin", values);
}

static void draw_batches(void)
{
    static const char open[] = "'number': 3, 'problem': 'conv1d', 'reason': 'a <b>hidden</b> case with an even filter',"
                               " 'created': '2026-11-23T12:00:00Z', 'state': 'open', 'submissions': 8, 'judged': 5,"
                               " 'waiting': 1, 'judging': 1, 'held': 1, 'cancelled': 0";
    draw("batches", &admin, "batches",
         values_of(
             "{'batches': [{%s}, {'number': 2, 'problem': 'conv2d', 'reason': 'another driver',"
             " 'created': '2026-11-20T12:00:00Z', 'state': 'applied', 'submissions': 120, 'judged': 120, 'waiting': 0,"
             " 'judging': 0, 'held': 0, 'cancelled': 0}], 'problems': ['conv1d', 'conv2d']}",
             open));
    draw("batch", &admin, "batch",
         values_of("{%s, 'revision': '593683473feebaf1', 'changed': 3, 'same': 2, 'omissions': [{'number': 117,"
                   " 'why': 'its author has withdrawn it'}], 'changes': ["
                   "{'number': 118, 'person': '%s', 'is_noise': 0,"
                   " 'before': {'verdict': 'Accepted', 'time_ms': 0.0512, 'uncertainty': 0.005, 'rank': 1},"
                   " 'after': {'verdict': 'Wrong Answer', 'time_ms': 0, 'uncertainty': 0, 'rank': 0}},"
                   "{'number': 116, 'person': '%s', 'is_noise': 1,"
                   " 'before': {'verdict': 'Accepted', 'time_ms': 0.1512, 'uncertainty': 0.005, 'rank': 3},"
                   " 'after': {'verdict': 'Accepted', 'time_ms': 0.1513, 'uncertainty': 0.004, 'rank': 2}},"
                   "{'number': 113, 'person': '%s', 'is_noise': 0,"
                   " 'before': {'verdict': 'Run-Time Error', 'time_ms': 0, 'uncertainty': 0, 'rank': 0},"
                   " 'after': {'verdict': 'Accepted', 'time_ms': 0.1801, 'uncertainty': 0.02, 'rank': 3}}]}",
                   open, name_of(2), name_of(3), name_of(4)));
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
        facts_expect(&facts, person, "week-1", NULL);
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
    facts_free(&facts);
}

static void draw_class(const char *source)
{
    enum { SOURCES = 30, ASSIGNMENTS = 3 };
    cJSON *values = values_of("{'problem': 'conv1d', 'problem_title': '1D convolution', 'sources': [], 'part': null}");
    for (int i = 0; i < SOURCES; i++) {
        cJSON *row = values_row(cJSON_GetObjectItem(values, "sources"));
        values_put(row, "number=%d person=%s file_name=%s received=%s device=%s", 100 - i, name_of(i),
                   arena_printf(&arena, "submission-%d.cu", 100 - i), "2026-11-08T12:00:00Z", "sim-h200");
        values_time(row, (MeasuredTime){.ms = 0.05 * (i + 1), .uncertainty = 0.005});
    }
    draw("sources", &student, "sources", values);
    values = values_of(
        "{'number': 98, 'person': '%s', 'file_name': 'submission-98.cu', 'received': '2026-11-08T12:00:00Z',"
        " 'problem': 'conv1d', 'problem_title': '1D convolution'}",
        name_of(2));
    cJSON_AddItemToObject(values, "source", source_values(source == NULL ? "// <nothing>\n" : source, NULL, NULL));
    draw("source", &student, "source", values);
    values = cJSON_CreateObject();
    values_put(values, "group=%s invitation=%s", "Monday's \"group\" <i>", "f97a8fe28ff71f230f09");
    draw("join", &student, "join", values);
    values = values_of(
        "{'class': 'Parallel programming', 'part': null, 'assignments': ['One dimension', 'Two | dimensions', 'Pictures'], 'people': [],"
        " 'strangers': [{'person': 'adda', 'nearest': 'ada'}], 'extensions': [{'time_utc': '2026-11-09T12:00:00Z', 'person': 'convjudge serve', 'action': 'extension add',"
        " 'object': 'Ada Lovelace, week-1: due 2026-11-16T23:59 instead of 2026-11-09T23:59, by grace: ill"
        " (/etc/convjudge/class.json)'}]}");
    for (int i = 0; i < PEOPLE; i++) {
        cJSON *row = values_row(cJSON_GetObjectItem(values, "people")), *cells = cJSON_AddArrayToObject(row, "cells");
        double sum = 0;
        for (int k = i * ASSIGNMENTS; k < (i + 1) * ASSIGNMENTS; k++) {
            sum += k % 9 / 2.0;
            if (k % 7 == 0)
                cJSON_AddItemToArray(cells, cJSON_CreateNull());
            else
                values_put(values_row(cells), "points=%g is_final=%d is_extended=%d", k % 9 / 2.0, k % 5 != 0,
                           k % 11 == 0);
        }
        values_put(row, "person=%s sum=%g", name_of(i), sum);
    }
    draw("points", &teacher, "points", values);
}

static void draw_others(void)
{
    cJSON *values = values_of(
        "{'problems': [{'id': 'conv1d', 'title': '1D convolution', 'difficulty': 'easy', 'people': 60, 'verdict': 'Accepted',"
        " 'best_name': 'Özge <b>Yıldız</b>', 'time_ms': 0.0516, 'uncertainty': 0.005, 'device': 'sim-h200'},"
        " {'id': 'conv2d-same', 'title': '2D convolution with ghost cells', 'difficulty': 'medium', 'people': 12,"
        " 'verdict': 'Wrong Answer', 'best_name': 'Kurt Gödel', 'time_ms': 0.312, 'uncertainty': 0.005, 'device': 'sim-h200'},"
        " {'id': 'blur-rgb', 'title': 'Blur of a colour picture', 'difficulty': 'hard', 'people': 0, 'verdict': null,"
        " 'best_name': '', 'time_ms': 0, 'uncertainty': 0, 'device': ''}], 'assignments': [{'title': 'One dimension',"
        " 'problems': ['conv1d'], 'outlook': 'closed 2026-11-12 23:59 (Europe/Berlin), 9 days ago; what is handed in now is"
        " judged, but does not count'}, {'title': 'Two dimensions <and> colours', 'problems': ['conv2d-same', 'blur-rgb'],"
        " 'outlook': 'due 2026-11-23 23:59 (Europe/Berlin), in 3 hours'}]}");
    put_lines(values, "recent", 6);
    draw("index", &student, "index", values);
    draw("secret", &teacher, "secret",
         values_of("{'what': 'Token of', 'name': 'Grace', 'text': 'It is shown only now.',"
                   " 'secret': 'f97a8fe28ff71f230f0977229bc269b9bc58d0ad328aa145171648b1991979ee'}"));
    draw("login", &nobody, "login",
         values_of("{'complaint': 'This token is not known.', 'next': '/problems/conv1d', 'kept': null}"));
    draw("error", &nobody, "error",
         values_of(
             "{'words': 'There is no such page', 'text': 'There is no submission 4000, or none that you may see.'}"));
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
