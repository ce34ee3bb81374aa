#include "service/operating/operating_commands.h"

#include "grader/terminal/json_target.h"
#include "grader/terminal/terminal.h"
#include "service/config/config.h"
#include "service/operating/doctor.h"

#include <stdbool.h>
#include <string.h>

static bool stays_on_this_host(const char *listen)
{
    static const char *const beginnings[] = {"127.", "[::1]:", "localhost:"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(listen, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return listen[0] == '\0';
}

static void examine_settings(const Config *config, Checkup *checkup)
{
    const char *file = config->file == NULL ? "no file, all by default" : config->file;
    if (stays_on_this_host(config->listen))
        checkup_add(checkup, CHECKUP_OK, "configuration", "", "%s", file);
    else
        checkup_add(checkup, CHECKUP_NOTE, "configuration",
                    "Tokens cross the network as plain text. Listen on 127.0.0.1, behind a reverse proxy with TLS "
                    "(docs/operating.md).",
                    "%s: listens on %s", file, config->listen);
}

static void examine(const Config *config, Checkup *checkup)
{
    doctor_programs(checkup);
    doctor_devices(checkup);
    doctor_sandbox(checkup);
    doctor_files(config->state, checkup);
    examine_settings(config, checkup);
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
