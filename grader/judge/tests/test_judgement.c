#include "base/tests/unit.h"

#include <string.h>

#include "grader/judge/case_run.h"

static const Comparison right = {.count = 10};
static const Comparison wrong = {.count = 10, .wrong = 1, .kind = {WRONG_PLACE_LAST}, .text = "the last element"};
static const Comparison imprecise = {.count = 10,
                                     .rms_exceeded = true,
                                     .kind = {WRONG_PLACE_EVERYWHERE, WRONG_NATURE_IMPRECISE},
                                     .text = "too imprecise"};

static const char LACK[] = "a limit of the judge: it does not provide cudaIpcGetMemHandle (submission.cu:5)";
#define MISSING                                                                                                        \
    {                                                                                                                  \
        .error = 801, .text = "cudaIpcGetMemHandle", .mistake = {.kind = MISTAKE_NOT_PROVIDED, .line = 5 }             \
    }

/* Reports of one call of solve(), and the verdicts for them. */
static const struct {
    const char *what;
    CallReport call;
    const Comparison *comparison;
    Verdict verdict;
    const char *text;
} rows[] = {
    {"a right output", {.output_origin = ORIGIN_KERNELS}, &right, VERDICT_ACCEPTED, ""},
    {"a device that cannot tell who wrote", {.output_origin = ORIGIN_UNKNOWN}, &right, VERDICT_ACCEPTED, ""},
    {"an error without consequences",
     {.output_origin = ORIGIN_KERNELS, .first_error = {.error = 1}},
     &right,
     VERDICT_ACCEPTED,
     ""},
    {"a refused allocation without consequences",
     {.output_origin = ORIGIN_KERNELS, .allocation_refused = true},
     &right,
     VERDICT_ACCEPTED,
     ""},
    {"no kernel wrote", {.output_origin = ORIGIN_NO_KERNEL}, &right, VERDICT_RULE_VIOLATION, "no kernel"},
    {"copied from the host",
     {.output_origin = ORIGIN_HOST},
     &right,
     VERDICT_RULE_VIOLATION,
     "cudaMemcpyDeviceToDevice"},
    {"a result that was copied on the device",
     {.output_origin = ORIGIN_KERNELS, .output_copied = true},
     &right,
     VERDICT_ACCEPTED,
     ""},
    {"a wrong output", {.output_origin = ORIGIN_KERNELS}, &wrong, VERDICT_WRONG_ANSWER, "the last element"},
    {"too imprecise", {.output_origin = ORIGIN_KERNELS}, &imprecise, VERDICT_WRONG_ANSWER, "too imprecise"},
    {"a wrong output after a read of what nothing has written",
     {.output_origin = ORIGIN_KERNELS,
      .findings = {.items = {{.text = "race"}, {.is_undefined = true, .text = "unwritten"}}, .count = 2}},
     &wrong,
     VERDICT_WRONG_ANSWER,
     "the last element; unwritten"},
    {"a wrong output after a race",
     {.output_origin = ORIGIN_KERNELS, .findings = {.items = {{.text = "race"}}, .count = 1}},
     &wrong,
     VERDICT_WRONG_ANSWER,
     "the last element; race"},
    {"a right output after such a read",
     {.output_origin = ORIGIN_KERNELS,
      .findings = {.items = {{.is_undefined = true, .text = "unwritten"}}, .count = 1}},
     &right,
     VERDICT_ACCEPTED,
     ""},
    {"nothing written at all", {.output_origin = ORIGIN_NO_KERNEL}, &wrong, VERDICT_WRONG_ANSWER, "the last element"},
    {"wrong after a refused allocation",
     {.allocation_refused = true, .first_error = {.error = 2, .mistake = {.line = 12}}},
     &wrong,
     VERDICT_MEMORY_LIMIT_EXCEEDED,
     "solve() asked for more device memory than the limit, and was refused (submission.cu:12)"},
    {"wrong after an error",
     {.first_error = {.error = 9, .text = "launch of k: bad", .mistake = {.line = 12}}},
     &wrong,
     VERDICT_RUN_TIME_ERROR,
     "launch of k: bad (submission.cu:12)"},
    {"a program that ends itself after an error",
     {.outcome = CALL_RUN_TIME_ERROR, .first_error = {.error = 9, .text = "launch of k: bad"}, .text = "exit status 1"},
     NULL,
     VERDICT_RUN_TIME_ERROR,
     "launch of k: bad; after that, exit status 1"},
    {"a time-out after an error",
     {.outcome = CALL_TIME_LIMIT, .first_error = {.error = 9, .text = "launch of k: bad"}, .text = "slow"},
     NULL,
     VERDICT_TIME_LIMIT_EXCEEDED,
     "launch of k: bad; after that, slow"},
    {"host memory after an error",
     {.outcome = CALL_MEMORY_LIMIT, .first_error = {.error = 9, .text = "launch of k: bad"}, .text = "big"},
     NULL,
     VERDICT_MEMORY_LIMIT_EXCEEDED,
     "launch of k: bad; after that, big"},
    {"tampering after an error",
     {.outcome = CALL_INTEGRITY_VIOLATION, .first_error = {.error = 9, .text = "launch of k: bad"}, .text = "foreign"},
     NULL,
     VERDICT_INTEGRITY_VIOLATION,
     "foreign"},
    {"a changed input",
     {.output_origin = ORIGIN_KERNELS, .input_changed = true},
     &right,
     VERDICT_RULE_VIOLATION,
     "input"},
    {"a fault", {.outcome = CALL_RUN_TIME_ERROR, .text = "boom"}, NULL, VERDICT_RUN_TIME_ERROR, "boom"},
    {"a fault after a refused allocation",
     {.outcome = CALL_RUN_TIME_ERROR, .allocation_refused = true, .text = "boom"},
     NULL,
     VERDICT_MEMORY_LIMIT_EXCEEDED,
     "more device memory than the limit was refused; after that, boom"},
    {"a time-out", {.outcome = CALL_TIME_LIMIT, .text = "slow"}, NULL, VERDICT_TIME_LIMIT_EXCEEDED, "slow"},
    {"memory", {.outcome = CALL_MEMORY_LIMIT, .text = "big"}, NULL, VERDICT_MEMORY_LIMIT_EXCEEDED, "big"},
    {"an unknown instruction", {.outcome = CALL_UNSUPPORTED, .text = "wmma"}, NULL, VERDICT_JUDGE_ERROR, "wmma"},
    {"a missing call without consequences",
     {.output_origin = ORIGIN_KERNELS, .first_error = {.error = 801}, .not_provided = MISSING},
     &right,
     VERDICT_ACCEPTED,
     ""},
    {"a wrong output after a missing call",
     {.first_error = {.error = 801}, .not_provided = MISSING},
     &wrong,
     VERDICT_JUDGE_ERROR,
     LACK},
    {"a program that ends itself after a missing call",
     {.outcome = CALL_RUN_TIME_ERROR, .not_provided = MISSING, .text = "exit status 1"},
     NULL,
     VERDICT_JUDGE_ERROR,
     LACK},
    {"memory after a missing call",
     {.outcome = CALL_MEMORY_LIMIT, .not_provided = MISSING, .text = "big"},
     NULL,
     VERDICT_MEMORY_LIMIT_EXCEEDED,
     "big"},
    {"tampering after a missing call",
     {.outcome = CALL_INTEGRITY_VIOLATION, .not_provided = MISSING, .text = "foreign"},
     NULL,
     VERDICT_INTEGRITY_VIOLATION,
     "foreign"},
    {"a copied output after a missing call",
     {.output_origin = ORIGIN_NO_KERNEL, .not_provided = MISSING},
     &right,
     VERDICT_RULE_VIOLATION,
     "no kernel"},
    {"a foreign module",
     {.outcome = CALL_INTEGRITY_VIOLATION, .text = "foreign"},
     NULL,
     VERDICT_INTEGRITY_VIOLATION,
     "foreign"},
};

static void each_call_gets_its_verdict(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Judgement got = judgement_of_call(&rows[i].call, rows[i].comparison, true);
        const bool is_whole = strcmp(rows[i].text, LACK) != 0 || strcmp(got.text, LACK) == 0;
        if (got.verdict != rows[i].verdict || strstr(got.text, rows[i].text) == NULL || !is_whole ||
            (rows[i].text[0] == '\0' && got.text[0] != '\0'))
            fail_test("%s: %s, \"%s\"", rows[i].what, verdict_name(got.verdict), got.text);
    }
}

static const CallReport unwritten = {.output_origin = ORIGIN_KERNELS,
                                     .findings = {.items = {{.is_undefined = true, .text = "unwritten"}}, .count = 1}};
static const CallReport written = {.output_origin = ORIGIN_KERNELS,
                                   .findings = {.items = {{.text = "race"}}, .count = 1}};

static void only_undefined_values_need_a_rerun(void **state)
{
    assert_true(judgement_needs_rerun(&unwritten));
    assert_false(judgement_needs_rerun(&written));
}

/* The same call again, with other bytes in uninitialised memory. */
static const struct {
    const char *what;
    const CallReport *call;
    CallReport again;
    const Comparison *comparison;
    Verdict verdict;
    const char *text;
} again_rows[] = {
    {"right again", &unwritten, {.output_origin = ORIGIN_KERNELS}, &right, VERDICT_ACCEPTED, ""},
    {"wrong",
     &unwritten,
     {.output_origin = ORIGIN_KERNELS},
     &wrong,
     VERDICT_WRONG_ANSWER,
     "right only by luck: it uses an undefined value, and with another one: the last element; unwritten"},
    {"a fault",
     &unwritten,
     {.outcome = CALL_RUN_TIME_ERROR, .text = "boom"},
     NULL,
     VERDICT_RUN_TIME_ERROR,
     "with another one: boom; unwritten"},
    {"wrong, and the line is not to be told",
     &written,
     {.output_origin = ORIGIN_KERNELS},
     &wrong,
     VERDICT_WRONG_ANSWER,
     "with another one: the last element"},
};

static void a_rerun_gets_its_verdict(void **state)
{
    for (size_t i = 0; i < COUNT_OF(again_rows); i++) {
        Judgement got = judgement_of_rerun(again_rows[i].call, &again_rows[i].again, again_rows[i].comparison);
        if (got.verdict != again_rows[i].verdict || strstr(got.text, again_rows[i].text) == NULL ||
            (again_rows[i].text[0] == '\0' && got.text[0] != '\0'))
            fail_test("%s: %s, \"%s\"", again_rows[i].what, verdict_name(got.verdict), got.text);
    }
}

/* Where the data are secret, these are all that is told. */
static void each_mistake_has_its_kind(void **state)
{
    static const Mistake trap = {.kind = MISTAKE_TRAP, .line = 7}, read = {.kind = MISTAKE_UNINITIALISED, .line = 9},
                         launch = {.kind = MISTAKE_LAUNCH_REFUSED, .line = 3, .limit = LAUNCH_GRID_Y},
                         missing = {.kind = MISTAKE_NOT_PROVIDED, .line = 5},
                         memory = {.kind = MISTAKE_DEVICE_MEMORY, .line = 4};
    static const struct {
        CallReport call;
        const Comparison *comparison;
        HiddenFinding finding;
    } kinds[] = {
        {{.output_origin = ORIGIN_KERNELS}, &right, {{0}, {0}, MISTAKE_NONE}},
        {{.outcome = CALL_RUN_TIME_ERROR, .mistake = trap, .text = "boom"}, NULL, {.mistake = trap}},
        {{.outcome = CALL_TIME_LIMIT, .mistake = trap}, NULL, {.mistake = trap}},
        {{.outcome = CALL_MEMORY_LIMIT, .mistake = trap}, NULL, {.mistake = trap}},
        {{.outcome = CALL_UNSUPPORTED, .mistake = trap}, NULL, {.mistake = trap}},
        {{.outcome = CALL_INTEGRITY_VIOLATION, .mistake = trap}, NULL, {.mistake = trap}},
        {{.outcome = CALL_RUN_TIME_ERROR, .mistake = trap, .allocation_refused = true},
         NULL,
         {.mistake = {.kind = MISTAKE_DEVICE_MEMORY}, .also = MISTAKE_TRAP}},
        {{.outcome = CALL_RUN_TIME_ERROR,
          .mistake = trap,
          .allocation_refused = true,
          .first_error = {.error = CUDA_ERROR_MEMORY_ALLOCATION, .mistake = {.line = 4}}},
         NULL,
         {.mistake = memory, .also = MISTAKE_TRAP}},
        {{.outcome = CALL_RUN_TIME_ERROR, .mistake = trap, .not_provided = {.error = 801, .mistake = missing}},
         NULL,
         {.mistake = missing}},
        {{.outcome = CALL_RUN_TIME_ERROR, .mistake = trap, .first_error = {.error = 9, .mistake = launch}},
         NULL,
         {.mistake = launch, .also = MISTAKE_TRAP}},
        {{.outcome = CALL_RUN_TIME_ERROR,
          .mistake = trap,
          .findings =
              {.items = {{.is_undefined = true, .is_unwritten = true, .mistake = {.kind = MISTAKE_RACE_IN_WARP}},
                         {.is_undefined = true, .mistake = read}},
               .count = 2}},
         NULL,
         {.mistake = trap, .also = MISTAKE_UNINITIALISED}},
        {{.input_changed = true}, &right, {.mistake = {.kind = MISTAKE_INPUT_CHANGED}}},
        {{.output_origin = ORIGIN_HOST}, &right, {.mistake = {.kind = MISTAKE_FROM_HOST}}},
        {{.output_origin = ORIGIN_NO_KERNEL}, &right, {.mistake = {.kind = MISTAKE_NOT_BY_KERNEL}}},
        {{.output_origin = ORIGIN_KERNELS}, &wrong, {.output = {WRONG_PLACE_LAST, WRONG_NATURE_UNKNOWN}}},
        {{.allocation_refused = true}, &wrong, {.mistake = {.kind = MISTAKE_DEVICE_MEMORY}}},
        {{.not_provided = {.error = 801, .mistake = missing}}, &wrong, {.mistake = missing}},
        {{.first_error = {.error = 9, .mistake = launch}}, &wrong, {.mistake = launch}},
        {{.first_error = {.error = 9, .mistake = launch}, .findings = {.items = {{.mistake = read}}, .count = 1}},
         &wrong,
         {.mistake = launch, .also = MISTAKE_UNINITIALISED}},
        {{.findings = {.items = {{.mistake = trap}}, .count = 1}},
         &wrong,
         {.output = {WRONG_PLACE_LAST, WRONG_NATURE_UNKNOWN}, .mistake = trap}},
        {{.findings = {.items = {{.is_undefined = true, .mistake = read}}, .count = 1}},
         &wrong,
         {.output = {WRONG_PLACE_LAST, WRONG_NATURE_UNKNOWN}, .mistake = read}},
    };
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const HiddenFinding got = judgement_of_call(&kinds[i].call, kinds[i].comparison, true).finding;
        if (memcmp(&got, &kinds[i].finding, sizeof got) != 0)
            fail_test("row %zu: %s, line %d", i, mistake_words(got.mistake.kind), got.mistake.line);
    }
}

static void a_problem_may_let_the_host_write(void **state)
{
    const ContentOrigin origins[] = {ORIGIN_NO_KERNEL, ORIGIN_HOST};
    for (size_t i = 0; i < COUNT_OF(origins); i++) {
        const CallReport call = {.output_origin = origins[i]};
        assert_int_equal(judgement_of_call(&call, &right, false).verdict, VERDICT_ACCEPTED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_gets_its_verdict),       cmocka_unit_test(only_undefined_values_need_a_rerun),
        cmocka_unit_test(a_rerun_gets_its_verdict),         cmocka_unit_test(each_mistake_has_its_kind),
        cmocka_unit_test(a_problem_may_let_the_host_write),
    };
    return cmocka_run_group_tests_name("judgement", tests, NULL, NULL);
}
