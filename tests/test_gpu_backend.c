/* test_gpu_backend.c - opening a GPU, its images, its launches, on a driver that does as told. */
#include <stdlib.h>
#include <string.h>

#include "gpu_world.h"

/* --- opening ---------------------------------------------------------------------------------- */

START_TEST(an_open_gpu_has_the_facts_of_its_driver)
{
    struct world w;
    world_begin(&w);
    gpu_world_open(&w);
    ck_assert_str_eq(w.dev.name, "cuda:0");
    ck_assert_int_eq(w.dev.kind, AY_DEVICE_GPU);
    ck_assert_int_eq(w.dev.facts.sm_arch, 90);
    ck_assert_uint_eq(w.dev.facts.n_sms, 4);
    ck_assert_uint_eq(w.dev.facts.free_bytes, 3u << 30);
    ck_assert_uint_eq(w.dev.facts.claimed_l2_bytes, 1u << 20);
    ck_assert_double_eq(w.dev.facts.claimed_sm_clock_mhz, 1980);
    ck_assert_str_eq(w.fake.nvml_pci, "0000:47:00.0");
    ck_assert_uint_eq(w.dev.ops->now_ns(w.dev.self), 1234);
    world_end(&w);
}
END_TEST

START_TEST(claims_that_are_zero_or_refused_are_unknown_not_fatal)
{
    struct world w;
    world_begin(&w);
    fake_override(&w.fake, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 0, CUDA_ERROR_INVALID_VALUE);
    fake_override(&w.fake, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0, CUDA_SUCCESS);
    fake_override(&w.fake, CU_DEVICE_ATTRIBUTE_WARP_SIZE, -1, CUDA_SUCCESS);
    w.driver.nvmlInit = NULL;
    gpu_world_open(&w);
    ck_assert_uint_eq(w.dev.facts.claimed_l2_bytes, 0);
    ck_assert_double_eq(w.dev.facts.claimed_sm_clock_mhz, 0);
    ck_assert_uint_eq(w.dev.facts.warp_lanes, 32);
    ck_assert_uint_eq(w.dev.facts.max_threads_per_cta, 1024);
    world_end(&w);
}
END_TEST

START_TEST(a_gpu_without_sms_or_capability_cannot_be_opened)
{
    static const CUdevice_attribute a[] = {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                           CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR};
    for (int i = 0; i < 2; i++) {
        struct world w;
        world_begin(&w);
        fake_override(&w.fake, a[i], 0, CUDA_SUCCESS);
        ck_assert_int_eq(ay_gpu_open(&w.driver, 0, NULL, "cuda:0", false, &w.dev, &w.err),
                         AY_DEVICE);
        must_say(w.err.text, "cuda:0: the driver does not say");
        world_end(&w);
    }
}
END_TEST

static void must_not_open(const char *fault, const char *word)
{
    struct world w;
    world_begin_with(&w, fault);
    ck_assert_msg(ay_gpu_open(&w.driver, 0, NULL, "cuda:0", false, &w.dev, &w.err) == AY_DEVICE,
                  "%s opens", fault);
    must_say(w.err.text, word);
    ck_assert_ptr_null(w.dev.ops);
    world_end(&w);
}

START_TEST(a_start_that_fails_anywhere_leaves_nothing_behind)
{
    must_not_open("cuInit@1=802", "nvidia-fabricmanager");
    must_not_open("cuDriverGetVersion@1=999", "cuDriverGetVersion");
    must_not_open("cuDeviceGetCount@1=3", "cuDeviceGetCount");
    must_not_open("cuDeviceGet@1=101", "cuDeviceGet: CUDA_ERROR_INVALID_DEVICE");
    must_not_open("cuDevicePrimaryCtxRetain@1=46", "compute mode");
    must_not_open("cuDevicePrimaryCtxRetain@1=corrupt", "corrupt: ");
    must_not_open("cuCtxSetCurrent@1=201", "cuCtxSetCurrent");
    must_not_open("cuStreamCreate@1=2", "cuStreamCreate: CUDA_ERROR_OUT_OF_MEMORY");
    must_not_open("cuDeviceGetAttribute@*=1", "does not say");
}
END_TEST

START_TEST(a_busy_gpu_does_not_keep_the_next_from_opening)
{
    struct world w;
    world_begin_with(&w, "cuDevicePrimaryCtxRetain@1=46");
    struct ay_driver again;
    fake_driver(&w.fake, &again);
    ck_assert_int_eq(ay_gpu_open(&w.driver, 0, NULL, "cuda:0", false, &w.dev, &w.err), AY_DEVICE);
    ck_assert_int_eq(ay_gpu_open(&again, 1, NULL, "cuda:1", false, &w.dev, &w.err), AY_OK);
    ck_assert_str_eq(w.fake.nvml_pci, "0000:48:00.0");
    w.fake.n_closed--;
    world_end(&w);
}
END_TEST

START_TEST(a_gpu_is_found_by_its_whole_or_its_first_digits)
{
    static const struct {
        const char *uuid;
        enum ay_status status;
        const char *pci;
    } cases[] = {
        {"GPU-11081111-1111-1111-1111-111111111111", AY_OK, "0000:48:00.0"},
        {"GPU-1107", AY_OK, "0000:47:00.0"},
        {"MIG-11081111", AY_OK, "0000:48:00.0"},
        {"MIG-GPU-11081111-1111-1111-1111-111111111111/1/2", AY_OK, "0000:48:00.0"},
        {"GPU-11", AY_DEVICE, NULL}, /* both begin so */
        {"GPU-", AY_DEVICE, NULL},
        {"GPU-99999999", AY_DEVICE, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct world w;
        world_begin(&w);
        const enum ay_status s =
            ay_gpu_open(&w.driver, 0, cases[i].uuid, cases[i].uuid, false, &w.dev, &w.err);
        ck_assert_msg(s == cases[i].status, "%s", cases[i].uuid);
        if (s == AY_OK) ck_assert_str_eq(w.fake.nvml_pci, cases[i].pci);
        if (s != AY_OK) must_say(w.err.text, cases[i].uuid);
        world_end(&w);
    }
}
END_TEST

START_TEST(an_ordinal_beyond_the_last_is_named_with_their_number)
{
    struct world w;
    world_begin(&w);
    ck_assert_int_eq(ay_gpu_open(&w.driver, 7, NULL, "cuda:7", false, &w.dev, &w.err), AY_DEVICE);
    must_say(w.err.text, "cuda:7");
    must_say(w.err.text, "shows 2");
    world_end(&w);
}
END_TEST

START_TEST(a_list_names_each_gpu_without_a_context)
{
    struct world w;
    struct ay_gpu_entry *gpus;
    size_t n;
    world_begin(&w);
    ck_assert_int_eq(ay_gpu_list(&w.driver, &gpus, &n, &w.err), AY_OK);
    ck_assert_uint_eq(n, 2);
    ck_assert_str_eq(gpus[1].product, "Fake GPU 1");
    ck_assert_str_eq(gpus[1].pci, "0000:48:00.0");
    ck_assert_str_eq(gpus[1].uuid, "GPU-11081111-1111-1111-1111-111111111111");
    ck_assert_str_eq(gpus[1].arch, "sm_90a");
    ck_assert_uint_eq(gpus[1].n_sms, 4);
    ck_assert_uint_eq(gpus[1].total_bytes, (uint64_t)1 << 32);
    free(gpus);
    ay_driver_close(&w.driver);
    world_end(&w);
}
END_TEST

/* --- images ----------------------------------------------------------------------------------- */

START_TEST(the_image_is_the_one_that_runs_on_the_chip)
{
    static const struct {
        int sm;
        bool wants_ptx, is_to_load;
        enum ay_image_kind kind;
        const char *arch; /* NULL: none */
    } cases[] = {
        {75, false, false, AY_IMAGE_CUBIN, "sm_75"},
        {80, false, false, AY_IMAGE_CUBIN, "sm_80"},
        {86, false, false, AY_IMAGE_CUBIN, "sm_86"},
        {87, false, false, AY_IMAGE_CUBIN, "sm_86"},
        {89, false, false, AY_IMAGE_CUBIN, "sm_89"},
        {90, false, false, AY_IMAGE_CUBIN, "sm_90a"},
        {100, false, false, AY_IMAGE_CUBIN, "sm_100a"},
        {103, false, false, AY_IMAGE_CUBIN, "sm_103a"},
        {120, false, false, AY_IMAGE_CUBIN, "sm_120a"},
        {121, false, false, AY_IMAGE_FATBIN, ""},
        {110, false, false, AY_IMAGE_FATBIN, ""},
        {70, false, false, AY_IMAGE_CUBIN, NULL},
        {90, false, true, AY_IMAGE_FATBIN, ""},
        {121, false, true, AY_IMAGE_FATBIN, ""},
        {70, false, true, AY_IMAGE_CUBIN, NULL},
        {90, true, false, AY_IMAGE_PTX, "sm_90a"},
        {90, true, true, AY_IMAGE_PTX, "sm_90a"},
        {87, true, true, AY_IMAGE_PTX, "sm_86"},
        {121, true, true, AY_IMAGE_PTX, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct ay_image *image = gpu_pick_image(fake_images, "mem/x", cases[i].sm,
                                                      cases[i].wants_ptx, cases[i].is_to_load);
        ck_assert_msg(!image == !cases[i].arch, "sm_%d", cases[i].sm);
        if (!image) continue;
        ck_assert_int_eq(image->kind, cases[i].kind);
        ck_assert_str_eq(image->arch, cases[i].arch);
    }
    ck_assert_ptr_null(gpu_pick_image(fake_images, "mem/other", 90, false, true));
}
END_TEST

static void must_skip_launch(struct world *w, const char *word)
{
    const struct ay_launch l = {.kernel = &world_kernel, .n_ctas = 1, .n_threads = 32};
    ck_assert_int_eq(w->dev.ops->launch(w->dev.self, &l, &w->err), AY_SKIP);
    must_say(w->err.text, word);
}

START_TEST(a_program_without_kernels_skips_and_says_why)
{
    static const struct ay_image none[] = {{0}};
    struct world w;
    const struct ay_image *image;
    world_begin(&w);
    gpu_world_open(&w);
    ((struct gpu *)w.dev.self)->images = none;
    must_skip_launch(&w, "built without nvcc");
    ck_assert_int_eq(w.dev.ops->image_of(w.dev.self, &world_kernel, &image, &w.err), AY_SKIP);
    world_end(&w);
    world_begin(&w);
    fake_override(&w.fake, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 7, CUDA_SUCCESS);
    gpu_world_open(&w);
    must_skip_launch(&w, "no image of mem/x for sm_70");
    world_end(&w);
}
END_TEST

START_TEST(a_kernel_that_its_image_lacks_skips)
{
    struct world w;
    world_begin(&w);
    w.fake.has_kernels = false;
    gpu_world_open(&w);
    must_skip_launch(&w, "has no kernel chase");
    world_end(&w);
}
END_TEST

START_TEST(a_rejected_module_is_said_with_the_first_line_of_the_log)
{
    struct world w;
    const struct ay_launch l = {.kernel = &world_kernel};
    world_begin(&w);
    w.driver.wants_ptx = true;
    w.fake.jit_log = "\n\nptxas fatal: nonsense at line 3\nmore\n";
    gpu_world_open(&w);
    ck_assert_int_eq(w.dev.ops->launch(w.dev.self, &l, &w.err), AY_DEVICE);
    must_say(w.err.text, "cuModuleLoadDataEx of mem/x for sm_90a");
    must_say(w.err.text, "PTX 8.0");
    must_say(w.err.text, "driver for CUDA 13.0");
    must_say(w.err.text, "ptxas fatal: nonsense at line 3");
    must_say(w.err.text, "CUDA_ERROR_INVALID_PTX (218)");
    ck_assert_ptr_null(strstr(w.err.text, "more"));
    world_end(&w);
}
END_TEST

START_TEST(what_the_provider_cannot_do_is_a_skip_in_its_own_words)
{
    struct world w;
    world_begin_with(&w, NULL);
    w.fake.jit_log = "x";
    w.fake.reason = "opcode tex at mem/x:3 is not simulated";
    gpu_world_open(&w);
    w.fake.result = CUDA_ERROR_NOT_SUPPORTED;
    must_skip_launch(&w, "opcode tex at mem/x:3 is not simulated");
    w.fake.result = CUDA_ERROR_ILLEGAL_ADDRESS;
    const struct ay_launch l = {.kernel = &world_kernel};
    ck_assert_int_eq(w.dev.ops->launch(w.dev.self, &l, &w.err), AY_DEVICE);
    must_say(w.err.text, "(700): opcode tex at mem/x:3 is not simulated");
    world_end(&w);
}
END_TEST

START_TEST(a_module_is_loaded_once)
{
    struct world w;
    const struct ay_launch l = {.kernel = &world_kernel};
    world_begin(&w);
    gpu_world_open(&w);
    for (int i = 0; i < 3; i++) ck_assert_int_eq(w.dev.ops->launch(w.dev.self, &l, &w.err), AY_OK);
    ck_assert_uint_eq(w.fake.n_modules, 1);
    ck_assert_uint_eq(w.fake.n_launches, 3);
    world_end(&w);
}
END_TEST

/* --- launches --------------------------------------------------------------------------------- */

START_TEST(attributes_go_by_launch_ex_and_only_then)
{
    struct world w;
    struct ay_launch l = {.kernel = &world_kernel, .n_ctas = 8, .n_threads = 64};
    world_begin(&w);
    gpu_world_open(&w);
    ck_assert_int_eq(w.dev.ops->launch(w.dev.self, &l, &w.err), AY_OK);
    ck_assert_uint_eq(w.fake.n_ex, 0);
    l.cluster_ctas = 4;
    l.is_pdl = l.is_cooperative = true;
    ck_assert_int_eq(w.dev.ops->launch(w.dev.self, &l, &w.err), AY_OK);
    ck_assert_uint_eq(w.fake.n_ex, 1);
    ck_assert_uint_eq(w.fake.last_config.numAttrs, 3);
    ck_assert_uint_eq(w.fake.last_config.gridDimX, 8);
    ck_assert_uint_eq(w.fake.last_config.blockDimX, 64);
    ck_assert_uint_eq(w.fake.n_attributes, 0);
    l.cluster_ctas = 16;
    ck_assert_int_eq(w.dev.ops->launch(w.dev.self, &l, &w.err), AY_OK);
    ck_assert_uint_eq(w.fake.n_attributes, 1);
    world_end(&w);
}
END_TEST

START_TEST(function_attributes_are_set_when_they_change)
{
    struct world w;
    struct ay_launch l = {.kernel = &world_kernel, .shared_bytes = 1024, .carveout_percent = 50};
    world_begin(&w);
    gpu_world_open(&w);
    for (int i = 0; i < 2; i++) ck_assert_int_eq(w.dev.ops->launch(w.dev.self, &l, &w.err), AY_OK);
    ck_assert_uint_eq(w.fake.n_attributes, 2);
    l.shared_bytes = 512;
    l.carveout_percent = 0;
    ck_assert_int_eq(w.dev.ops->launch(w.dev.self, &l, &w.err), AY_OK);
    ck_assert_uint_eq(w.fake.n_attributes, 3);
    world_end(&w);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        an_open_gpu_has_the_facts_of_its_driver,
        claims_that_are_zero_or_refused_are_unknown_not_fatal,
        a_gpu_without_sms_or_capability_cannot_be_opened,
        a_start_that_fails_anywhere_leaves_nothing_behind,
        a_busy_gpu_does_not_keep_the_next_from_opening,
        a_gpu_is_found_by_its_whole_or_its_first_digits,
        an_ordinal_beyond_the_last_is_named_with_their_number,
        a_list_names_each_gpu_without_a_context,
        the_image_is_the_one_that_runs_on_the_chip,
        a_program_without_kernels_skips_and_says_why,
        a_kernel_that_its_image_lacks_skips,
        a_rejected_module_is_said_with_the_first_line_of_the_log,
        what_the_provider_cannot_do_is_a_skip_in_its_own_words,
        a_module_is_loaded_once,
        attributes_go_by_launch_ex_and_only_then,
        function_attributes_are_set_when_they_change,
    };
    return gpu_world_run("gpu_backend", tests, sizeof tests / sizeof tests[0]);
}
