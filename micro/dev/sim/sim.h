/* sim.h - a simulated GPU as a provider of the driver table.
 *
 * Host time is virtual: it passes in calls alone, by what the chip says they cost, and never by the
 * clock of the machine that simulates. Between two calls it stands still, and so does the device:
 * what the host writes to mapped memory in between, a running kernel sees when the next call lets
 * time pass. Two machines of one chip that see the same calls give the same answers. */
#ifndef AY_SIM_H
#define AY_SIM_H

#include "core/chip.h"
#include "dev/gpu/driver.h"

/* A machine with 1 + chip->peers such GPUs. The chip is copied. */
enum ay_status sim_driver_open(const struct ay_chip *chip, struct ay_driver *out,
                               struct ay_error *err) AY_CHECKED;

/* --- for tests: not part of the driver's table ------------------------------------------------ */

struct sim_counters;
struct sim_machine;

/* What the launches that have ended on GPU 0 did, summed; of the last one alone. */
const struct sim_counters *sim_driver_counters(const struct ay_driver *d);
const struct sim_counters *sim_driver_last_counters(const struct ay_driver *d);
struct sim_machine *sim_driver_machine(const struct ay_driver *d);
/* What the sticky error says: "…: address 0x… at line …"; "" when there is none. */
const char *sim_driver_fault_text(const struct ay_driver *d);

#endif
