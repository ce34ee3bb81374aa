#include "service/commands/administered_store.h"

#include "service/config/config.h"
#include "service/store/service_store.h"

Status administered_store_open(const Options *options, Store **store, Message *why)
{
    Config config = {0};
    char path[SERVICE_PATH_BYTES];
    *store = NULL;
    Status status = config_read(options->config, &config, why);
    if (status == STATUS_OK)
        status = service_store_path(options->state == NULL ? config.state : options->state, path, why);
    if (status == STATUS_OK)
        status = store_open(path, STORE_READ, store, why);
    if (status == STATUS_NOT_FOUND)
        status = fail(status, why, "%s: there is no such database, expected the state of `convjudge serve`", path);
    config_free(&config);
    return status;
}
