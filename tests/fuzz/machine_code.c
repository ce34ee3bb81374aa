/* Machine code and line tables beside honest PTX, as the cost model reads them: the input is a fatbin, and its kernels
 * are launched and timed. A table that takes long is found as well.  */
#include "tests/fuzz/run_kernels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static Machine on;
    if (on.gpu == NULL)
        on = machine(machine_new(0, 1));
    char *image = malloc(bytes + 1);
    memcpy(image, data, bytes);
    image[bytes] = '\0';
    run_kernels(&on, image, bytes, MOST_KERNELS, 0);
    free(image);
    return 0;
}
