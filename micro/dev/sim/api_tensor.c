/* api_tensor.c - tensor maps: the driver's conditions, and the object that kernels hand on. */
#include "dev/sim/api.h"
#include "dev/sim/tensor_map.h"

#include <string.h>

/* Bytes of an element; 0: no type of this driver. Packed types are not simulated. */
static unsigned elem_bytes(CUtensorMapDataType type)
{
    switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8: return 1;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16: return 2;
    case CU_TENSOR_MAP_DATA_TYPE_UINT32:
    case CU_TENSOR_MAP_DATA_TYPE_INT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ: return 4;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64: return 8;
    default: return 0;
    }
}

/* Bytes that a row of the box may have at most under a swizzle; 0: any. */
static unsigned row_limit(CUtensorMapSwizzle swizzle)
{
    switch (swizzle) {
    case CU_TENSOR_MAP_SWIZZLE_32B: return 32;
    case CU_TENSOR_MAP_SWIZZLE_64B: return 64;
    case CU_TENSOR_MAP_SWIZZLE_128B: return 128;
    default: return 0;
    }
}

static bool suits_axis(const struct sim_tensor_map *m, uint32_t axis, const cuuint64_t *dims,
                       const cuuint64_t *strides, const cuuint32_t *box,
                       const cuuint32_t *elem_strides)
{
    if (dims[axis] == 0 || dims[axis] > 1ull << 32) return false;
    if (box[axis] == 0 || box[axis] > 256) return false;
    if (elem_strides[axis] == 0 || elem_strides[axis] > 8) return false;
    if (axis + 1 == m->rank) return true;
    const uint64_t unit = m->interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
    return strides[axis] % unit == 0 && strides[axis] < 1ull << 40;
}

/* The conditions of cuTensorMapEncodeTiled [cuda-driver-api]. */
static bool suits(const struct sim_tensor_map *m, const cuuint64_t *dims,
                  const cuuint64_t *strides, const cuuint32_t *box,
                  const cuuint32_t *elem_strides)
{
    const uint64_t row_bytes = (uint64_t)box[0] * m->elem_bytes;
    const unsigned limit = row_limit((CUtensorMapSwizzle)m->swizzle);
    if (m->address % (m->interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16)) return false;
    if (m->interleave != CU_TENSOR_MAP_INTERLEAVE_NONE && m->rank < 3) return false;
    if (m->interleave == CU_TENSOR_MAP_INTERLEAVE_NONE) {
        if (row_bytes % 16 || (limit && row_bytes > limit)) return false;
    }
    for (uint32_t axis = 0; axis < m->rank; axis++)
        if (!suits_axis(m, axis, dims, strides, box, elem_strides)) return false;
    return true;
}

static CUresult encode_tiled(void *self, CUtensorMap *out, CUtensorMapDataType type,
                             cuuint32_t rank, void *address, const cuuint64_t *dims,
                             const cuuint64_t *strides, const cuuint32_t *box,
                             const cuuint32_t *elem_strides, CUtensorMapInterleave interleave,
                             CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                             CUtensorMapFloatOOBfill fill)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    struct sim_tensor_map m = {.magic = SIM_TENSOR_MAP_MAGIC,
                               .type = (uint8_t)type,
                               .elem_bytes = (uint8_t)elem_bytes(type),
                               .rank = (uint8_t)rank,
                               .interleave = (uint8_t)interleave,
                               .swizzle = (uint8_t)swizzle,
                               .l2_promotion = (uint8_t)promotion,
                               .oob_fill = (uint8_t)fill,
                               .address = (uint64_t)(uintptr_t)address};
    if (!out || rank < 1 || rank > 5 || !dims || !box || !elem_strides || (rank > 1 && !strides))
        return CUDA_ERROR_INVALID_VALUE;
    if (ay_chip_arch_number(&sim_current(d)->chip) < 90 || !m.elem_bytes)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!suits(&m, dims, strides, box, elem_strides)) return CUDA_ERROR_INVALID_VALUE;
    for (uint32_t i = 0; i < rank; i++) {
        m.dims[i] = (uint32_t)(dims[i] - 1);
        m.box[i] = (uint16_t)box[i];
        m.elem_strides[i] = (uint8_t)elem_strides[i];
        if (i + 1 < rank) m.strides[i] = strides[i];
    }
    memset(out, 0, sizeof *out);
    memcpy(out, &m, sizeof m);
    return CUDA_SUCCESS;
}

static CUresult replace_address(void *self, CUtensorMap *map, void *address)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    struct sim_tensor_map m;
    memcpy(&m, map, sizeof m);
    if (m.magic != SIM_TENSOR_MAP_MAGIC || (uintptr_t)address % 16) return CUDA_ERROR_INVALID_VALUE;
    m.address = (uint64_t)(uintptr_t)address;
    memcpy(map, &m, sizeof m);
    return CUDA_SUCCESS;
}

void sim_fill_tensor(struct ay_driver *t)
{
    t->TensorMapEncodeTiled = encode_tiled;
    t->TensorMapReplaceAddress = replace_address;
}
