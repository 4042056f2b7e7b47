/* Parts of the simulated memory hierarchy, each alone. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "dev/sim/cache.h"
#include "dev/sim/coalesce.h"
#include "dev/sim/slots.h"
#include "dev/sim/tlb.h"

/* --- hashes ----------------------------------------------------------------------------------- */

static const uint32_t SIZES[] = { 1, 2, 3, 5, 6, 7, 12, 24, 64, 96, 160, 1000 };
enum { N_SIZES = sizeof SIZES / sizeof *SIZES };

START_TEST(every_hash_is_a_permutation_of_each_block_of_lines)
{
    const enum ay_chip_hash hash = (enum ay_chip_hash)_i;
    for (uint32_t k = 0; k < N_SIZES; k++) {
        const uint32_t n = SIZES[k];
        const struct sim_divider d = sim_divider_of(n);
        for (uint64_t block = 0; block < 40; block++) {
            uint8_t seen[1000] = { 0 };
            const uint64_t q = block < 20 ? block : block * 0x1234567ull;
            for (uint32_t r = 0; r < n; r++) {
                uint64_t rest;
                const uint32_t set = sim_permute(d, hash, q * n + r, &rest);
                ck_assert_uint_lt(set, n);
                ck_assert_uint_eq(seen[set], 0);
                ck_assert_uint_eq(rest, q);
                seen[set] = 1;
            }
        }
    }
}
END_TEST

START_TEST(division_by_a_known_number_is_exact)
{
    for (uint32_t k = 0; k < N_SIZES; k++) {
        const struct sim_divider d = sim_divider_of(SIZES[k]);
        uint64_t x = 1;
        for (int i = 0; i < 20000; i++) {
            x = sim_mix(x + (uint64_t)i);
            const uint64_t y = x >> 18; /* below 2^46 */
            ck_assert_uint_eq(sim_divide(d, y), y / SIZES[k]);
        }
        for (uint64_t y = 0; y < 5000; y++) ck_assert_uint_eq(sim_divide(d, y), y / SIZES[k]);
    }
}
END_TEST

/* --- caches ----------------------------------------------------------------------------------- */

/* true: hit; a miss brings the line in. */
static bool touch(struct sim_tags *c, uint64_t line)
{
    const uint32_t set = sim_tags_set(c, line);
    uint32_t i = sim_tags_find_in(c, set, line);
    if (i != SIM_NO_LINE) {
        sim_tags_touch(c, i);
        return true;
    }
    i = sim_tags_victim(c, set, false);
    sim_tags_put(c, i, line);
    return false;
}

static uint32_t hits_of_second_lap(struct sim_tags *c, uint32_t n_lines)
{
    uint32_t hits = 0;
    for (uint32_t lap = 0; lap < 2; lap++) {
        hits = 0;
        for (uint32_t i = 0; i < n_lines; i++) hits += touch(c, 1000 + i);
    }
    return hits;
}

START_TEST(a_ring_of_the_capacity_stays_and_one_line_more_does_not)
{
    const uint32_t sets[] = { 1, 8, 24, 48 };
    for (int policy = 0; policy < AY_N_CHIP_POLICIES; policy++) {
        struct sim_tags c;
        const uint32_t n = sets[_i] * 6;
        ck_assert(sim_tags_open(&c, sets[_i], 6, (enum ay_chip_policy)policy, AY_HASH_none, 7));
        ck_assert_uint_eq(hits_of_second_lap(&c, n), n);
        sim_tags_clear(&c);
        ck_assert_uint_lt(hits_of_second_lap(&c, n + 1), n + 1);
        sim_tags_close(&c);
    }
}
END_TEST

START_TEST(lru_gives_up_the_oldest_access_and_fifo_the_oldest_line)
{
    for (int fifo = 0; fifo < 2; fifo++) {
        struct sim_tags c;
        ck_assert(sim_tags_open(&c, 1, 2, fifo ? AY_POLICY_fifo : AY_POLICY_lru, AY_HASH_none, 0));
        touch(&c, 1);
        touch(&c, 2);
        ck_assert(touch(&c, 1));
        touch(&c, 3);
        ck_assert_int_eq(touch(&c, 1), !fifo);
        sim_tags_close(&c);
    }
}
END_TEST

START_TEST(clearing_a_cache_empties_it_each_of_a_million_times)
{
    struct sim_tags c;
    ck_assert(sim_tags_open(&c, 4, 2, AY_POLICY_lru, AY_HASH_none, 0));
    uint32_t n_wrong = 0;
    for (uint32_t i = 0; i < 1100000; i++) {
        n_wrong += touch(&c, 5);
        n_wrong += !touch(&c, 5);
        sim_tags_clear(&c);
    }
    ck_assert_uint_eq(n_wrong, 0);
    sim_tags_close(&c);
}
END_TEST

START_TEST(a_copy_never_displaces_a_home)
{
    struct sim_tags c;
    ck_assert(sim_tags_open(&c, 1, 2, AY_POLICY_lru, AY_HASH_none, 0));
    touch(&c, 1);
    touch(&c, 2);
    ck_assert_uint_eq(sim_tags_victim(&c, 0, true), SIM_NO_LINE);
    c.lines[1].is_copy = true;
    ck_assert_uint_eq(sim_tags_victim(&c, 0, true), 1);
    ck_assert_uint_eq(sim_tags_victim(&c, 0, false), 1); /* and a home takes a copy's place first */
    sim_tags_close(&c);
}
END_TEST

/* --- TLB -------------------------------------------------------------------------------------- */

START_TEST(a_tlb_reaches_its_entries_and_no_further)
{
    const uint32_t entries[] = { 8, 24, 192, 512 };
    struct sim_tlb t;
    const uint32_t n = entries[_i];
    ck_assert(sim_tlb_open(&t, n, n, 65536));
    for (uint64_t lap = 0; lap < 3; lap++)
        for (uint64_t p = 0; p < n; p++)
            ck_assert_int_eq(sim_tlb_access(&t, sim_tlb_page(&t, p * 65536)), lap > 0);
    for (uint64_t lap = 0; lap < 2; lap++) /* one more, in a ring: LRU keeps none of it */
        for (uint64_t p = 100000; p < 100000 + n + 1; p++) ck_assert(!sim_tlb_access(&t, p));
    sim_tlb_close(&t);
}
END_TEST

START_TEST(a_tlb_agrees_with_a_list_in_order_of_age)
{
    enum { WAYS = 4, SETS = 3 };
    struct sim_tlb t;
    uint64_t list[SETS][WAYS], x = 1;
    memset(list, 0xff, sizeof list);
    ck_assert(sim_tlb_open(&t, SETS * WAYS, WAYS, 4096));
    for (int i = 0; i < 100000; i++) {
        x = sim_mix(x + 1);
        const uint64_t page = x % 23;
        uint64_t *set = list[page % SETS];
        int at = 0;
        while (at < WAYS && set[at] != page) at++;
        ck_assert_int_eq(sim_tlb_access(&t, page), at < WAYS);
        if (at == WAYS) at--;
        memmove(set + 1, set, (size_t)at * sizeof *set);
        set[0] = page;
    }
    sim_tlb_close(&t);
}
END_TEST

/* --- ports ------------------------------------------------------------------------------------ */

START_TEST(an_idle_port_is_there_at_once)
{
    struct sim_port p;
    ck_assert(sim_port_open(&p, 1.7, 1024));
    for (uint64_t t = 3; t < 100000; t += 301)
        ck_assert_uint_eq(sim_port_reserve(&p, t, 32 * 1024, 32 * 1024), t);
    sim_port_close(&p);
}
END_TEST

START_TEST(a_saturated_port_passes_exactly_its_rate)
{
    const double rates[] = { 0.3, 5, 21.25, 64, 500 };
    struct sim_port p;
    uint64_t last = 0;
    ck_assert(sim_port_open(&p, rates[_i], 1024));
    const uint64_t n = 40000;
    for (uint64_t i = 0; i < n; i++) { /* each waits for what came 60 before it */
        const uint64_t t = last > 2000 ? last - 2000 : 0;
        const uint64_t at = sim_port_reserve(&p, t, 32 * 1024, 32 * 1024);
        if (at > last) last = at;
    }
    const double rate = (double)n * 32 / (double)last;
    ck_assert_double_eq_tol(rate / rates[_i], 1, 0.002);
    sim_port_close(&p);
}
END_TEST

START_TEST(a_reservation_far_ahead_does_not_hold_up_an_earlier_one)
{
    struct sim_port p;
    ck_assert(sim_port_open(&p, 16, 1024));
    ck_assert_uint_eq(sim_port_reserve(&p, 5000, 32768, 32768), 5000);
    ck_assert_uint_eq(sim_port_reserve(&p, 100, 32768, 32768), 100);
    sim_port_close(&p);
}
END_TEST

START_TEST(the_last_piece_of_a_long_request_begins_later)
{
    struct sim_port p;
    ck_assert(sim_port_open(&p, 32, 1024));
    ck_assert_uint_eq(sim_port_reserve(&p, 160, 4 * 32768, 32768), 163);
    ck_assert_uint_eq(sim_port_reserve(&p, 1600, 64 * 32768, 32768), 1663);
    sim_port_close(&p);
}
END_TEST

/* --- coalescing ------------------------------------------------------------------------------- */

static struct sim_request coalesced(const uint64_t *addr, uint32_t mask, uint32_t bytes)
{
    struct sim_request r;
    sim_coalesce(addr, mask, bytes, 7, 5, &r);
    return r;
}

START_TEST(consecutive_lanes_touch_each_sector_once)
{
    uint64_t addr[32];
    for (uint64_t i = 0; i < 32; i++) addr[i] = 4096 + 4 * i;
    struct sim_request r = coalesced(addr, UINT32_MAX, 4);
    ck_assert_uint_eq(r.n, 1);
    ck_assert_uint_eq(r.sectors[0], 15);
    for (uint64_t i = 0; i < 32; i++) addr[i] = 4096 + 64 + 16 * i;
    r = coalesced(addr, UINT32_MAX, 16);
    ck_assert_uint_eq(r.n, 5);
    ck_assert_uint_eq(r.n_sectors, 16);
    ck_assert_uint_eq(r.sectors[0], 12);
    ck_assert_uint_eq(r.sectors[4], 3);
}
END_TEST

START_TEST(the_short_way_through_coalescing_agrees_with_the_long_one)
{
    uint64_t addr[32];
    for (uint64_t start = 0; start < 256; start += 8)
        for (uint32_t bytes = 4; bytes <= 16; bytes *= 2) {
            for (uint64_t i = 0; i < 32; i++) addr[i] = 4096 + start / bytes * bytes + bytes * i;
            const struct sim_request a = coalesced(addr, UINT32_MAX, bytes);
            const uint64_t swap = addr[3];
            addr[3] = addr[20];
            addr[20] = swap;
            const struct sim_request b = coalesced(addr, UINT32_MAX, bytes);
            ck_assert_uint_eq(a.n, b.n);
            ck_assert_uint_eq(a.n_sectors, b.n_sectors);
            for (uint32_t i = 0; i < a.n; i++)
                for (uint32_t k = 0; k < b.n; k++)
                    if (a.line[i] == b.line[k]) ck_assert_uint_eq(a.sectors[i], b.sectors[k]);
        }
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("parts");
    tcase_add_loop_test(t, every_hash_is_a_permutation_of_each_block_of_lines, 0,
                        AY_N_CHIP_HASHES);
    tcase_add_test(t, division_by_a_known_number_is_exact);
    tcase_add_loop_test(t, a_ring_of_the_capacity_stays_and_one_line_more_does_not, 0, 4);
    tcase_add_test(t, lru_gives_up_the_oldest_access_and_fifo_the_oldest_line);
    tcase_add_test(t, clearing_a_cache_empties_it_each_of_a_million_times);
    tcase_add_test(t, a_copy_never_displaces_a_home);
    tcase_add_loop_test(t, a_tlb_reaches_its_entries_and_no_further, 0, 4);
    tcase_add_test(t, a_tlb_agrees_with_a_list_in_order_of_age);
    tcase_add_test(t, an_idle_port_is_there_at_once);
    tcase_add_loop_test(t, a_saturated_port_passes_exactly_its_rate, 0, 5);
    tcase_add_test(t, a_reservation_far_ahead_does_not_hold_up_an_earlier_one);
    tcase_add_test(t, the_last_piece_of_a_long_request_begins_later);
    tcase_add_test(t, consecutive_lanes_touch_each_sector_once);
    tcase_add_test(t, the_short_way_through_coalescing_agrees_with_the_long_one);
    Suite *s = suite_create("sim_parts");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
