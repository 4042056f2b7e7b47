#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chip.h"
#include "core/text.h"

static const char *const built_in[] = {"plain",   "odd",   "replica",  "hashed", "random-policy",
                                       "geforce", "noisy", "throttle", "two",    "h200ish"};
enum { N_BUILT_IN = sizeof built_in / sizeof *built_in };

static struct ay_chip loaded(const char *device_text)
{
    struct ay_chip c;
    struct ay_error err;
    const enum ay_status status = ay_chip_load(device_text, &c, &err);
    ck_assert_msg(status == AY_OK, "%s: %s", device_text, status == AY_OK ? "" : err.text);
    return c;
}

static struct ay_chip parsed(const char *text)
{
    struct ay_chip c;
    struct ay_error err;
    const enum ay_status status = ay_chip_parse(text, "my.chip", &c, &err);
    ck_assert_msg(status == AY_OK, "%s", status == AY_OK ? "" : err.text);
    return c;
}

/* The text must be refused, and the words (parted by |) must all be in the message. */
static void refused(const char *text, const char *words)
{
    struct ay_chip c;
    struct ay_error err = {0};
    char word[120];
    ck_assert_int_eq(ay_chip_parse(text, "my.chip", &c, &err), AY_IO);
    while (*words) {
        const size_t n = strcspn(words, "|");
        snprintf(word, sizeof word, "%.*s", (int)n, words);
        ck_assert_msg(strstr(err.text, word) != NULL, "'%s' is not in '%s'", word, err.text);
        words += n + (words[n] == '|');
    }
}

static void check_round_trip(const struct ay_chip *c)
{
    char *const text = ay_chip_describe(c);
    ck_assert_ptr_nonnull(text);
    const struct ay_chip again = parsed(text);
    char *const second = ay_chip_describe(&again);
    ck_assert_str_eq(text, second);
    free(text);
    free(second);
}

START_TEST(every_built_in_chip_reads_back_from_its_print)
{
    const struct ay_chip c = loaded(built_in[_i]);
    ck_assert_str_eq(c.name, built_in[_i]);
    check_round_trip(&c);
}
END_TEST

START_TEST(random_chips_read_back_from_their_print)
{
    char text[32];
    snprintf(text, sizeof text, "random:%d", 1000 * _i + 7);
    const struct ay_chip c = loaded(text);
    ck_assert_str_eq(c.name, text);
    check_round_trip(&c);
}
END_TEST

START_TEST(a_print_tells_apart_chips_that_differ_in_one_key)
{
    const struct ay_chip a = loaded("plain");
    struct ay_chip b = a;
    b.mma_accum_bits[AY_MMA_e5m2_m16n8k32]++;
    char *const text_a = ay_chip_describe(&a), *const text_b = ay_chip_describe(&b);
    ck_assert_str_ne(text_a, text_b);
    free(text_a);
    free(text_b);
}
END_TEST

START_TEST(a_few_keys_stand_over_plain)
{
    const struct ay_chip plain = loaded("plain");
    const struct ay_chip c = parsed("base = plain\n"
                                    "sm_clock_mhz = 1337\n"
                                    "l1_latency_cycles = 41   # a comment\n"
                                    "\tshared_latency_cycles=27\r\n"
                                    "l2_near_latency_cycles = 233\n"
                                    "l2_far_latency_cycles = 391\n"
                                    "dram_latency_ns = 311\n"
                                    "l1_bytes = 49152\n"
                                    "reported.l2_bytes = 0");
    ck_assert_double_eq(c.sm_clock_mhz, 1337);
    ck_assert_uint_eq(c.l1_latency_cycles, 41);
    ck_assert_uint_eq(c.shared_latency_cycles, 27);
    ck_assert_uint_eq(ay_chip_l1_sets(&c), 96);
    ck_assert_uint_eq(ay_chip_dram_cycles(&c), 233 + 416); /* 311 ns x 1.337 = 415.8 */
    ck_assert(c.reported_l2_bytes.is_set);
    ck_assert_double_eq(ay_chip_claim(&c.reported_l2_bytes, (double)c.l2_bytes), 0);
    ck_assert_double_eq(ay_chip_claim(&c.reported_sms, 4), 4);
    ck_assert_uint_eq(c.l2_bytes, plain.l2_bytes);
    ck_assert_uint_eq(c.barrier_base_cycles, plain.barrier_base_cycles);
    check_round_trip(&c);
}
END_TEST

START_TEST(paths_that_are_as_l1_follow_l1)
{
    const struct ay_chip c = parsed("l1_latency_cycles = 41\nnc_latency_cycles = 50\n");
    ck_assert_uint_eq(c.local_latency_cycles, 41);
    ck_assert_uint_eq(c.nc_latency_cycles, 50);
}
END_TEST

START_TEST(the_base_may_come_last_and_may_be_random)
{
    const struct ay_chip odd = loaded("odd");
    const struct ay_chip c = parsed("l1_latency_cycles = 99\nbase = odd\n");
    ck_assert_uint_eq(c.l1_latency_cycles, 99);
    ck_assert_uint_eq(c.l2_slices, odd.l2_slices);
    const struct ay_chip seven = loaded("random:7");
    const struct ay_chip d = parsed("base = random:7\nseed = 3\n");
    ck_assert_uint_eq(d.l1_latency_cycles, seven.l1_latency_cycles);
    ck_assert_uint_eq(d.seed, 3);
}
END_TEST

START_TEST(an_empty_file_is_plain)
{
    char *const a = ay_chip_describe(&(struct ay_chip[]){parsed("\n# nothing\n")}[0]);
    char *const b = ay_chip_describe(&(struct ay_chip[]){loaded("plain")}[0]);
    ck_assert_str_eq(a, b);
    free(a);
    free(b);
}
END_TEST

START_TEST(the_architecture_alone_may_be_changed)
{
#define X(word) #word,
    static const char *const archs[] = {AY_CHIP_ARCHS(X)};
#undef X
    static const int numbers[] = {75, 80, 86, 89, 90, 100, 103, 120};
    for (int i = 0; i < AY_N_CHIP_ARCHS; i++) {
        char text[64];
        snprintf(text, sizeof text, "arch = %s\nbase = %s\n", archs[i], built_in[_i]);
        const struct ay_chip c = parsed(text);
        ck_assert_str_eq(ay_chip_arch_text(&c), archs[i]);
        ck_assert_int_eq(ay_chip_arch_number(&c), numbers[i]);
    }
}
END_TEST

START_TEST(a_list_deals_sms_and_even_deals_them_again)
{
    const struct ay_chip c = parsed("sms = 5\nsm_partition = 1,0 1, 0 1\n");
    static const uint16_t partitions[] = {1, 0, 1, 0, 1}, tpcs[] = {0, 0, 1, 1, 2};
    for (int i = 0; i < 5; i++) {
        ck_assert_uint_eq(c.sm_partition.of[i], partitions[i]);
        ck_assert_uint_eq(c.sm_tpc.of[i], tpcs[i]);
    }
    ck_assert_uint_eq(ay_chip_n_tpcs(&c), 3);
    const struct ay_chip odd = parsed("base = odd\nsms = 8\n");
    ck_assert(odd.sm_tpc.is_even);
    ck_assert_uint_eq(ay_chip_n_tpcs(&odd), 4);
    refused("sms = 5\nsm_partition = 0 1\n", "my.chip:2|sm_partition|2|5|even");
    refused("sm_partition = 0 1 2 0\n", "my.chip:1|sm_partition|number 2");
    refused("sm_tpc = 0 1 x 0\n", "my.chip:1|'x'");
}
END_TEST

START_TEST(pipes_are_sets_of_names_whatever_the_order_of_lines)
{
    const struct ay_chip a = parsed("alu.add32.pipe = zeta fma\nalu.mul32.pipe = alpha\n");
    const struct ay_chip b = parsed("alu.mul32.pipe = alpha\nalu.add32.pipe = fma, zeta\n");
    ck_assert_mem_eq(&a, &b, sizeof a);
    ck_assert_uint_ne(a.alu_pipes[AY_ALU_add32] & a.alu_pipes[AY_ALU_fma32], 0);
    ck_assert_uint_ne(a.alu_pipes[AY_ALU_add32], a.alu_pipes[AY_ALU_fma32]);
    ck_assert_uint_eq(a.alu_pipes[AY_ALU_mul32] & a.alu_pipes[AY_ALU_fma32], 0);
    refused("alu.add32.pipe = Fma\n", "my.chip:1|'Fma'|name of a pipe");
    refused("alu.add32.pipe =\n", "my.chip:1|pipe");
}
END_TEST

START_TEST(faults_name_file_line_and_remedy)
{
    refused("# one\nl1_latancy_cycles = 40\n", "my.chip:2|l1_latancy_cycles|'l1_latency_cycles'");
    refused("alu.fma33.latency_cycles = 4\n", "my.chip:1|'alu.fma32.latency_cycles'");
    refused("sms = 3\n\nsms = 4\n", "my.chip:3|duplicate|'sms'|line 1");
    refused("base = plain\nbase = odd\n", "my.chip:2|duplicate|'base'|line 1");
    refused("sms\n", "my.chip:1|key = value");
    refused("= 4\n", "my.chip:1|key = value");
    refused("sms =\n", "my.chip:1|sms");
    refused("sms = 4.5\n", "my.chip:1|'4.5'|whole number");
    refused("sms = -4\n", "my.chip:1|'-4'|whole number");
    refused("sms = 99999999999999999999\n", "my.chip:1|whole number");
    refused("l1_bytes = 48Ki\n", "my.chip:1|'48Ki'|whole number");
    refused("sms = 0\n", "my.chip:1|sms: 0 is out of range: 1 … 512");
    refused("sm_clock_mhz = 1,5\n", "my.chip:1|'1,5'|not a number");
    refused("sm_clock_mhz = nan\n", "my.chip:1|not a number");
    refused("sm_clock_mhz = 1e400\n", "my.chip:1|not a number");
    refused("noise_sigma_ratio = 0.9\n", "my.chip:1|out of range: 0 … 0.5");
    refused("l1_policy = mru\n", "my.chip:1|'mru'|lru fifo plru random");
    refused("arch = sm_90\n", "my.chip:1|'sm_90'|sm_90a");
    refused("base = plane\n", "my.chip:1|'plane'|'plain'");
    refused("base = other.chip\n", "my.chip:1|other.chip|random:SEED");
    refused("base = random:-1\n", "my.chip:1|random:-1|decimal");
    refused("reported.l1_latency_cycles = 4\n", "my.chip:1|unknown key|reported.");
    refused("name = a\x01" "b\n", "my.chip:1|ASCII");
}
END_TEST

START_TEST(what_does_not_fit_together_names_the_key_that_was_given)
{
    refused("\nl1_bytes = 49000\n", "my.chip:2|l1_bytes (49000)|l1_ways = 512|48640 and 49152");
    refused("l2_slices = 5\n", "my.chip:1|l2_bytes|l2_slices");
    refused("l2_partitions = 8\n", "my.chip:1|l2_slices|l2_partitions (8)");
    refused("l2_far_latency_cycles = 200\n", "my.chip:1|under l2_near_latency_cycles (210)");
    refused("l1_sector_bytes = 48\n", "my.chip:1|powers of two");
    refused("l2_fill_bytes = 256\n", "my.chip:1|l2_fill_bytes");
    refused("tlb1_ways = 5\n", "my.chip:1|tlb1_entries (32)");
    refused("tlb1_entries = 1\ntlb1_ways = 1\n", "my.chip:1|tlb_small = 1|4194304");
    refused("shared_bytes_per_cta = 200000\n", "my.chip:1|shared_bytes_per_sm");
    refused("threads_per_cta = 100\n", "my.chip:1|32");
    (void)parsed("tlb1_entries = 1\ntlb1_ways = 1\ntlb_small = 1\n");
    (void)parsed("l2_partitions = 1\nl2_far_latency_cycles = 200\n");
}
END_TEST

START_TEST(a_file_without_a_base_must_hold_every_key)
{
    const struct ay_text *const plain = ay_find_text("micro/dev/sim/chips/plain.chip");
    ck_assert_ptr_nonnull(plain);
    char *const text = strdup(plain->begin);
    (void)parsed(text);
    char *const line = strstr(text, "\nbulk.queue_depth");
    ck_assert_ptr_nonnull(line);
    line[1] = '#';
    refused(text, "my.chip|1 required|'bulk.queue_depth'|base");
    free(text);
    refused("base = none\nsms = 4\n", "required keys are missing|'name'");
}
END_TEST

START_TEST(the_same_seed_is_the_same_chip_and_others_differ)
{
    const struct ay_chip a = loaded("random:41"), b = loaded("random:41"), c = loaded("random:42");
    ck_assert_mem_eq(&a, &b, sizeof a);
    ck_assert_mem_ne(&a, &c, sizeof a);
    ck_assert_uint_ne(a.l1_bytes, c.l1_bytes);
}
END_TEST

static bool is_within(double x, double low, double high)
{
    return x >= low && x <= high;
}

static void check_ranges(const struct ay_chip *c)
{
    ck_assert(is_within((double)c->shared_latency_cycles, 15, 45));
    ck_assert(is_within((double)c->l1_latency_cycles, 20, 80));
    ck_assert(is_within((double)c->l2_near_latency_cycles, 100, 350));
    ck_assert(is_within((double)(c->l2_far_latency_cycles - c->l2_near_latency_cycles), 0, 300));
    ck_assert(is_within(c->dram_latency_ns, 80, 600));
    ck_assert(is_within((double)c->l1_bytes, 16 << 10, 256 << 10));
    ck_assert(is_within((double)c->l1_ways, 2, 16));
    ck_assert(is_within((double)c->l2_bytes, 512 << 10, 4 << 20));
    ck_assert(is_within((double)c->l2_slices, 1, 12));
    ck_assert(is_within((double)c->l2_partitions, 1, 2));
    ck_assert(is_within((double)c->tlb1_entries, 8, 512));
    ck_assert(is_within((double)c->tlb2_entries, 8, 512));
    ck_assert(is_within((double)c->sms, 2, 16));
    ck_assert(is_within(c->sm_clock_mhz, 700, 2600));
    ck_assert(is_within((double)c->globaltimer_step_ns, 1, 1024));
    ck_assert(c->noise_sigma_ratio == 0 || is_within(c->noise_sigma_ratio, 0.001, 0.01));
    for (int i = 0; i < AY_N_ALU_CLASSES; i++) {
        ck_assert(is_within((double)c->alu_latency_cycles[i], 2, 40));
        ck_assert(is_within((double)c->alu_interval_cycles[i], 1, 8));
    }
}

START_TEST(random_chips_stay_in_their_ranges_and_spread_over_them)
{
    enum { N = 400 };
    int n_power = 0, n_quiet = 0, n_liars = 0, n_replicas = 0, n_policies[AY_N_CHIP_POLICIES] = {0};
    int n_hashes[AY_N_CHIP_HASHES] = {0}, n_archs[AY_N_CHIP_ARCHS] = {0};
    for (uint64_t seed = 0; seed < N; seed++) {
        struct ay_chip c;
        struct ay_error err;
        ck_assert_int_eq(ay_chip_random(seed, &c, &err), AY_OK);
        check_ranges(&c);
        const uint64_t sets = ay_chip_l1_sets(&c);
        n_power += (sets & (sets - 1)) == 0;
        n_quiet += c.noise_sigma_ratio == 0;
        n_liars += c.reported_l2_bytes.is_set;
        n_replicas += c.l2_replicate == AY_REPLICATE_read;
        n_policies[c.l1_policy]++;
        n_hashes[c.l2_hash]++;
        n_archs[c.arch]++;
    }
    ck_assert(is_within(n_power, 0.4 * N, 0.6 * N));
    ck_assert(is_within(n_quiet, 0.4 * N, 0.6 * N));
    ck_assert(is_within(n_liars, 0.1 * N, 0.3 * N));
    ck_assert(is_within(n_replicas, 0.23 * N, 0.43 * N));
    for (int i = 0; i < AY_N_CHIP_POLICIES; i++)
        ck_assert(is_within(n_policies[i], 0.15 * N, 0.35 * N));
    for (int i = 0; i < AY_N_CHIP_HASHES; i++)
        ck_assert(is_within(n_hashes[i], 0.15 * N, 0.35 * N));
    ck_assert_int_eq(n_archs[AY_ARCH_sm_80] + n_archs[AY_ARCH_sm_90a] + n_archs[AY_ARCH_sm_100a] +
                         n_archs[AY_ARCH_sm_120a], N);
}
END_TEST

START_TEST(an_unknown_name_is_a_usage_error_with_the_nearest)
{
    struct ay_chip c;
    struct ay_error err;
    ck_assert_int_eq(ay_chip_load("replika", &c, &err), AY_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "'replica'"));
    ck_assert_int_eq(ay_chip_load("", &c, &err), AY_USAGE);
    ck_assert_int_eq(ay_chip_load("random:0x7", &c, &err), AY_USAGE);
    ck_assert_int_eq(ay_chip_load("random:18446744073709551616", &c, &err), AY_USAGE);
    ck_assert_int_eq(ay_chip_load("random:18446744073709551615", &c, &err), AY_OK);
}
END_TEST

START_TEST(a_missing_file_is_an_io_error_with_its_path)
{
    struct ay_chip c;
    struct ay_error err;
    ck_assert_int_eq(ay_chip_load("no/such/thing", &c, &err), AY_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "no/such/thing"));
    ck_assert_int_eq(ay_chip_load("nothing.chip", &c, &err), AY_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "nothing.chip"));
    ck_assert_int_eq(ay_chip_load("./", &c, &err), AY_IO);
}
END_TEST

START_TEST(a_file_is_read_and_a_file_of_other_bytes_is_not)
{
    char path[] = "/tmp/ay-chip-XXXXXX";
    struct ay_chip c;
    struct ay_error err;
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    FILE *const f = fdopen(fd, "w");
    fputs("name = mine\nsms = 3\n", f);
    fflush(f);
    ck_assert_int_eq(ay_chip_load(path, &c, &err), AY_OK);
    ck_assert_uint_eq(c.sms, 3);
    fputc('\0', f);
    fclose(f);
    ck_assert_int_eq(ay_chip_load(path, &c, &err), AY_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "NUL"));
    remove(path);
}
END_TEST

START_TEST(a_carve_out_moves_bytes_between_shared_memory_and_l1)
{
    struct ay_chip c = loaded("plain");
    ck_assert_uint_eq(ay_chip_l1_bytes_at(&c, -1), 32768);
    ck_assert_uint_eq(ay_chip_l1_bytes_at(&c, 90), 32768);
    ck_assert_uint_eq(ay_chip_l1_bytes_at(&c, 100), 16384);
    ck_assert_uint_eq(ay_chip_l1_bytes_at(&c, 50), 32768 + 65536);
    c.l1_bytes = 8192;
    ck_assert_uint_eq(ay_chip_l1_bytes_at(&c, 100), 512); /* one set stays */
    c.l1_unified = 0;
    ck_assert_uint_eq(ay_chip_l1_bytes_at(&c, 50), 8192);
}
END_TEST

START_TEST(nanoseconds_round_up_to_a_cycle_and_whole_ones_stay)
{
    struct ay_chip c = loaded("plain");
    ck_assert_uint_eq(ay_chip_dram_cycles(&c), 210 + 600);
    c.sm_clock_mhz = 1000.5;
    ck_assert_uint_eq(ay_chip_cycles_of_ns(&c, 400), 401);
    c.sm_clock_mhz = 1100;
    ck_assert_uint_eq(ay_chip_cycles_of_ns(&c, 70), 77); /* 77.00000000000001 in binary */
    ck_assert_uint_eq(ay_chip_cycles_of_ns(&c, 0), 0);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("chip");
    TCase *const t = tcase_create("chip");
    tcase_add_loop_test(t, every_built_in_chip_reads_back_from_its_print, 0, N_BUILT_IN);
    tcase_add_loop_test(t, random_chips_read_back_from_their_print, 0, 30);
    tcase_add_test(t, a_print_tells_apart_chips_that_differ_in_one_key);
    tcase_add_test(t, a_few_keys_stand_over_plain);
    tcase_add_test(t, paths_that_are_as_l1_follow_l1);
    tcase_add_test(t, the_base_may_come_last_and_may_be_random);
    tcase_add_test(t, an_empty_file_is_plain);
    tcase_add_loop_test(t, the_architecture_alone_may_be_changed, 0, N_BUILT_IN);
    tcase_add_test(t, a_list_deals_sms_and_even_deals_them_again);
    tcase_add_test(t, pipes_are_sets_of_names_whatever_the_order_of_lines);
    tcase_add_test(t, faults_name_file_line_and_remedy);
    tcase_add_test(t, what_does_not_fit_together_names_the_key_that_was_given);
    tcase_add_test(t, a_file_without_a_base_must_hold_every_key);
    tcase_add_test(t, the_same_seed_is_the_same_chip_and_others_differ);
    tcase_add_test(t, random_chips_stay_in_their_ranges_and_spread_over_them);
    tcase_add_test(t, an_unknown_name_is_a_usage_error_with_the_nearest);
    tcase_add_test(t, a_missing_file_is_an_io_error_with_its_path);
    tcase_add_test(t, a_file_is_read_and_a_file_of_other_bytes_is_not);
    tcase_add_test(t, a_carve_out_moves_bytes_between_shared_memory_and_l1);
    tcase_add_test(t, nanoseconds_round_up_to_a_cycle_and_whole_ones_stay);
    suite_add_tcase(s, t);
    SRunner *const r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
