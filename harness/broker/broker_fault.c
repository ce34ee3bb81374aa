#include "harness/broker/broker_fault.h"

#include "base/allocated.h"

bool broker_is_ok(const Broker *broker)
{
    return broker->reply.status == STATUS_OK;
}

void broker_require(Broker *broker, CudaError error, const char *doing)
{
    /* The memory of a simulated GPU is this process's, and the submission's share of it is gone. */
    if (error == CUDA_ERROR_MEMORY_ALLOCATION && broker->device->info.modelled)
        out_of_memory();
    if (error != CUDA_ERROR_SUCCESS && broker_is_ok(broker))
        broker->reply.status = fail(STATUS_SYSTEM, &broker->reply.why, "the judge's own %s failed: %s", doing,
                                    cuda_error_text(error));
}
