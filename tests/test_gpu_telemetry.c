/* test_gpu_telemetry.c - what is recorded about a GPU: null where nobody knows, never 0. */
#include <stdlib.h>
#include <string.h>

#include "gpu_world.h"

/* --- telemetry, description ------------------------------------------------------------------- */

static const char *const members[] = {"sm_clock_mhz", "mem_clock_mhz", "power_average_w",
                                      "power_instant_w", "power_limit_w", "energy_j",
                                      "temperature_c", "throttle", "ecc", "mig"};
enum { N_MEMBERS = sizeof members / sizeof members[0] };

static void must_be_null_alone(const char *fault, unsigned null_mask)
{
    struct world w;
    world_begin_with(&w, fault);
    gpu_world_open(&w);
    json_t *t = w.dev.ops->telemetry(w.dev.self);
    ck_assert_uint_eq(json_object_size(t), N_MEMBERS);
    for (unsigned i = 0; i < N_MEMBERS; i++)
        ck_assert_msg(json_is_null(json_object_get(t, members[i])) == !!(null_mask >> i & 1),
                      "%s: %s", fault, members[i]);
    json_decref(t);
    world_end(&w);
}

START_TEST(each_getter_that_fails_makes_its_own_member_null)
{
    must_be_null_alone(NULL, 0);
    must_be_null_alone("nvmlDeviceGetClockInfo@1=3", 1);
    must_be_null_alone("nvmlDeviceGetClockInfo@2=3", 2);
    must_be_null_alone("nvmlDeviceGetPowerUsage@*=3", 4);
    must_be_null_alone("nvmlDeviceGetFieldValues@*=3", 8);
    must_be_null_alone("nvmlDeviceGetEnforcedPowerLimit@*=3", 16);
    must_be_null_alone("nvmlDeviceGetTotalEnergyConsumption@*=3", 32);
    must_be_null_alone("nvmlDeviceGetTemperature@*=15", 64);
    must_be_null_alone("nvmlDeviceGetCurrentClocksEventReasons@*=999", 128);
    must_be_null_alone("nvmlDeviceGetEccMode@*=3", 256);
    must_be_null_alone("nvmlDeviceGetMigMode@*=3", 512);
    must_be_null_alone("nvmlInit@1=999", 1023);
    must_be_null_alone("nvmlDeviceGetHandleByPciBusId@1=6", 1023);
    must_be_null_alone("nvmlDeviceGetHandleByPciBusId@1=corrupt", 1023);
}
END_TEST

START_TEST(telemetry_is_in_watts_and_words)
{
    struct world w;
    world_begin(&w);
    gpu_world_open(&w);
    json_t *t = w.dev.ops->telemetry(w.dev.self);
    ck_assert_double_eq(json_real_value(json_object_get(t, "power_average_w")), 350);
    ck_assert_double_eq_tol(json_real_value(json_object_get(t, "power_instant_w")), 420, 1e-9);
    ck_assert_double_eq(json_real_value(json_object_get(t, "sm_clock_mhz")), 1980);
    const json_t *words = json_object_get(t, "throttle");
    ck_assert_uint_eq(json_array_size(words), 2);
    ck_assert_str_eq(json_string_value(json_array_get(words, 0)), "power_cap");
    ck_assert_str_eq(json_string_value(json_array_get(words, 1)), "thermal");
    json_decref(t);
    world_end(&w);
}
END_TEST

START_TEST(an_integrated_gpu_has_no_memory_clock)
{
    struct world w;
    world_begin(&w);
    fake_override(&w.fake, CU_DEVICE_ATTRIBUTE_INTEGRATED, 1, CUDA_SUCCESS);
    gpu_world_open(&w);
    json_t *t = w.dev.ops->telemetry(w.dev.self);
    ck_assert(json_is_null(json_object_get(t, "mem_clock_mhz")));
    ck_assert_double_eq(w.dev.facts.claimed_mem_clock_mhz, 0);
    json_decref(t);
    world_end(&w);
}
END_TEST

START_TEST(a_description_names_the_gpu_and_what_is_around_it)
{
    struct world w;
    json_t *d, *e;
    setenv("CUDA_VISIBLE_DEVICES", "0,\xff,1", 1);
    setenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "12", 1);
    world_begin(&w);
    gpu_world_open(&w);
    ck_assert_int_eq(w.dev.ops->describe(w.dev.self, &d, &e, &w.err), AY_OK);
    ck_assert_str_eq(json_string_value(json_object_get(d, "product")), "Fake GPU 0");
    ck_assert_str_eq(json_string_value(json_object_get(d, "arch")), "sm_90a");
    ck_assert_int_eq(json_integer_value(json_object_get(d, "sms")), 4);
    ck_assert_str_eq(json_string_value(json_object_get(e, "driver")), "580.65.06");
    ck_assert_str_eq(json_string_value(json_object_get(e, "cuda_driver")), "13.0");
    ck_assert(json_is_true(json_object_get(e, "ecc")));
    ck_assert(json_is_false(json_object_get(e, "mig")));
    ck_assert(json_is_true(json_object_get(e, "persistence")));
    const json_t *v = json_object_get(e, "variables");
    ck_assert_str_eq(json_string_value(json_object_get(v, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE")),
                     "12");
    ck_assert(json_is_string(json_object_get(v, "CUDA_VISIBLE_DEVICES")));
    json_decref(d);
    json_decref(e);
    world_end(&w);
}
END_TEST

START_TEST(modes_that_nvml_does_not_know_are_null_not_off)
{
    struct world w;
    json_t *d, *e;
    world_begin(&w);
    w.fake.nvml_result = NVML_ERROR_NOT_SUPPORTED;
    gpu_world_open(&w);
    ck_assert_int_eq(w.dev.ops->describe(w.dev.self, &d, &e, &w.err), AY_OK);
    ck_assert(json_is_null(json_object_get(e, "ecc")));
    ck_assert(json_is_null(json_object_get(e, "mig")));
    ck_assert(json_is_null(json_object_get(e, "persistence")));
    json_decref(d);
    json_decref(e);
    world_end(&w);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        each_getter_that_fails_makes_its_own_member_null,
        telemetry_is_in_watts_and_words,
        an_integrated_gpu_has_no_memory_clock,
        a_description_names_the_gpu_and_what_is_around_it,
        modes_that_nvml_does_not_know_are_null_not_off,
    };
    return gpu_world_run("gpu_telemetry", tests, sizeof tests / sizeof tests[0]);
}
