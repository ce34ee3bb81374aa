/* doctor.h - the examinations of `convjudge doctor`. Each adds what it finds to the checkup; none changes anything, except
 * for small files that it removes again.  */
#ifndef SERVICE_OPERATING_DOCTOR_H
#define SERVICE_OPERATING_DOCTOR_H

#include "service/operating/checkup.h"

/* Compilers, versions, locale, stack, cores and memory. */
void doctor_programs(Checkup *checkup);
/* GPUs and the simulated GPU; the clock of the host. */
void doctor_devices(Checkup *checkup);
/* bubblewrap and what the kernel lends it. */
void doctor_sandbox(Checkup *checkup);
/* Disks, and who may read what. `state`: the folder of the service, examined where it exists. */
void doctor_files(const char *state, Checkup *checkup);

#endif
