#include "harness/broker/broker_observe.h"

#include "base/allocated.h"

#include <stdlib.h>
#include <string.h>

/* ---- how kernels read an input ----------------------------------------------------------------------------------- */

static uint32_t probe_word(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof value);
    value = call_probe_value(value);
    memcpy(&word, &value, sizeof word);
    return word;
}

static void probe_input(Broker *broker, const ControlArgument *input, DeviceProbe *probe)
{
    const uint32_t *words = (const void *)(broker->buffers + input->span.offset);
    uint32_t *others = allocated(malloc(input->span.bytes));
    probe->count = input->span.bytes / sizeof *words;
    probe->words = words;
    probe->others = others;
    for (size_t i = 0; i < probe->count; i++)
        others[i] = probe_word(words[i]);
    broker->device->simulation->set_probe(broker->device, probe);
}

static void probe_begin(Broker *broker, const ControlRequest *request, DeviceProbe *probe)
{
    *probe = (DeviceProbe){0};
    for (uint32_t i = 0; i < request->argument_count; i++) {
        if (request->arguments[i].role == ARGUMENT_OUTPUT)
            probe->target = broker->arrays[i];
        if (request->arguments[i].probed) {
            probe->source = broker->arrays[i];
            probe_input(broker, &request->arguments[i], probe);
        }
    }
}

static void probe_end(Broker *broker, DeviceProbe *probe)
{
    if (probe->source != 0)
        broker->device->simulation->set_probe(broker->device, NULL);
    memcpy(broker->reply.report.direct_load, probe->direct_load, sizeof probe->direct_load);
    broker->reply.report.direct_line = probe->direct_line;
    free((void *)probe->others);
}

/* ---- what kernels do that they should not ------------------------------------------------------------------------ */

static void check_begin(Broker *broker, const ControlRequest *request, DeviceCheck *check)
{
    *check = (DeviceCheck){.sanitize = request->sanitize,
                           .is_untimed = request->is_untimed,
                           .samples_blocks = request->samples_blocks,
                           .is_secret = request->is_secret,
                           .sample_key = &request->sample_key,
                           .order = request->order,
                           .uninitialised_byte = request->uninitialised_byte};
    for (uint32_t i = 0; i < request->argument_count; i++) {
        const ControlArgument *argument = &request->arguments[i];
        if (argument->role == ARGUMENT_OUTPUT) {
            check->output_address = broker->arrays[i];
            check->output_bytes = argument->span.bytes;
            for (size_t word = 0; word < DEVICE_POISON_WORDS; word++)
                check->output_poison[word] = call_poison_word(argument->poison_bits, argument->float_output, word);
        }
        if (control_is_array(argument))
            check->arrays[check->array_count++] = (DeviceNamed){.name = argument->name,
                                                                .address = broker->arrays[i],
                                                                .bytes = argument->span.bytes,
                                                                .element_bytes = argument->element_bytes,
                                                                .is_unwritten = request->sanitize &&
                                                                                argument->role == ARGUMENT_OUTPUT};
    }
    if (broker->device->simulation != NULL)
        broker->device->simulation->set_check(broker->device, check);
}

static void check_end(Broker *broker, const DeviceCheck *check)
{
    if (broker->device->simulation != NULL)
        broker->device->simulation->set_check(broker->device, NULL);
    broker->reply.report.findings = check->findings;
    broker->reply.report.conflicts = check->conflicts;
}

void broker_observe_begin(Broker *broker, const ControlRequest *request, Observation *observation)
{
    probe_begin(broker, request, &observation->probe);
    if (broker->reply.status == STATUS_OK)
        check_begin(broker, request, &observation->check);
}

void broker_observe_end(Broker *broker, Observation *observation)
{
    probe_end(broker, &observation->probe);
    check_end(broker, &observation->check);
}

/* ---- what kernels do, by source line ----------------------------------------------------------------------------- */

void broker_profile_begin(Broker *broker)
{
    if (broker->profile == NULL)
        return;
    memset(broker->profile, 0, sizeof *broker->profile);
    broker->device->simulation->set_profile(broker->device, broker->profile);
}

void broker_profile_end(Broker *broker)
{
    if (broker->profile != NULL)
        broker->device->simulation->set_profile(broker->device, NULL);
}
