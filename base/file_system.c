#include "base/file_system.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/vfs.h>

/* Numbers of linux/magic.h and of the file systems' own headers. */
static const struct {
    uint32_t magic;
    const char *name;
} network_file_systems[] = {
    {0x6969, "NFS"},        {0xff534d42, "CIFS"},  {0xfe534d42, "SMB2"}, {0x517b, "SMB"},    {0x00c36400, "Ceph"},
    {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},  {0x5346414f, "AFS"},  {0x01021997, "9P"}, {0x65735546, "FUSE"},
    {0x19830326, "BeeGFS"}, {0x7461636f, "OCFS2"}, {0x01161970, "GFS2"},
};

Status file_system_network(const char *path, const char **network, Message *why)
{
    struct statfs info;
    *network = NULL;
    if (statfs(path, &info) != 0)
        return fail_errno(why, "%s", path);
    for (size_t i = 0; i < sizeof network_file_systems / sizeof *network_file_systems; i++)
        if ((uint32_t)info.f_type == network_file_systems[i].magic)
            *network = network_file_systems[i].name;
    return STATUS_OK;
}
