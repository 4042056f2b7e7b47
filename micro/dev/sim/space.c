/* Device addresses: what is mapped where, to the byte, so that any access outside of an allocation
 * is a fault, as a sanitizer would have it. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "dev/sim/machine.h"

/* Two zones of device memory, so that many small pieces do not break up the 2 MiB ones, then host
 * and peer memory, then reserved ranges. All below the windows of the generic space. */
#define SMALL_BEGIN  0x0000100000000000ull
#define LARGE_BEGIN  0x0000110000000000ull
#define HOST_BEGIN   0x0000200000000000ull
#define LARGE_ALIGN  0x200000ull
#define SMALL_ALIGN  512ull
#define VMM_PHYSICAL 0x0000400000000000ull

static uint32_t first_after(const struct sim_map *s, uint64_t va)
{
    uint32_t low = 0, high = s->n;
    while (low < high) {
        const uint32_t mid = (low + high) / 2;
        if (s->regions[mid]->va <= va) low = mid + 1;
        else high = mid;
    }
    return low;
}

const struct sim_region *sim_region_find(const struct sim_map *s, uint64_t va)
{
    const uint32_t i = first_after(s, va);
    return i && va < s->regions[i - 1]->end ? s->regions[i - 1] : NULL;
}

struct sim_region *sim_region_at(const struct sim_map *s, uint64_t va)
{
    const uint32_t i = first_after(s, va);
    return i && s->regions[i - 1]->va == va ? s->regions[i - 1] : NULL;
}

enum ay_status sim_region_add(struct sim_map *s, const struct sim_region *r,
                              struct ay_error *err)
{
    if (s->n == s->capacity) {
        const uint32_t capacity = s->capacity ? 2 * s->capacity : 64;
        struct sim_region **more = realloc(s->regions, capacity * sizeof *more);
        if (!more) return AY_FAIL(err, AY_NOMEM, "simulated memory map: out of memory");
        s->regions = more;
        s->capacity = capacity;
    }
    struct sim_region *copy = malloc(sizeof *copy);
    if (!copy) return AY_FAIL(err, AY_NOMEM, "simulated memory map: out of memory");
    *copy = *r;
    const uint32_t i = first_after(s, r->va);
    memmove(s->regions + i + 1, s->regions + i, (s->n - i) * sizeof *s->regions);
    s->regions[i] = copy;
    s->n++;
    return AY_OK;
}

void sim_region_drop(struct sim_map *s, struct sim_region *r)
{
    const uint32_t i = first_after(s, r->va) - 1;
    memset(s->hints, 0, sizeof s->hints);
    if (r->mapped_bytes) munmap(r->host, r->mapped_bytes);
    memmove(s->regions + i, s->regions + i + 1, (s->n - i - 1) * sizeof *s->regions);
    s->n--;
    free(r);
}

/* First gap, reserved ranges apart, so addresses repeat from run to run. */
bool sim_place_va(const struct sim_map *s, uint64_t bytes, bool is_host, uint64_t *va)
{
    const bool is_small = bytes < LARGE_ALIGN && !is_host;
    const uint64_t align = is_small ? SMALL_ALIGN : LARGE_ALIGN;
    uint64_t at = is_host ? HOST_BEGIN : is_small ? SMALL_BEGIN : LARGE_BEGIN;
    const uint64_t limit = is_host ? SIM_WINDOWS : is_small ? LARGE_BEGIN : HOST_BEGIN;
    for (uint32_t i = first_after(s, at - 1); i < s->n; i++) { /* one at `at` too */
        if (s->regions[i]->va >= at + bytes) break;
        at = (s->regions[i]->end + align - 1) & ~(align - 1);
    }
    for (uint32_t i = 0; i < s->n_reservations; i++)
        if (s->reservations[i].va < at + bytes &&
            s->reservations[i].va + s->reservations[i].bytes > at)
            at = (s->reservations[i].va + s->reservations[i].bytes + align - 1) & ~(align - 1);
    *va = at;
    return at + bytes <= limit && at + bytes > at;
}

static uint8_t *map_pages(uint64_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

enum ay_status sim_allocate(struct sim_machine *m, uint64_t bytes, uint64_t *va,
                         struct ay_error *err)
{
    struct sim_map *s = &m->space;
    if (bytes == 0) return AY_FAIL(err, AY_USAGE, "simulated memory: 0 bytes asked for");
    if (bytes > s->total_bytes - s->used_bytes || !sim_place_va(s, bytes, false, va))
        return AY_FAIL(err, AY_NOMEM, "simulated memory: %llu bytes asked for, %llu are free",
                       (unsigned long long)bytes,
                       (unsigned long long)(s->total_bytes - s->used_bytes));
    struct sim_region r = { .va = *va, .end = *va + bytes, .kind = SIM_REGION_DEVICE,
                            .physical = *va - SMALL_BEGIN, .mapped_bytes = bytes };
    r.host = map_pages(bytes);
    if (!r.host) return AY_FAIL(err, AY_NOMEM, "simulated memory: mmap refused");
    const enum ay_status status = sim_region_add(s, &r, err);
    if (status != AY_OK) munmap(r.host, bytes);
    else s->used_bytes += bytes;
    return status;
}

static enum ay_status map_foreign(struct sim_machine *m, uint8_t *host, uint64_t bytes,
                                  enum sim_region_kind kind, uint64_t *va, struct ay_error *err)
{
    if (bytes == 0 || !sim_place_va(&m->space, bytes, true, va))
        return AY_FAIL(err, AY_USAGE, "simulated memory: cannot map %llu bytes",
                       (unsigned long long)bytes);
    const struct sim_region r = { .va = *va, .end = *va + bytes, .host = host, .kind = kind };
    return sim_region_add(&m->space, &r, err);
}

enum ay_status sim_map_host(struct sim_machine *m, void *host, uint64_t bytes, uint64_t *va,
                            struct ay_error *err)
{
    return map_foreign(m, host, bytes, SIM_REGION_HOST, va, err);
}

enum ay_status sim_map_peer(struct sim_machine *m, struct sim_machine *peer, uint64_t peer_va,
                            uint64_t bytes, uint64_t *va, struct ay_error *err)
{
    uint8_t *host = sim_host_pointer(peer, peer_va, bytes);
    if (!host)
        return AY_FAIL(err, AY_USAGE, "simulated peer memory: %#llx is not the peer's",
                       (unsigned long long)peer_va);
    return map_foreign(m, host, bytes, SIM_REGION_PEER, va, err);
}

bool sim_release(struct sim_machine *m, uint64_t va)
{
    struct sim_region *r = sim_region_at(&m->space, va);
    if (!r || r->handle) return false;
    if (r->kind == SIM_REGION_DEVICE) {
        m->space.used_bytes -= r->end - r->va;
        sim_l2_forget(m, r->physical, r->end - r->va);
    } else {
        sim_settle(m, 1e300);
    }
    sim_region_drop(&m->space, r);
    return true;
}

bool sim_find(const struct sim_machine *m, uint64_t va, uint64_t *begin, uint64_t *bytes)
{
    const struct sim_region *r = sim_region_find(&m->space, va);
    if (!r) return false;
    *begin = r->va;
    *bytes = r->end - r->va;
    return true;
}

void *sim_host_pointer(const struct sim_machine *m, uint64_t va, uint64_t bytes)
{
    const struct sim_region *r = sim_region_find(&m->space, va);
    return r && bytes <= r->end - va ? r->host + (va - r->va) : NULL;
}

uint64_t sim_total_bytes(const struct sim_machine *m) { return m->space.total_bytes; }

uint64_t sim_free_bytes(const struct sim_machine *m)
{
    return m->space.total_bytes - m->space.used_bytes;
}

void sim_space_close(struct sim_map *s)
{
    while (s->n) sim_region_drop(s, s->regions[s->n - 1]);
    for (uint32_t i = 0; i < s->n_vmms; i++) munmap(s->vmms[i].host, s->vmms[i].bytes);
    free(s->regions);
    free(s->vmms);
    free(s->reservations);
    free(s->stores);
    *s = (struct sim_map){ 0 };
}

/* --- virtual apart from physical -------------------------------------------------------------- */

uint64_t sim_vmm_granularity(const struct sim_machine *m)
{
    (void)m;
    return LARGE_ALIGN;
}

enum ay_status sim_vmm_create(struct sim_machine *m, uint64_t bytes, uint64_t *handle,
                              struct ay_error *err)
{
    struct sim_map *s = &m->space;
    if (bytes == 0 || bytes % LARGE_ALIGN)
        return AY_FAIL(err, AY_USAGE, "simulated memory: %llu is no multiple of 2 MiB",
                       (unsigned long long)bytes);
    if (bytes > s->total_bytes - s->used_bytes)
        return AY_FAIL(err, AY_NOMEM, "simulated memory: %llu bytes are not free",
                       (unsigned long long)bytes);
    struct sim_vmm *more = realloc(s->vmms, (s->n_vmms + 1) * sizeof *more);
    if (!more) return AY_FAIL(err, AY_NOMEM, "simulated memory: out of memory");
    s->vmms = more;
    uint8_t *host = map_pages(bytes);
    if (!host) return AY_FAIL(err, AY_NOMEM, "simulated memory: mmap refused");
    s->vmms[s->n_vmms++] = (struct sim_vmm){ .handle = ++s->next_handle, .bytes = bytes,
        .physical = VMM_PHYSICAL + s->next_physical, .host = host };
    s->next_physical += bytes;
    s->used_bytes += bytes;
    *handle = s->next_handle;
    return AY_OK;
}

static struct sim_vmm *vmm_of(struct sim_map *s, uint64_t handle)
{
    for (uint32_t i = 0; i < s->n_vmms; i++)
        if (s->vmms[i].handle == handle) return &s->vmms[i];
    return NULL;
}

static void free_if_unused(struct sim_machine *m, struct sim_vmm *v)
{
    struct sim_map *s = &m->space;
    if (!v->is_released || v->n_maps) return;
    sim_l2_forget(m, v->physical, v->bytes);
    munmap(v->host, v->bytes);
    s->used_bytes -= v->bytes;
    *v = s->vmms[--s->n_vmms];
}

bool sim_vmm_release(struct sim_machine *m, uint64_t handle)
{
    struct sim_vmm *v = vmm_of(&m->space, handle);
    if (!v || v->is_released) return false;
    v->is_released = true;
    free_if_unused(m, v);
    return true;
}

enum ay_status sim_vmm_reserve(struct sim_machine *m, uint64_t bytes, uint64_t *va,
                               struct ay_error *err)
{
    struct sim_map *s = &m->space;
    if (bytes == 0 || bytes % LARGE_ALIGN || !sim_place_va(s, bytes, false, va))
        return AY_FAIL(err, AY_USAGE, "simulated memory: cannot reserve %llu bytes",
                       (unsigned long long)bytes);
    struct sim_reservation *more = realloc(s->reservations, (s->n_reservations + 1) * sizeof *more);
    if (!more) return AY_FAIL(err, AY_NOMEM, "simulated memory: out of memory");
    s->reservations = more;
    s->reservations[s->n_reservations++] = (struct sim_reservation){ *va, bytes };
    return AY_OK;
}

enum ay_status sim_vmm_map(struct sim_machine *m, uint64_t va, uint64_t bytes, uint64_t handle,
                           uint64_t offset, struct ay_error *err)
{
    struct sim_vmm *v = vmm_of(&m->space, handle);
    if (!v || bytes == 0 || offset > v->bytes || bytes > v->bytes - offset)
        return AY_FAIL(err, AY_USAGE, "simulated memory: no such physical range");
    const struct sim_region *before = sim_region_find(&m->space, va);
    const uint32_t i = first_after(&m->space, va);
    if (before || (i < m->space.n && m->space.regions[i]->va < va + bytes))
        return AY_FAIL(err, AY_USAGE, "simulated memory: %#llx is mapped already",
                       (unsigned long long)va);
    const struct sim_region r = { .va = va, .end = va + bytes, .physical = v->physical + offset,
                                  .host = v->host + offset, .kind = SIM_REGION_DEVICE,
                                  .handle = handle };
    AY_TRY(sim_region_add(&m->space, &r, err));
    v->n_maps++;
    return AY_OK;
}

bool sim_vmm_unmap(struct sim_machine *m, uint64_t va, uint64_t bytes)
{
    bool any = false;
    for (;;) {
        const uint32_t i = first_after(&m->space, va + bytes - 1);
        struct sim_region *r = i ? m->space.regions[i - 1] : NULL;
        if (!r || r->va < va || !r->handle) return any;
        struct sim_vmm *v = vmm_of(&m->space, r->handle);
        sim_region_drop(&m->space, r);
        if (v) {
            v->n_maps--;
            free_if_unused(m, v);
        }
        any = true;
    }
}

bool sim_vmm_unreserve(struct sim_machine *m, uint64_t va, uint64_t bytes)
{
    struct sim_map *s = &m->space;
    for (uint32_t i = 0; i < s->n_reservations; i++) {
        if (s->reservations[i].va != va || s->reservations[i].bytes != bytes) continue;
        s->reservations[i] = s->reservations[--s->n_reservations];
        return true;
    }
    return false;
}
