#include "base/tests/unit.h"

#include <string.h>

#include "grader/judge/case_run.h"

static const Comparison right = {.count = 10};
static const Comparison wrong = {.count = 10, .wrong = 1, .kind = {WRONG_PLACE_LAST}, .text = "the last element"};
static const Comparison imprecise = {.count = 10,
                                     .rms_exceeded = true,
                                     .kind = {WRONG_PLACE_EVERYWHERE, WRONG_NATURE_IMPRECISE},
                                     .text = "too imprecise"};

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
     {.output_origin = ORIGIN_KERNELS, .first_error = 1},
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
    {"a right output after such a read",
     {.output_origin = ORIGIN_KERNELS,
      .findings = {.items = {{.is_undefined = true, .text = "unwritten"}}, .count = 1}},
     &right,
     VERDICT_ACCEPTED,
     ""},
    {"nothing written at all", {.output_origin = ORIGIN_NO_KERNEL}, &wrong, VERDICT_WRONG_ANSWER, "the last element"},
    {"wrong after a refused allocation",
     {.allocation_refused = true, .first_error = 2},
     &wrong,
     VERDICT_MEMORY_LIMIT_EXCEEDED,
     "device memory"},
    {"wrong after an error",
     {.first_error = 9, .first_error_text = "launch of k: bad"},
     &wrong,
     VERDICT_RUN_TIME_ERROR,
     "launch of k: bad"},
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
     "after that, boom"},
    {"a time-out", {.outcome = CALL_TIME_LIMIT, .text = "slow"}, NULL, VERDICT_TIME_LIMIT_EXCEEDED, "slow"},
    {"memory", {.outcome = CALL_MEMORY_LIMIT, .text = "big"}, NULL, VERDICT_MEMORY_LIMIT_EXCEEDED, "big"},
    {"an unknown instruction", {.outcome = CALL_UNSUPPORTED, .text = "wmma"}, NULL, VERDICT_JUDGE_ERROR, "wmma"},
    {"a missing call without consequences",
     {.output_origin = ORIGIN_KERNELS, .first_error = 801, .not_provided = "cudaIpcGetMemHandle"},
     &right,
     VERDICT_ACCEPTED,
     ""},
    {"a wrong output after a missing call",
     {.first_error = 801, .not_provided = "cudaIpcGetMemHandle"},
     &wrong,
     VERDICT_JUDGE_ERROR,
     "it does not provide cudaIpcGetMemHandle, and the output is wrong without it: the last element"},
    {"a program that ends itself after a missing call",
     {.outcome = CALL_RUN_TIME_ERROR, .not_provided = "cudaIpcGetMemHandle", .text = "exit status 1"},
     NULL,
     VERDICT_JUDGE_ERROR,
     "it does not provide cudaIpcGetMemHandle; after that, exit status 1"},
    {"memory after a missing call",
     {.outcome = CALL_MEMORY_LIMIT, .not_provided = "cudaIpcGetMemHandle", .text = "big"},
     NULL,
     VERDICT_MEMORY_LIMIT_EXCEEDED,
     "big"},
    {"tampering after a missing call",
     {.outcome = CALL_INTEGRITY_VIOLATION, .not_provided = "cudaIpcGetMemHandle", .text = "foreign"},
     NULL,
     VERDICT_INTEGRITY_VIOLATION,
     "foreign"},
    {"a copied output after a missing call",
     {.output_origin = ORIGIN_NO_KERNEL, .not_provided = "cudaIpcGetMemHandle"},
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
        if (got.verdict != rows[i].verdict || strstr(got.text, rows[i].text) == NULL ||
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
    static const Mistake trap = {.kind = MISTAKE_TRAP, .line = 7}, read = {.kind = MISTAKE_UNINITIALISED, .line = 9};
    static const struct {
        CallReport call;
        const Comparison *comparison;
        HiddenFinding finding;
    } kinds[] = {
        {{.output_origin = ORIGIN_KERNELS}, &right, {{0}, {0}}},
        {{.outcome = CALL_RUN_TIME_ERROR, .mistake = trap, .text = "boom"}, NULL, {.mistake = trap}},
        {{.outcome = CALL_TIME_LIMIT, .mistake = trap}, NULL, {.mistake = trap}},
        {{.outcome = CALL_MEMORY_LIMIT, .mistake = trap}, NULL, {.mistake = trap}},
        {{.outcome = CALL_UNSUPPORTED, .mistake = trap}, NULL, {.mistake = trap}},
        {{.outcome = CALL_INTEGRITY_VIOLATION, .mistake = trap}, NULL, {.mistake = trap}},
        {{.outcome = CALL_RUN_TIME_ERROR, .mistake = trap, .allocation_refused = true},
         NULL,
         {.mistake = {.kind = MISTAKE_DEVICE_MEMORY}}},
        {{.outcome = CALL_RUN_TIME_ERROR, .mistake = trap, .not_provided = "secret"},
         NULL,
         {.mistake = {.kind = MISTAKE_NOT_PROVIDED}}},
        {{.input_changed = true}, &right, {.mistake = {.kind = MISTAKE_INPUT_CHANGED}}},
        {{.output_origin = ORIGIN_HOST}, &right, {.mistake = {.kind = MISTAKE_FROM_HOST}}},
        {{.output_origin = ORIGIN_NO_KERNEL}, &right, {.mistake = {.kind = MISTAKE_NOT_BY_KERNEL}}},
        {{.output_origin = ORIGIN_KERNELS}, &wrong, {.output = {WRONG_PLACE_LAST, WRONG_NATURE_UNKNOWN}}},
        {{.allocation_refused = true}, &wrong, {.mistake = {.kind = MISTAKE_DEVICE_MEMORY}}},
        {{.not_provided = "secret"}, &wrong, {.mistake = {.kind = MISTAKE_NOT_PROVIDED}}},
        {{.first_error = 9, .first_error_kind = MISTAKE_LAUNCH_REFUSED},
         &wrong,
         {.mistake = {.kind = MISTAKE_LAUNCH_REFUSED}}},
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
