/* seconds.h - the real clock of this machine: budgets, silence, progress; never a sample. */
#ifndef AY_SECONDS_H
#define AY_SECONDS_H

double ay_seconds(void); /* CLOCK_MONOTONIC_RAW: no adjustment makes it jump or run slower */

#endif
