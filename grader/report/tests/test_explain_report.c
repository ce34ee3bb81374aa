#include "base/tests/unit.h"

#include "grader/report/explain_report.h"

#include <string.h>

static void holds(const Text *text, const char *part)
{
    if (strstr(text->data, part) == NULL)
        fail_test("\"%s\" is missing in:\n%s", part, text->data);
}

/* A call that copies and launches nothing, and what a real GPU is said to have measured of it. */
static void what_a_real_gpu_measured_stands_beside_the_model(void **state)
{
    static char source[] = "extern \"C\" void solve() {}\n";
    static ExecutionProfile profile = {.device_copies = {.count = 1, .seconds = 1e-6},
                                       .host_copies = {.count = 2, .seconds = 2e-6}};
    static const HardwareProfile hardware = {.fma_flops_per_s = 1, .dram_read_bytes_per_s = 1};
    static ExplainedCase one = {
        .number = 1,
        .explanation = {.profile = &profile,
                        .hardware = &hardware,
                        .seconds = 4e-6,
                        .kernels = {{.profile = &profile.kernels[0], .name = "clear", .cost.limiter = "lsu"}}},
        .measured_s = 5e-6};
    static const NcuMeasurement measurement = {
        .kernels = {{.name = "convolve", .launches = 1, .values = {[NCU_SHARED_WAVEFRONTS] = 321}}}, .count = 1};
    const CaseResult item = {.name = "long"};
    const Problem problem = {.id = "conv1d"};
    const ExplainRun run = {
        .result = {.problem = &problem, .file_name = "x.cu", .device = {.name = "NVIDIA H200 (simulated)"}},
        .cases = &one,
        .case_count = 1};
    const Submission submission = {.file_name = "x.cu", .source = {.data = source, .length = strlen(source)}};
    const ExplainReport report = {.run = &run,
                                  .submission = &submission,
                                  .timed_count = 3,
                                  .shown = &one,
                                  .timed = &run.result,
                                  .gpu = "NVIDIA H200",
                                  .measurement = &measurement};
    Text text = {0};
    one.item = &item;
    profile.kernel_count = 1;
    explain_report_write(&report, (TerminalStyle){.width = 100}, &text);
    holds(&text, "x.cu, problem conv1d on NVIDIA H200 (simulated), case \"long\": 4 us (modelled)\n");
    holds(&text, "  copies and fills: 1 within the device, 2 to or from the host, 75 % of the time\n");
    holds(&text, "     1  long                                             4 us       5 us ");
    holds(&text, "  modelled, then measured on NVIDIA H200\n");
    holds(&text, "    roofline   no floating-point operations\n");
    holds(
        &text,
        "\n  Nsight Compute on NVIDIA H200\n                                    measured     simulated\n    convolve, 1 launch\n");
    holds(&text, "      shared memory wavefronts           321             0\n");
    text_free(&text);
    explain_json(&report, &text);
    assert_non_null(strstr(strstr(text.data, "\"host_copies\""), "\"count\":"));
    assert_non_null(strstr(strstr(text.data, "\"device_copies\""), "\"count\":"));
    text_free(&text);
}

/* A line that one may search for begins and ends where lines do. */
static void why_nothing_was_measured_is_a_line_of_its_own(void **state)
{
    static ExecutionProfile profile;
    static const NcuMeasurement none = {.count = 0};
    ExplainedCase one = {.number = 1, .explanation = {.profile = &profile, .seconds = 4e-6}};
    const CaseResult item = {.name = "long"};
    const Problem problem = {.id = "conv1d"};
    const ExplainRun run = {
        .result = {.problem = &problem, .file_name = "x.cu", .device = {.name = "NVIDIA H200 (simulated)"}},
        .cases = &one,
        .case_count = 1};
    const Submission submission = {.file_name = "x.cu", .source = {.data = "", .length = 0}};
    ExplainReport report = {.run = &run,
                            .submission = &submission,
                            .timed_count = 1,
                            .shown = &one,
                            .timed = &run.result,
                            .measurement = &none};
    Text text = {0};
    one.item = &item;
    explain_report_write(&report, (TerminalStyle){.width = 100}, &text);
    assert_null(strstr(text.data, "Nsight Compute"));
    text_free(&text);
    report.note = "ncu is not\ninstalled";
    explain_report_write(&report, (TerminalStyle){.width = 100}, &text);
    holds(&text, "\n  Nsight Compute: ncu is not?installed\n");
    text_free(&text);
}

/* One of both is told first, and the other one is named. */
static void a_step_and_a_defect_are_told_together(void **state)
{
    static ExecutionProfile profile;
    static const NcuMeasurement none = {.count = 0};
    static const LadderStep step = {.title = "Tiles", .idea = "Load a tile.", .example = "tile.cu"};
    ExplainedCase one = {.number = 1, .explanation = {.profile = &profile, .seconds = 4e-6}};
    const CaseResult item = {.name = "long"};
    const Problem problem = {.id = "conv1d"};
    ExplainRun run = {
        .result = {.problem = &problem, .file_name = "x.cu", .device = {.name = "NVIDIA H200 (simulated)"}},
        .cases = &one,
        .case_count = 1,
        .advice = {{.id = "waits", .line = 2, .gain = 0.3, .text = "The device is idle"}},
        .advice_count = 1,
        .next = {.step = &step, .time = {.ms = 4}, .example = {.ms = 1}}};
    const Submission submission = {.file_name = "x.cu", .source = {.data = "int a;\n  wait();\n", .length = 18}};
    ExplainReport report = {.run = &run,
                            .submission = &submission,
                            .timed_count = 1,
                            .shown = &one,
                            .timed = &run.result,
                            .measurement = &none};
    Text text = {0};
    one.item = &item;
    report.telling = explain_telling(&report);
    explain_report_write(&report, (TerminalStyle){.width = 100}, &text);
    holds(
        &text,
        "  Next step: Tiles\n    Load a tile.\n    tile.cu does this, and takes 1 ms where your file takes 4 ms: 75 % less.\n");
    holds(&text, "\n  In the same step, mend this (waits)\n    The device is idle. Without this, ");
    holds(&text, "\n     2  wait();\n");
    text_free(&text);
    run.advice[0].gain = 0.8;
    report.telling = explain_telling(&report);
    explain_report_write(&report, (TerminalStyle){.width = 200}, &text);
    holds(&text, "  Mend this first (waits)\n    The device is idle.");
    holds(&text, " The next step comes after that: Tiles.\n");
    text_free(&text);
    explain_json(&report, &text); /* for pages, which say the same */
    holds(&text, "\"words\":\t\"The next step comes after that: Tiles.\"");
    text_free(&text);
    run.next.is_taken = true;
    run.advice_count = 0;
    report.telling = explain_telling(&report);
    explain_report_write(&report, (TerminalStyle){.width = 200}, &text);
    holds(&text, ": 75 % less. Your file seems to do it already, so compare the two.\n");
    text_free(&text);
    explain_json(&report, &text);
    holds(&text, "\"is_taken\":\ttrue");
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_real_gpu_measured_stands_beside_the_model),
        cmocka_unit_test(a_step_and_a_defect_are_told_together),
        cmocka_unit_test(why_nothing_was_measured_is_a_line_of_its_own),
    };
    return cmocka_run_group_tests_name("explain_report", tests, NULL, NULL);
}
