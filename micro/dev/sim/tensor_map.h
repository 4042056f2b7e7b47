/* tensor_map.h - what the 128 bytes of a tensor map hold here. The real layout is the driver's own
 * and nobody else reads it: kernels hand the whole object on. */
#ifndef AY_SIM_TENSOR_MAP_H
#define AY_SIM_TENSOR_MAP_H

#include <stdint.h>

#define SIM_TENSOR_MAP_MAGIC 0x70616d74u /* "tmap" */

struct sim_tensor_map {
    uint32_t magic;
    uint8_t type;       /* CUtensorMapDataType */
    uint8_t elem_bytes; /* of one element in global memory; of 16 packed ones for 4- and 6-bit */
    uint8_t rank, interleave, swizzle, l2_promotion, oob_fill, reserved;
    uint16_t box[5]; /* elements */
    uint8_t elem_strides[6];
    uint32_t dims[5];    /* elements, less one */
    uint64_t address;
    uint64_t strides[4]; /* bytes, of dimensions 1 … rank - 1 */
};
_Static_assert(sizeof(struct sim_tensor_map) <= 128, "fits a CUtensorMap");

#endif
