/* site_routes.h - the addresses of the pages.  */
#ifndef SERVICE_SITE_SITE_ROUTES_H
#define SERVICE_SITE_SITE_ROUTES_H

#include "service/api/routes.h"

extern const Route site_routes[];

#endif
