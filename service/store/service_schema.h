/* service_schema.h - the text of service.sql, which is part of the program.  */
#ifndef SERVICE_STORE_SERVICE_SCHEMA_H
#define SERVICE_STORE_SERVICE_SCHEMA_H

extern const char service_sql[];

#endif
