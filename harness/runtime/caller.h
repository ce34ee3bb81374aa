/* caller.h - which instruction of the submission asks for something, so that messages can name its source line.
 *
 * A place is 1 + the offset of an instruction in the submission's object; 0: unknown. It is that of the call that led into
 * this library, whose functions all keep a frame pointer, so that a few loads find it. A place only chooses a line of a
 * message.  */
#ifndef HARNESS_RUNTIME_CALLER_H
#define HARNESS_RUNTIME_CALLER_H

#include <stdint.h>

/* The object with this address is the submission. The first call counts. */
void caller_is_in(const void *address);
/* The place of a return address. */
uint32_t caller_place_of(const void *return_address);
/* Where the submission has called this library, or what stands in for that. */
uint32_t caller_place(void);
/* From now on, a place stands in for the caller's in this thread; 0: none does. Returns the one before. Work that was
 * described elsewhere than it is launched stands where it was described: <<<...>>>, and the nodes of a graph. */
uint32_t caller_stand_in(uint32_t place);

#endif
