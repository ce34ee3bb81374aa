#include "service/operating/operating_commands.h"

#include "grader/terminal/json_target.h"
#include "grader/terminal/terminal.h"
#include "service/config/config.h"
#include "service/operating/doctor.h"

#include <string.h>

static void examine(const Config *config, Checkup *checkup)
{
    doctor_programs(checkup);
    doctor_devices(checkup);
    doctor_sandbox(checkup);
    doctor_files(config->state, checkup);
}

static Status report(const Options *options, const Checkup *checkup, Message *why)
{
    Text text = {0};
    Status status = STATUS_OK;
    if (options->json != NULL) {
        checkup_json(checkup, &text);
        status = json_target_write(options->json, &text, why);
        text_free(&text);
    }
    if (status == STATUS_OK && (options->json == NULL || strcmp(options->json, "-") != 0)) {
        checkup_print(checkup, terminal_style(stdout).width, &text);
        status = json_target_write("-", &text, why);
        text_free(&text);
    }
    return status;
}

Status command_doctor(const Options *options, int *exit_status, Message *why)
{
    Config config;
    Checkup checkup = {0};
    Status status = options_expect_no_file(options, why);
    if (status == STATUS_OK)
        status = json_target_check(options->json, NULL, why);
    if (status != STATUS_OK)
        return status;
    status = config_read(options->config, &config, why);
    if (status == STATUS_OK) {
        examine(&config, &checkup);
        status = report(options, &checkup, why);
        *exit_status = !checkup_allows_grading(&checkup);
    }
    checkup_free(&checkup);
    config_free(&config);
    return status;
}
