#include "service/commands/output.h"

#include "base/terminal.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* ==== interrupt =================================================================================================== */

static sigset_t signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGALRM);
    return set;
}

Status interrupt_open(int *file, Message *why)
{
    const sigset_t set = signals();
    sigprocmask(SIG_BLOCK, &set, NULL);
    *file = signalfd(-1, &set, SFD_CLOEXEC);
    return *file < 0 ? fail_errno(why, "signalfd") : STATUS_OK;
}

void interrupt_after(unsigned seconds)
{
    alarm(seconds);
}

void interrupt_close(int file)
{
    const sigset_t set = signals();
    const struct timespec now = {0};
    if (file == INTERRUPT_NONE)
        return;
    alarm(0);
    close(file);
    while (sigtimedwait(&set, NULL, &now) > 0)
        continue;
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

bool interrupt_sleep(int file, double seconds)
{
    struct pollfd wait = {.fd = file, .events = POLLIN}; /* poll() ignores a negative file */
    return poll(&wait, 1, (int)(1000 * seconds)) > 0;
}

/* ==== output ====================================================================================================== */

cJSON *output_new(void)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "schema", 1);
    return json;
}

/* JSON escapes most control characters by itself; the rest would still move the cursor of a terminal. */
static Status write_json(const char *path, cJSON *json, Message *why)
{
    Text text = {0}, printable = {0};
    json_keep_digits(json);
    json_print(json, &text);
    text_add_printable(&printable, text.data, text.length);
    Status status = json_target_write(path, &printable, why);
    text_free(&printable);
    text_free(&text);
    return status;
}

Status output_write(const Options *options, cJSON *json, const Text *text, Message *why)
{
    Status status = STATUS_OK;
    if (options->json != NULL)
        status = write_json(options->json, json, why);
    if (status == STATUS_OK && text->length > 0 && (options->json == NULL || strcmp(options->json, "-") != 0))
        status = json_target_write("-", text, why);
    cJSON_Delete(json);
    return status;
}
