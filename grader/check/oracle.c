#include "grader/check/oracle.h"

#include "base/arena.h"
#include "base/compile_cache.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/paths.h"
#include "base/scratch.h"
#include "base/text.h"
#include "grader/check/kept_pass.h"
#include "harness/compile/judge_source.h"
#include "harness/compile/toolkit.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES = 8,           /* neighbours computed together: the widest registers of x86-64 hold eight doubles */
    PIECE = 4096,        /* elements computed by one thread at a time */
    MOST_KEPT = 1 << 22, /* inner sums that are kept at a time: 64 MiB */
    MAX_SOURCE_BYTES = 1 << 20,
    MAX_LIBRARY_BYTES = 16 << 20
};

/* The type of oracle_row() and oracle_pass_row() in grader/check/row.c. */
typedef void RowFunction(const void *const *inputs, const int64_t *sizes, const KeptPass *kept, const int64_t *first,
                         size_t count, double *expected, double *magnitude);

typedef struct Library {
    void *handle;
    RowFunction *row, *pass; /* pass: NULL if the oracle has none */
} Library;

struct Oracle {
    Problem problem;            /* as it is for the output */
    Library single, neighbours; /* `neighbours` is empty if there are none to compute together */
    Library checker;            /* empty if the output has one right answer */
    Oracle *next;               /* of the next output; NULL: none */
};

/* One of the libraries that are compiled from the same sources. */
typedef struct Form {
    const char *name;
    const char *real; /* the type of one number */
    int lanes;
    bool is_checker;
} Form;

static const Form form_single = {"single", "double", 1, false},
                  form_neighbours = {"neighbours", "double", LANES, false},
                  form_wide = {"wide", "long double", 1, false}, form_checker = {"checker", "double", 1, true};

/* No -ffast-math, and no product fused with a sum (grader/check/element.h). */
#define FLAGS "-std=gnu11", "-O3", "-ffp-contract=off", "-Wno-psabi", "-fPIC", "-shared"

/* --- what is compiled --------------------------------------------------------------------------------------------- */

typedef struct Sources {
    char row[PATH_MAX], element[PATH_MAX], element_type[PATH_MAX], kept_pass[PATH_MAX];
    char oracle[PATH_MAX], checker[PATH_MAX];
    bool is_single, has_checker; /* ORACLE_SINGLE; checker.h has a function for the output */
    Text case_header;
    Digest digest; /* of all sources, the flags and the compiler */
} Sources;

/* Adds the type Case, which has a member for each parameter, and one for the values of ORACLE_PASS
 * (grader/check/element.h). Only checker.h sees arrays that are only written. */
static void add_case_type(const Problem *problem, Text *text)
{
    text_add(text,
             "#include <stdbool.h>\n#include <stddef.h>\n#ifdef CHECKER_FILE\n#define OF_CHECKER(...) __VA_ARGS__\n"
             "#else\n#define OF_CHECKER(...)\n#endif\ntypedef struct Case {\n");
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (parameter_is_array(&problem->parameters[i]))
            text_printf(text,
                        problem->parameters[i].role == ROLE_OUT ? "    OF_CHECKER(const %s *%s;)\n"
                                                                : "    const %s *%s;\n",
                        element_traits[problem->parameters[i].type].storage, problem->parameters[i].name);
        else
            text_printf(text, "    %s %s;\n", problem->parameters[i].c_type, problem->parameters[i].name);
    text_add(text, "    const void *kept_pass;\n} Case;\n#define CASE_OF(inputs, sizes) {");
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (parameter_is_array(&problem->parameters[i]))
            text_printf(text,
                        problem->parameters[i].role == ROLE_OUT ? " OF_CHECKER(.%s = (const %s *)inputs[%zu],)"
                                                                : " .%s = (const %s *)inputs[%zu],",
                        problem->parameters[i].name, element_traits[problem->parameters[i].type].storage, i);
        else
            text_printf(text,
                        problem->parameters[i].role == ROLE_SCALAR ? " .%s = (%s)scalar_of(sizes[%zu]),"
                                                                   : " .%s = (%s)sizes[%zu],",
                        problem->parameters[i].name, problem->parameters[i].c_type, i);
    text_add(text, " }\n");
}

/* "oracle"; where a problem has several outputs, "oracle_indices". */
static void add_function_name(const Problem *problem, const char *kind, Text *text)
{
    Problem second;
    text_add(text, kind);
    if (problem_of_output(problem, 1, &second))
        text_printf(text, "_%s", problem->parameters[problem_output(problem)].name);
}

/* Adds how a function like oracle() is called for the element at a position. */
static void add_call(const Problem *problem, Text *text)
{
    int rank = problem->parameters[problem_output(problem)].rank;
    text_add(text, "#define ORACLE_FUNCTION ");
    add_function_name(problem, "oracle", text);
    text_add(text, "\n#define CHECKER_FUNCTION ");
    add_function_name(problem, "checker", text);
    text_printf(text, "\nenum { RANK = %d };\n#define ORACLE_CALL(function, c, position) function(c", rank);
    for (int i = 0; i < rank; i++)
        text_printf(text, ", position[%d]", i);
    text_add(text, ")\n");
}

void oracle_case_header(const Problem *problem, Text *text)
{
    add_case_type(problem, text);
    add_call(problem, text);
}

/* Whether the text has the word, such as the name of a function. */
static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        if ((at == text || !text_in_word(at[-1])) && !text_in_word(at[length]))
            return true;
    return false;
}

Status oracle_find_checker(const Problem *problem, char *path, size_t size, bool *found, Message *why)
{
    Text text = {0}, name = {0};
    snprintf(path, size, "%s/checker.h", problem->folder);
    Status status = text_read_file(path, MAX_SOURCE_BYTES, &text, why);
    add_function_name(problem, "checker", &name);
    *found = status == STATUS_OK && has_word(text.data, name.data);
    text_free(&name);
    text_free(&text);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

/* Refuses an oracle that includes a file, which would not be part of the digest. */
static Status check_alone(const char *path, bool *is_single, Message *why)
{
    Text text = {0};
    Status status = text_read_file(path, MAX_SOURCE_BYTES, &text, why);
    const char *include = status == STATUS_OK ? strstr(text.data, "#include") : NULL;
    if (include != NULL)
        status = fail(STATUS_BAD_INPUT, why, "%s:%d: expected no #include: an oracle stands alone", path,
                      text_line_at(text.data, (size_t)(include - text.data)));
    *is_single = status == STATUS_OK && has_word(text.data, "ORACLE_SINGLE");
    text_free(&text);
    return status;
}

static Status hash_compiler(Hash *hash, Message *why)
{
    char gcc[PATH_MAX];
    if (!program_on_path("gcc", gcc))
        return fail(STATUS_SYSTEM, why, "gcc was not found, which compiles oracle.h: install gcc");
    (void)program_hash(gcc, hash);
    return STATUS_OK;
}

static Status find_sources(const Problem *problem, Sources *sources, Message *why)
{
    static const char *const flags[] = {FLAGS};
    Hash hash;
    hash_begin(&hash);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        hash_add_string(&hash, flags[i]);
    oracle_case_header(problem, &sources->case_header);
    hash_add(&hash, sources->case_header.data, sources->case_header.length);
    snprintf(sources->oracle, sizeof sources->oracle, "%s/oracle.h", problem->folder);
    Status status = paths_home("grader/check/row.c", sources->row, sizeof sources->row, why);
    THEN(status, paths_home("grader/check/element.h", sources->element, sizeof sources->element, why));
    THEN(status, paths_home("base/element_type.h", sources->element_type, sizeof sources->element_type, why));
    THEN(status, paths_home("grader/check/kept_pass.h", sources->kept_pass, sizeof sources->kept_pass, why));
    THEN(status, judge_source_hash(&hash, sources->row, why));
    THEN(status, judge_source_hash(&hash, sources->element, why));
    THEN(status, judge_source_hash(&hash, sources->element_type, why));
    THEN(status, judge_source_hash(&hash, sources->kept_pass, why));
    THEN(status, check_alone(sources->oracle, &sources->is_single, why));
    THEN(status, judge_source_hash(&hash, sources->oracle, why));
    THEN(status, oracle_find_checker(problem, sources->checker, sizeof sources->checker, &sources->has_checker, why));
    bool ignored;
    if (sources->has_checker)
        THEN(status, check_alone(sources->checker, &ignored, why));
    if (sources->has_checker)
        THEN(status, judge_source_hash(&hash, sources->checker, why));
    THEN(status, hash_compiler(&hash, why));
    sources->digest = hash_end(&hash);
    return status;
}

/* --- compiling ---------------------------------------------------------------------------------------------------- */

static Status compile_form(const Sources *sources, const Form *form, const char *folder, const char *library,
                           Message *why)
{
    char case_file[PATH_MAX], march[40], define_real[40], define_lanes[40];
    char define_case[PATH_MAX + 40], define_oracle[PATH_MAX + 40], define_checker[PATH_MAX + 40] = "-DORACLE_ALONE";
    snprintf(case_file, sizeof case_file, "%s/case.h", folder);
    snprintf(march, sizeof march, "-march=%s", machine_march());
    snprintf(define_real, sizeof define_real, "-DREAL=%s", form->real);
    snprintf(define_lanes, sizeof define_lanes, "-DLANES=%d", form->lanes);
    snprintf(define_case, sizeof define_case, "-DCASE_FILE=\"%s\"", case_file);
    snprintf(define_oracle, sizeof define_oracle, "-DORACLE_FILE=\"%s\"", sources->oracle);
    if (form->is_checker)
        snprintf(define_checker, sizeof define_checker, "-DCHECKER_FILE=\"%s\"", sources->checker);
    const char *const argv[] = {"/usr/bin/env", "gcc",       FLAGS,         march,          define_real,
                                define_lanes,   define_case, define_oracle, define_checker, sources->row,
                                "-o",           library,     NULL};
    TRY(text_write_file(case_file, &sources->case_header, why));
    return judge_source_compile(argv, folder, form->is_checker ? sources->checker : sources->oracle, why);
}

/* --- loading ------------------------------------------------------------------------------------------------------ */

/* Each form, for each level of processors, has an entry of its own, so that no processor gets a library that it cannot
 * run. */
static Digest cache_key(const Sources *sources, const Form *form)
{
    Hash hash;
    hash_begin(&hash);
    hash_add_string(&hash, "convjudge oracle 1"); /* raise it when an entry's meaning changes */
    hash_add_string(&hash, sources->digest.hex);
    hash_add_string(&hash, machine_march());
    hash_add_string(&hash, form->name);
    return hash_end(&hash);
}

/* Takes the library that dlopen() has opened; false if `handle` is NULL or not an oracle. */
static bool take_library(void *handle, Library *library)
{
    library->handle = handle;
    library->row = handle == NULL ? NULL : (RowFunction *)(intptr_t)dlsym(handle, "oracle_row");
    library->pass = handle == NULL ? NULL : (RowFunction *)(intptr_t)dlsym(handle, "oracle_pass_row");
    if (handle != NULL && library->row == NULL)
        dlclose(handle);
    return library->row != NULL;
}

static void keep_in_cache(const char *path, const Digest *key)
{
    Text bytes = {0};
    if (text_read_file(path, MAX_LIBRARY_BYTES, &bytes, NULL) == STATUS_OK)
        compile_cache_write(NULL, key, &bytes);
    text_free(&bytes);
}

static Status compile_and_load(const Sources *sources, const Form *form, const Digest *key, Library *library,
                               Message *why)
{
    char folder[PATH_MAX - 20], path[PATH_MAX];
    TRY(scratch_new(folder, sizeof folder, why));
    snprintf(path, sizeof path, "%s/oracle.so", folder);
    Status status = compile_form(sources, form, folder, path, why);
    if (status == STATUS_OK && !take_library(dlopen(path, RTLD_NOW | RTLD_LOCAL), library))
        status = fail(STATUS_SYSTEM, why, "%s: compiled, but cannot be loaded: %s", sources->oracle, dlerror());
    if (status == STATUS_OK)
        keep_in_cache(path, key);
    scratch_remove(folder); /* a loaded library stays in memory */
    return status;
}

static Status library_open(const Sources *sources, const Form *form, Library *library, Message *why)
{
    Digest key = cache_key(sources, form);
    if (take_library(compile_cache_load(NULL, &key), library))
        return STATUS_OK;
    return compile_and_load(sources, form, &key, library, why);
}

/* An output in double needs more than double to be checked. */
static Status open_output(const Problem *view, bool wide, Oracle **oracle, Message *why)
{
    Sources sources = {0};
    *oracle = allocated(calloc(1, sizeof **oracle));
    (*oracle)->problem = *view;
    wide = wide || view->parameters[problem_output(view)].type == ELEMENT_FLOAT64;
    Status status = find_sources(view, &sources, why);
    THEN(status, library_open(&sources, wide ? &form_wide : &form_single, &(*oracle)->single, why));
    if (status == STATUS_OK && !wide && !sources.is_single)
        status = library_open(&sources, &form_neighbours, &(*oracle)->neighbours, why);
    if (status == STATUS_OK && sources.has_checker)
        status = library_open(&sources, &form_checker, &(*oracle)->checker, why);
    text_free(&sources.case_header);
    return status;
}

static Status open_outputs(const Problem *problem, bool wide, Oracle **oracle, Message *why)
{
    Status status = STATUS_OK;
    Oracle **next = oracle;
    Problem view;
    *oracle = NULL;
    for (size_t number = 0; status == STATUS_OK && problem_of_output(problem, number, &view); number++) {
        status = open_output(&view, wide, next, why);
        next = &(*next)->next;
    }
    if (status != STATUS_OK) {
        oracle_close(*oracle);
        *oracle = NULL;
    }
    return status;
}

Status oracle_open(const Problem *problem, Oracle **oracle, Message *why)
{
    return open_outputs(problem, false, oracle, why);
}

Status oracle_open_wide(const Problem *problem, Oracle **oracle, Message *why)
{
    return open_outputs(problem, true, oracle, why);
}

const Problem *oracle_problem(const Oracle *oracle)
{
    return &oracle->problem;
}

const Oracle *oracle_next(const Oracle *oracle)
{
    return oracle->next;
}

bool oracle_has_checker(const Oracle *oracle)
{
    return oracle->checker.row != NULL;
}

void oracle_close(Oracle *oracle)
{
    while (oracle != NULL) {
        Oracle *const next = oracle->next;
        const Library *const libraries[] = {&oracle->single, &oracle->neighbours, &oracle->checker};
        for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
            if (libraries[i]->row != NULL)
                dlclose(libraries[i]->handle);
        free(oracle);
        oracle = next;
    }
}

/* --- evaluating --------------------------------------------------------------------------------------------------- */

typedef struct Evaluation {
    const Oracle *oracle;
    const Sizes *sizes;
    const void *const *inputs;
    int rank;
    size_t shape[TENSOR_MAX_RANK];
    bool is_pass;           /* of the inner sums, not of the output */
    bool by_checker;        /* by checker.h, which sees the output */
    OracleBetween *between; /* changes the inner sums; NULL: they stay */
    KeptPass kept;
} Evaluation;

typedef enum OracleOutcome { OUTCOME_GOOD, OUTCOME_NOT_FINITE, OUTCOME_DISAGREEMENT } OracleOutcome;

static void position_of(const Evaluation *evaluation, size_t index, int64_t position[TENSOR_MAX_RANK])
{
    for (int i = evaluation->rank - 1; i >= 0; i--) {
        position[i] = (int64_t)(index % evaluation->shape[i]);
        index /= evaluation->shape[i];
    }
}

static void evaluate_with(const Evaluation *evaluation, const Library *library, size_t first, size_t count,
                          double *expected, double *magnitude)
{
    int64_t position[TENSOR_MAX_RANK];
    position_of(evaluation, first, position);
    if (evaluation->by_checker)
        library = &evaluation->oracle->checker;
    RowFunction *const function = evaluation->is_pass ? library->pass : library->row;
    function(evaluation->inputs, evaluation->sizes->values, &evaluation->kept, position, count, expected, magnitude);
}

/* An oracle.h may wrongly use at() for an index that does not grow by one from neighbour to neighbour. Then only the
 * first neighbour is right, so the last one is computed on its own as well. So it is without kept inner sums, which are
 * others if the index of pass_at() does not belong to its position. */
static bool last_agrees(const Evaluation *evaluation, size_t last, double expected, double magnitude)
{
    double single[2];
    Evaluation alone = *evaluation;
    alone.kept = (KeptPass){0};
    evaluate_with(&alone, &evaluation->oracle->single, last, 1, &single[0], &single[1]);
    return memcmp(&single[0], &expected, sizeof expected) == 0 && memcmp(&single[1], &magnitude, sizeof magnitude) == 0;
}

/* Evaluates elements of one row: as many as possible in groups of neighbours, the rest one by one. */
static OracleOutcome evaluate_row(const Evaluation *evaluation, size_t first, size_t count, double *expected,
                                  double *magnitude)
{
    const Oracle *oracle = evaluation->oracle;
    size_t together = oracle->neighbours.row == NULL || evaluation->by_checker ? 0 : count / LANES * LANES;
    if (together > 0)
        evaluate_with(evaluation, &oracle->neighbours, first, together, expected, magnitude);
    if (together < count)
        evaluate_with(evaluation, &oracle->single, first + together, count - together, expected + together,
                      magnitude + together);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(expected[i]) || !isfinite(magnitude[i]))
            return OUTCOME_NOT_FINITE;
    if (together > 0 && evaluation->between == NULL &&
        !last_agrees(evaluation, first + together - 1, expected[together - 1], magnitude[together - 1]))
        return OUTCOME_DISAGREEMENT;
    return OUTCOME_GOOD;
}

static OracleOutcome evaluate_piece(const Evaluation *evaluation, size_t first, size_t count, double *expected,
                                    double *magnitude)
{
    size_t columns = evaluation->shape[evaluation->rank - 1];
    OracleOutcome worst = OUTCOME_GOOD;
    for (size_t done = 0; done < count;) {
        size_t to_row_end = columns - (first + done) % columns;
        size_t step = count - done < to_row_end ? count - done : to_row_end;
        OracleOutcome outcome = evaluate_row(evaluation, first + done, step, expected + done, magnitude + done);
        worst = outcome > worst ? outcome : worst;
        done += step;
    }
    return worst;
}

static OracleOutcome evaluate_all(const Evaluation *evaluation, size_t first, size_t count, double *expected,
                                  double *magnitude)
{
    int worst = OUTCOME_GOOD;
#pragma omp parallel for schedule(dynamic) reduction(max : worst) if (count > PIECE)
    for (size_t start = 0; start < count; start += PIECE) {
        size_t step = count - start < PIECE ? count - start : PIECE;
        int outcome = evaluate_piece(evaluation, first + start, step, expected + start, magnitude + start);
        worst = outcome > worst ? outcome : worst;
    }
    return (OracleOutcome)worst;
}

/* --- inner sums --------------------------------------------------------------------------------------------------- */

enum { PROBES = 4 };

/* Which inner sums PROBES of the elements read: the first and the last one, and, since these may lie in the middle of a row,
 * the ends of the rows beside them. What no probe reads is computed where it is read. */
static PassReach pass_reach(const Evaluation *evaluation, size_t first, size_t count)
{
    const size_t columns = evaluation->shape[evaluation->rank - 1], end = first + count;
    const size_t next_row = (first / columns + 1) * columns, last_row = (end - 1) / columns * columns;
    const size_t probes[PROBES] = {first, next_row < end ? next_row : first, last_row > first ? last_row - 1 : first,
                                   end - 1};
    PassReach reach = {.least = INT64_MAX, .most = -1};
    Evaluation probing = *evaluation;
    double expected = 0, magnitude = 0;
    probing.kept = (KeptPass){.reach = &reach};
    for (int i = 0; i < PROBES; i++)
        evaluate_with(&probing, &evaluation->oracle->single, probes[i], 1, &expected, &magnitude);
    return reach;
}

/* Computes the inner sums that `count` elements from `first` on read: where they are changed, or where they are at most
 * half as many as the elements would compute on their own. `*memory` gets their memory, to be freed, or NULL: none are
 * kept. */
static OracleOutcome keep_pass(Evaluation *evaluation, size_t first, size_t count, double **memory)
{
    OracleBetween *const between = evaluation->between;
    *memory = NULL;
    if (evaluation->oracle->neighbours.pass == NULL || evaluation->by_checker || (count <= PIECE && between == NULL))
        return OUTCOME_GOOD;
    const PassReach reach = pass_reach(evaluation, first, count);
    const size_t kept = reach.reads == 0 ? 0 : (size_t)(reach.most - reach.least) + 1;
    const bool is_worth_it = kept <= MOST_KEPT && kept <= count * (size_t)reach.reads / PROBES / 2;
    if (kept == 0 || (between == NULL && !is_worth_it))
        return OUTCOME_GOOD;
    *memory = allocated(malloc(2 * kept * sizeof **memory));
    evaluation->is_pass = true;
    const OracleOutcome outcome = evaluate_all(evaluation, (size_t)reach.least, kept, *memory, *memory + kept);
    evaluation->is_pass = false;
    for (size_t i = 0; i < kept && between != NULL; i++)
        (*memory)[i] = between((*memory)[i]);
    evaluation->kept = (KeptPass){*memory, *memory + kept, reach.least, (int64_t)kept, NULL};
    return outcome;
}

static Status evaluate(Evaluation evaluation, size_t first, size_t count, double *expected, double *magnitude,
                       Message *why)
{
    const Problem *problem = &evaluation.oracle->problem;
    const Sizes *sizes = evaluation.sizes;
    size_t output = problem_output(problem), output_count;
    evaluation.rank = problem->parameters[output].rank;
    TRY(problem_shape(problem, output, sizes, evaluation.shape, &output_count, why));
    if (first > output_count || count > output_count - first)
        return fail(STATUS_BAD_INPUT, why, "elements %zu to %zu of an output of %zu", first, first + count,
                    output_count);
    double *memory;
    const OracleOutcome of_pass = keep_pass(&evaluation, first, count, &memory);
    const OracleOutcome of_output = evaluate_all(&evaluation, first, count, expected, magnitude);
    const OracleOutcome worst = of_pass > of_output ? of_pass : of_output;
    free(memory);
    if (worst == OUTCOME_NOT_FINITE)
        return fail(STATUS_SYSTEM, why, "%s/%s: an expected value is not finite", problem->folder,
                    evaluation.by_checker ? "checker.h" : "oracle.h");
    if (worst == OUTCOME_DISAGREEMENT)
        return fail(STATUS_SYSTEM, why,
                    "%s/oracle.h: neighbours differ from single elements: the index of at() must grow by one along the "
                    "last index, and that of pass_at() belong to its position",
                    problem->folder);
    return STATUS_OK;
}

Status oracle_evaluate_between(const Oracle *oracle, const Sizes *sizes,
                               const void *const inputs[PROBLEM_MAX_PARAMETERS], OracleBetween *between, size_t first,
                               size_t count, double *expected, double *magnitude, Message *why)
{
    const Evaluation evaluation = {.oracle = oracle, .sizes = sizes, .inputs = inputs, .between = between};
    return evaluate(evaluation, first, count, expected, magnitude, why);
}

Status oracle_evaluate(const Oracle *oracle, const Sizes *sizes, const void *const inputs[PROBLEM_MAX_PARAMETERS],
                       size_t first, size_t count, double *expected, double *magnitude, Message *why)
{
    return oracle_evaluate_between(oracle, sizes, inputs, NULL, first, count, expected, magnitude, why);
}

Status oracle_evaluate_nearest(const Oracle *oracle, const Sizes *sizes,
                               const void *const arrays[PROBLEM_MAX_PARAMETERS], size_t first, size_t count,
                               double *expected, double *magnitude, Message *why)
{
    const Evaluation evaluation = {
        .oracle = oracle, .sizes = sizes, .inputs = arrays, .by_checker = oracle_has_checker(oracle)};
    return evaluate(evaluation, first, count, expected, magnitude, why);
}
