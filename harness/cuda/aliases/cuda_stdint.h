/* cuda_stdint.h - <stdint.h> declares what it holds.  */
#include <stdint.h>
