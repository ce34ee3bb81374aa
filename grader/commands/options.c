#include "grader/commands/options.h"

#include <getopt.h>
#include <string.h>

static const struct option long_options[] = {
    {"problem", required_argument, NULL, 'p'}, {"device", required_argument, NULL, 'd'},
    {"as", required_argument, NULL, 'a'},      {"json", required_argument, NULL, 'j'},
    {"no-record", no_argument, NULL, 'n'},     {"export", no_argument, NULL, 'e'},
    {"timed", no_argument, NULL, 't'},         {"ncu", no_argument, NULL, 'u'},
    {"help", no_argument, NULL, 'h'},          {0},
};

static void take(Options *options, int letter)
{
    switch (letter) {
    case 'p': options->problem = optarg; break;
    case 'd': options->device = optarg; break;
    case 'a': options->person = optarg; break;
    case 'j': options->json = optarg; break;
    case 'n': options->no_record = true; break;
    case 'e': options->export_times = true; break;
    case 't': options->timed = true; break;
    case 'u': options->ncu = true; break;
    case 'h': options->help = true; break;
    }
}

Status options_parse(int argc, char **argv, const char *accepted, Options *options, Message *why)
{
    int letter, index = -1;
    *options = (Options){0};
    opterr = 0;
    optind = 0; /* begin anew, as glibc has it */
    while ((letter = getopt_long(argc, argv, ":h", long_options, &index)) != -1) {
        if (letter == ':')
            return fail(STATUS_BAD_INPUT, why, "%s: the option needs a value", argv[optind - 1]);
        if (letter == '?')
            return fail(STATUS_BAD_INPUT, why, "%s: %s has no such option", argv[optind - 1], argv[0]);
        if (letter != 'h' && strchr(accepted, letter) == NULL)
            return fail(STATUS_BAD_INPUT, why, "--%s: %s has no such option", long_options[index].name, argv[0]);
        take(options, letter);
    }
    options->operands = argv + optind;
    options->operand_count = argc - optind;
    return STATUS_OK;
}
