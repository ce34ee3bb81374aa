/* turn.h - copies from and to pinned memory that take effect later than they are asked for.
 *
 * A simulated GPU carries out such a copy as late as CUDA allows, so that a program is found that uses the memory too
 * early. When the time has come, the broker answers some request with the copy's number: its turn. Then this process
 * copies the bytes between the memory and staging, and asks for the same again.  */
#ifndef HARNESS_RUNTIME_TURN_H
#define HARNESS_RUNTIME_TURN_H

#include "harness/runtime/client.h"
#include "harness/runtime/place.h"

/* Copies that are still to be made. */
bool turns_are_left(void);
/* Remembers a copy whose turn has this number. Of the two ends one lies in host memory. False: there is no memory. */
bool turn_keep(uint64_t number, Place to, Place from, bool to_host, Box box);
/* Makes the copy, and all that come before it. */
cudaError_t turn_take(uint64_t number);
/* Makes all copies that are left. */
cudaError_t turns_settle(void);

#endif
