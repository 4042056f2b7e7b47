#include "sim_op.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dev/sim/program.h"

/* Moves at the start tell which row a name became: the operations that follow are the test's. */
static const char *const NAMES[] = {"d", "a", "b", "c", "e", "d0", "d1", "d2", "d3"};
static const char *const WIDE_NAMES[] = {"D", "A", "B", "C", "E"};
static const char *const HALF_NAMES[] = {"hd", "ha", "hb", "hc", "he"};
static const char *const PRED_NAMES[] = {"p", "q", "x", "y"};
enum { N_NAMES = 9, N_WIDE = 5, N_HALF = 5, N_PREDS = 4 };
enum { FIRST = N_NAMES + N_WIDE + N_HALF + N_PREDS };

struct sim_op {
    struct sim_module *module;
    const struct sim_kernel *kernel;
    bool is_wide, is_half;
};

struct sim_op *sim_op_open(const char *text)
{
    char ptx[8192];
    size_t n = (size_t)snprintf(ptx, sizeof ptx,
                                ".version 9.0\n.target sm_100a\n.address_size 64\n"
                                ".visible .entry k() {\n"
                                ".reg .b32 d, a, b, c, e, d0, d1, d2, d3;\n"
                                ".reg .b64 D, A, B, C, E;\n.reg .b16 hd, ha, hb, hc, he;\n"
                                ".reg .pred p, q, x, y;\n");
    for (int i = 0; i < N_NAMES; i++)
        n += (size_t)snprintf(ptx + n, sizeof ptx - n, "mov.b32 %s, 0;\n", NAMES[i]);
    for (int i = 0; i < N_WIDE; i++)
        n += (size_t)snprintf(ptx + n, sizeof ptx - n, "mov.b64 %s, 0;\n", WIDE_NAMES[i]);
    for (int i = 0; i < N_HALF; i++)
        n += (size_t)snprintf(ptx + n, sizeof ptx - n, "mov.b16 %s, 0;\n", HALF_NAMES[i]);
    for (int i = 0; i < N_PREDS; i++)
        n += (size_t)snprintf(ptx + n, sizeof ptx - n, "mov.pred %s, 0;\n", PRED_NAMES[i]);
    n += (size_t)snprintf(ptx + n, sizeof ptx - n, "%s\nret;\n}\n", text);
    ck_assert(n < sizeof ptx);
    struct sim_op *op = calloc(1, sizeof *op);
    struct ay_error err;
    ck_assert_msg(sim_module_parse(ptx, n, &op->module, &err) == AY_OK, "%s: %s", text, err.text);
    op->kernel = sim_find_kernel(op->module, "k");
    ck_assert_ptr_nonnull(op->kernel);
    ck_assert_msg(sim_kernel_check(op->kernel, &err) == AY_OK, "%s: %s", text, err.text);
    op->is_wide = strchr(text, 'D') != NULL;
    op->is_half = strstr(text, "hd") != NULL;
    return op;
}

void sim_op_close(struct sim_op *op)
{
    if (op) sim_module_close(op->module);
    free(op);
}

static void put(uint32_t (*rows)[32], const struct sim_uop *u, bool is_wide, int lane, uint64_t x)
{
    if (is_wide) memcpy((char *)rows[u->d] + 8 * lane, &x, 8);
    else rows[u->d][lane] = (uint32_t)x;
}

static void fill(const struct sim_op *op, uint32_t (*rows)[32], uint32_t *preds, int lane,
                 const struct sim_op_in *in)
{
    const struct sim_uop *u = op->kernel->uops;
    const uint64_t values[5] = {in->old, in->a, in->b, in->c, in->e};
    for (int i = 0; i < 5; i++) {
        put(rows, &u[i], false, lane, values[i]);
        put(rows, &u[N_NAMES + i], true, lane, values[i]);
        /* Above 16 bits nothing is promised: make sure that nobody looks there. */
        put(rows, &u[N_NAMES + N_WIDE + i], false, lane, (values[i] & 0xffff) | 0xa5a50000u);
    }
    const struct sim_uop *pred = &u[N_NAMES + N_WIDE + N_HALF];
    preds[pred[2].pd] |= (uint32_t)in->x << lane;
    preds[pred[3].pd] |= (uint32_t)in->y << lane;
}

static void constants(const struct sim_kernel *k, uint32_t (*rows)[32])
{
    for (uint32_t i = 0; i < k->n_inits; i++) {
        const struct sim_row_init *init = &k->inits[i];
        ck_assert_int_eq(init->kind, SIM_INIT_IMM);
        for (int lane = 0; lane < 32; lane++)
            memcpy((char *)rows[init->row] + init->bytes * lane, &init->value, init->bytes);
    }
}

static void fetch(const struct sim_op *op, uint32_t (*rows)[32], const uint32_t *preds, int lane,
                  struct sim_op_out *out)
{
    const struct sim_uop *u = op->kernel->uops;
    *out = (struct sim_op_out){0};
    if (op->is_wide) memcpy(&out->d, (char *)rows[u[N_NAMES].d] + 8 * lane, 8);
    else if (op->is_half) out->d = rows[u[N_NAMES + N_WIDE].d][lane] & 0xffff;
    else out->d = rows[u[0].d][lane];
    for (int i = 0; i < 4; i++) out->parts[i] = rows[u[5 + i].d][lane];
    const struct sim_uop *pred = &u[N_NAMES + N_WIDE + N_HALF];
    out->p = preds[pred[0].pd] >> lane & 1;
    out->q = preds[pred[1].pd] >> lane & 1;
}

void sim_op_run(const struct sim_op *op, const struct sim_op_in *in, int n_lanes,
                struct sim_op_out *out)
{
    const struct sim_kernel *k = op->kernel;
    uint32_t (*rows)[32] = aligned_alloc(256, (k->n_rows * 128 + 255) / 256 * 256);
    uint32_t *preds = calloc(k->n_preds, sizeof *preds);
    memset(rows, 0, k->n_rows * 128);
    preds[SIM_PRED_TRUE] = ~0u;
    for (int i = 0; i < n_lanes; i++) fill(op, rows, preds, i, &in[i]);
    constants(k, rows);
    const uint32_t active = n_lanes == 32 ? ~0u : (1u << n_lanes) - 1;
    for (uint32_t i = FIRST; k->uops[i].kind != SIM_EXIT; i++) {
        const struct sim_uop *u = &k->uops[i];
        ck_assert_int_eq(u->kind, SIM_ALU);
        sim_alu(u, rows, preds, active & (preds[u->guard] ^ u->guard_xor));
    }
    for (int i = 0; i < n_lanes; i++) fetch(op, rows, preds, i, &out[i]);
    free(rows);
    free(preds);
}

struct sim_op_out sim_op_once(const char *text, struct sim_op_in in)
{
    struct sim_op_out out;
    struct sim_op *op = sim_op_open(text);
    sim_op_run(op, &in, 1, &out);
    sim_op_close(op);
    return out;
}
