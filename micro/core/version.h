/* version.h - which assay this is. */
#ifndef AY_CORE_VERSION_H
#define AY_CORE_VERSION_H

const char *ay_version(void); /* "0.1.0" */
const char *ay_commit(void);  /* twelve digits of the commit it was built from, or "unknown" */

#endif
