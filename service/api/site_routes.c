/* site_routes.c - the pages.  */
#include "service/api/routes.h"

const Route site_routes[] = {
    {0},
};
