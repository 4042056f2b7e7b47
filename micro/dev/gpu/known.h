/* known.h - every entry point that NVIDIA's headers know, beyond those of the driver table.
 *
 * A fault on one of these that nothing here calls is a warning, on any other name a mistake. */
#ifndef AY_GPU_KNOWN_H
#define AY_GPU_KNOWN_H

/* Words without the prefix cu or nvml and without version suffix, each followed by a blank. */
extern const char ay_known_cuda[];
extern const char ay_known_nvml[];

#endif
