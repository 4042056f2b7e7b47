/* For make bundle: hwloc's static library asks libudev for names of block devices, and Debian has no
 * static libudev. Without an answer hwloc reads sysfs alone, which is where GPUs, NICs and NUMA nodes
 * come from. */
#include <stddef.h>

struct udev;
struct udev_device;

struct udev *udev_new(void);
struct udev *udev_unref(struct udev *u);
struct udev_device *udev_device_new_from_subsystem_sysname(struct udev *u, const char *subsystem,
                                                           const char *name);
const char *udev_device_get_property_value(struct udev_device *d, const char *key);
struct udev_device *udev_device_unref(struct udev_device *d);

struct udev *udev_new(void)
{
    return NULL;
}

struct udev *udev_unref(struct udev *u)
{
    (void)u;
    return NULL;
}

struct udev_device *udev_device_new_from_subsystem_sysname(struct udev *u, const char *subsystem,
                                                           const char *name)
{
    (void)u;
    (void)subsystem;
    (void)name;
    return NULL;
}

const char *udev_device_get_property_value(struct udev_device *d, const char *key)
{
    (void)d;
    (void)key;
    return NULL;
}

struct udev_device *udev_device_unref(struct udev_device *d)
{
    (void)d;
    return NULL;
}
