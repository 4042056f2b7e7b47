/* bench_flags.c - words that host and device watch: flags, latches, correlated clocks. */
#include "core/bench_args.h"
#include "core/bench_impl.h"

static const struct ay_kernel ECHO = {"core/bench", "bench_echo"};
static const struct ay_kernel LATCH = {"core/bench", "bench_latch"};

enum ay_status ay_flags(struct ay_bench *b, struct ay_flags *out, struct ay_error *err)
{
    enum { LINE_BYTES = 128 }; /* the two words in lines of their own: no false sharing */
    struct ay_pinned p;
    AY_TRY(ay_pinned(b, 2 * LINE_BYTES, AY_PINNED, &p, err));
    *out = (struct ay_flags){
        .to_device = p.host,
        .to_host = (volatile uint32_t *)((char *)p.host + LINE_BYTES),
        .device_reads = p.device,
        .device_writes = p.device + LINE_BYTES,
    };
    return AY_OK;
}

enum ay_status ay_wait_flag(struct ay_bench *b, volatile uint32_t *flag, uint32_t value,
                            uint64_t timeout_ns, struct ay_error *err)
{
    const uint64_t begin_ns = ay_now_ns(b);
    while (*flag < value)
        if (ay_now_ns(b) - begin_ns > timeout_ns)
            return AY_FAIL(err, AY_DEVICE, "timeout: the device did not raise a flag to %u in "
                           "%llu ns; it stands at %u", value, (unsigned long long)timeout_ns,
                           *flag);
    return AY_OK;
}

/* A kernel that spins on a host word keeps its stream shut until the host writes it. The kernel
 * gives up by itself, so a host that died leaves no hung GPU. */
struct ay_latch {
    struct ay_flags flags;
};

enum ay_status ay_latch(struct ay_bench *b, struct ay_stream *s, uint64_t timeout_ns,
                        struct ay_latch **out, struct ay_error *err)
{
    void *box;
    AY_TRY(ay_host_scratch(b, sizeof **out, &box, err));
    *out = box;
    AY_TRY(ay_flags(b, &(*out)->flags, err));
    const struct latch_args args = {.flag = (*out)->flags.device_reads, .timeout_ns = timeout_ns};
    const struct ay_kernel before = b->kernel;
    AY_TRY(ay_launch(b, &(struct ay_launch){.kernel = &LATCH,
                                            .args = &args,
                                            .args_bytes = sizeof args,
                                            .stream = s}, err));
    b->kernel = before;
    return AY_OK;
}

enum ay_status ay_open_latch(struct ay_bench *b, struct ay_latch *l, struct ay_error *err)
{
    (void)b;
    (void)err;
    *l->flags.to_device = 1;
    return AY_OK;
}

/* Ping-pong: the host raises a flag, the kernel answers with its timer. The stamp lies between the
 * host's two reads of its own clock; the shortest round trip bounds the offset best [ntp]. */
enum ay_status ay_correlate(struct ay_bench *b, struct ay_correlation *out, struct ay_error *err)
{
    enum { TRIPS = 1000, TIMEOUT_NS = 1000000000 };
    struct ay_flags f;
    struct ay_stream *s;
    ay_addr stamps;
    uint64_t sent_ns[TRIPS], seen_ns[TRIPS], device_ns[TRIPS];
    AY_TRY(ay_flags(b, &f, err));
    AY_TRY(ay_stream(b, &s, err));
    AY_TRY(ay_trace(b, TRIPS, &stamps, err));
    const struct echo_args args = {.reads = f.device_reads,
                                   .writes = f.device_writes,
                                   .stamps = stamps,
                                   .timeout_ns = TIMEOUT_NS,
                                   .n_trips = TRIPS};
    AY_TRY(ay_launch(b, &(struct ay_launch){.kernel = &ECHO,
                                            .args = &args,
                                            .args_bytes = sizeof args,
                                            .stream = s}, err));
    for (uint32_t i = 0; i < TRIPS; i++) {
        sent_ns[i] = ay_now_ns(b);
        *f.to_device = i + 1;
        AY_TRY(ay_wait_flag(b, f.to_host, i + 1, TIMEOUT_NS, err));
        seen_ns[i] = ay_now_ns(b);
    }
    AY_TRY(ay_stream_wait(b, s, err));
    AY_TRY(ay_read(b, device_ns, stamps, sizeof device_ns, err));
    uint32_t best = 0;
    for (uint32_t i = 1; i < TRIPS; i++)
        if (seen_ns[i] - sent_ns[i] < seen_ns[best] - sent_ns[best]) best = i;
    const double half_ns = (double)(seen_ns[best] - sent_ns[best]) / 2;
    out->error_ns = half_ns;
    out->offset_ns = (double)device_ns[best] - ((double)sent_ns[best] + half_ns);
    return AY_OK;
}
