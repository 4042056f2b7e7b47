#include "dev/sim/coalesce.h"

int sim_is_consecutive(const uint64_t *addr, uint32_t bytes)
{
    uint64_t differ = 0;
    const uint64_t first = addr[0];
    for (uint64_t i = 0; i < 32; i++) differ |= addr[i] ^ (first + i * bytes);
    return differ == 0;
}

static uint32_t bits_from_to(uint32_t from, uint32_t to) /* both included */
{
    return (to >= 31 ? UINT32_MAX : (1u << (to + 1)) - 1) & ~((1u << from) - 1);
}

/* A run of bytes, after which no earlier line comes again. */
static void add_run(struct sim_request *out, uint64_t begin, uint64_t end, uint32_t line_shift,
                    uint32_t sector_shift)
{
    const uint32_t per_line = line_shift - sector_shift;
    uint64_t s = begin >> sector_shift;
    const uint64_t last = (end - 1) >> sector_shift;
    while (s <= last && out->n < SIM_MAX_LINES) {
        const uint64_t line = s >> per_line;
        const uint64_t line_last = ((line + 1) << per_line) - 1;
        const uint64_t stop = last < line_last ? last : line_last;
        const uint32_t first_bit = (uint32_t)(s - (line << per_line));
        const uint64_t at = s << sector_shift;
        out->line[out->n] = line;
        out->address[out->n] = at > begin ? at : begin;
        out->sectors[out->n++] = bits_from_to(first_bit, first_bit + (uint32_t)(stop - s));
        out->n_sectors += (uint32_t)(stop - s) + 1;
        s = stop + 1;
    }
}

/* One sector of a lane, merged into the line if it is there already. */
static void add_sector(struct sim_request *out, uint64_t sector, uint32_t per_line, uint64_t va)
{
    const uint64_t line = sector >> per_line;
    const uint32_t bit = 1u << (sector & ((1u << per_line) - 1));
    for (uint32_t k = out->n; k-- > 0;) {
        if (out->line[k] != line) continue;
        out->n_sectors += !(out->sectors[k] & bit);
        out->sectors[k] |= bit;
        return;
    }
    if (out->n == SIM_MAX_LINES) return;
    out->line[out->n] = line;
    out->address[out->n] = va;
    out->sectors[out->n++] = bit;
    out->n_sectors++;
}

void sim_coalesce(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t line_shift,
                  uint32_t sector_shift, struct sim_request *out)
{
    out->n = 0;
    out->n_sectors = 0;
    if (mask == UINT32_MAX && sim_is_consecutive(addr, bytes)) {
        add_run(out, addr[0], addr[0] + 32ull * bytes, line_shift, sector_shift);
        return;
    }
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint64_t va = addr[__builtin_ctz(left)];
        const uint64_t last = (va + bytes - 1) >> sector_shift;
        for (uint64_t s = va >> sector_shift; s <= last; s++) {
            const uint64_t at = s << sector_shift;
            add_sector(out, s, line_shift - sector_shift, at > va ? at : va);
        }
    }
}
