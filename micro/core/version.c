#include "core/version.h"

#include <version.h> /* made by make, found by -I; only here, so that a commit rebuilds one file */

const char *ay_version(void)
{
    return AY_VERSION;
}

const char *ay_commit(void)
{
    return AY_COMMIT;
}
