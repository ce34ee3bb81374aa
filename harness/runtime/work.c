#include "harness/runtime/work.h"

StreamWork work_copy_of_bytes(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return (StreamWork){.type = cudaGraphNodeTypeMemcpy,
                        .copy = {.to = place_in_memory(to, bytes, 1),
                                 .from = place_in_memory(from, bytes, 1),
                                 .box = {bytes, 1, 1},
                                 .kind = kind,
                                 .is_linear = true}};
}

StreamWork work_fill_of_bytes(void *to, int value, size_t bytes)
{
    return (StreamWork){.type = cudaGraphNodeTypeMemset,
                        .fill = {.dst = to, .value = (uint8_t)value, .elementSize = 1, .width = bytes, .height = 1}};
}
