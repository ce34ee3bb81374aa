/* Fuzzes the parser of PTX and the steps that prepare a kernel. The input is the text of a module. */
#include "simgpu/lower/lower.h"
#include "simgpu/ptx/parser.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Every refusal must have a reason. */
static void check(Status status, const Message *why)
{
    if (status != STATUS_OK && why->text[0] == '\0')
        abort();
}

static void lower(const PtxModule *module)
{
    for (const PtxFunction *function = module->functions; function != NULL; function = function->next) {
        Code code;
        Message why = {0};
        if (!function->is_entry || !function->has_body)
            continue;
        Status status = lower_kernel(module, function, &code, &why);
        check(status, &why);
        if (status == STATUS_OK)
            code_free(&code);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    PtxModule module;
    Message why = {0};
    char *text = malloc(bytes + 1); /* of exactly this length, for AddressSanitizer */
    memcpy(text, data, bytes);
    Status status = ptx_parse("fuzz.ptx", text, bytes, &module, &why);
    check(status, &why);
    if (status == STATUS_OK) {
        lower(&module);
        ptx_free(&module);
    }
    free(text);
    return 0;
}
