// SPDX-License-Identifier: GPL-2.0-only
/*
 * The core as the kernel's compiler built it. Its behaviour is tested in user space in depth; this
 * suite holds for the module's own objects what would differ first: layout, division, formats,
 * and books that balance.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "core/nmetric.h"
#include "core/nmetric_sched.h"
#include "core/npower.h"

#define PERIOD_NS (1000ULL * NSEC_PER_MSEC)

/**
 * struct core_fixture - one device with one process
 * @engine: engine
 * @slab: the process
 * @words: its slab
 * @live: the process, as the engine wants it
 * @post: last post
 */
struct core_fixture {
	struct nmetric engine;
	struct nmetric_slab slab;
	u64 words[NDS_USED_SIZE / 8];
	struct nmetric_slab *live[1];
	struct nmetric_post post;
};

static struct core_fixture *core_fixture(struct kunit *test, u32 cores)
{
	struct core_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	nmetric_init(&f->engine, cores, GENMASK(cores - 1, 0), 0);
	nmetric_slab_init(&f->slab, f->words);
	f->live[0] = &f->slab;
	return f;
}

static u32 core_begin(struct core_fixture *f, u8 tick, u64 now_ns)
{
	return nmetric_begin(&f->engine, NMETRIC_SINK_TRACE, tick, now_ns, f->live, 1, &f->post);
}

static void registry_has_48_rows_in_three_bands(struct kunit *test)
{
	unsigned int always = 0, first = 0, second = 0, row;

	for (row = 0; row < NMETRIC_ROWS; row++) {
		always += nmetric_defs[row].tick == NMETRIC_TICK_ALWAYS;
		first += nmetric_defs[row].tick == NMETRIC_TICK_0;
		second += nmetric_defs[row].tick == NMETRIC_TICK_1;
	}
	KUNIT_EXPECT_EQ(test, always, 4U);
	KUNIT_EXPECT_EQ(test, first, 22U);
	KUNIT_EXPECT_EQ(test, second, 22U);
}

static void example_stream_is_exact(struct kunit *test)
{
	/*
	 * 12 "i-0123456789abcdef0", 13 "2.27.4.0", 56 "0", 180 "2.31.24", 200 "25", 90 "37"
	 */
	static const u8 want[] = {
		0x0c, 0x13, 0x69, 0x2d, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37,
		0x38, 0x39, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x30, 0x0d, 0x08, 0x32,
		0x2e, 0x32, 0x37, 0x2e, 0x34, 0x2e, 0x30, 0x38, 0x01, 0x30, 0xb4, 0x07,
		0x32, 0x2e, 0x33, 0x31, 0x2e, 0x32, 0x34, 0xc8, 0x02, 0x32, 0x35, 0x5a,
		0x02, 0x33, 0x37,
	};
	struct core_fixture *f = core_fixture(test, 2);

	nmetric_set_constant(&f->engine, NMETRIC_INSTANCE_ID, "i-0123456789abcdef0");
	nmetric_set_constant(&f->engine, NMETRIC_DRIVER_VERSION, "2.27.4.0");
	nmetric_set_constant(&f->engine, NMETRIC_PROFILE_ID, "0");
	f->words[nds_nd_word(NDS_ND_COUNTER_RUNTIME_VERSION)] = 24 | 31ULL << 32 | 2ULL << 40;
	f->words[nds_nc_word(0, NDS_NC_COUNTER_INFER_COMPLETED)] = 25;
	/* 37 % of the interval on both cores, in picoseconds */
	f->words[nds_nc_word(0, NDS_NC_COUNTER_TIME_IN_USE)] = PERIOD_NS * 370;
	f->words[nds_nc_word(1, NDS_NC_COUNTER_TIME_IN_USE)] = PERIOD_NS * 370;
	KUNIT_ASSERT_EQ(test, core_begin(f, NMETRIC_TICK_0, PERIOD_NS), (u32)sizeof(want));
	KUNIT_EXPECT_EQ(test, memcmp(f->post.buf, want, sizeof(want)), 0);
}

static void books_balance_when_posts_fail(struct kunit *test)
{
	int row = nmetric_row_of_cw(NMETRIC_CW_ID_NERR_OK);
	struct core_fixture *f = core_fixture(test, 8);
	struct nmetric_sink_books *b = &f->engine.sink[NMETRIC_SINK_TRACE];
	static const enum nmetric_result result[] = {
		NMETRIC_REFUSED, NMETRIC_UNKNOWN, NMETRIC_ACCEPTED
	};
	unsigned int i;

	for (i = 0; i < 30; i++) {
		f->words[nds_nc_word(i % 8, NDS_NC_COUNTER_INFER_COMPLETED)] += i;
		core_begin(f, NMETRIC_TICK_0, (i + 1) * PERIOD_NS);
		nmetric_end(&f->engine, NMETRIC_SINK_TRACE, result[i % 3]);
		KUNIT_EXPECT_EQ(test, f->engine.incremented[row],
				b->confirmed[row] +
				nmetric_outstanding(&f->engine, NMETRIC_SINK_TRACE, row));
	}
	KUNIT_EXPECT_EQ(test, b->confirmed[row], 435ULL);
	KUNIT_EXPECT_GT(test, b->unknown[row], 0ULL);
}

static void resume_after_a_long_pause_posts_both_ticks_once(struct kunit *test)
{
	struct nmetric_sched s;

	nmetric_sched_init(&s, 0, PERIOD_NS);
	KUNIT_EXPECT_EQ(test, nmetric_sched_due(&s, PERIOD_NS, true), 1U);
	nmetric_sched_pause(&s);
	/* 256 intervals: where a count of 8 bits wraps to none */
	KUNIT_EXPECT_EQ(test, nmetric_sched_due(&s, 257 * PERIOD_NS, true), 0U);
	nmetric_sched_resume(&s);
	KUNIT_EXPECT_EQ(test, nmetric_sched_due(&s, 257 * PERIOD_NS, true), 2U);
	KUNIT_EXPECT_EQ(test, nmetric_sched_due(&s, 257 * PERIOD_NS, true), 0U);
}

static void power_window_is_averaged_and_printed(struct kunit *test)
{
	char line[NPOWER_LINE_MAX];
	struct npower p;
	u32 i;

	npower_init(&p, 1, PERIOD_NS);
	for (i = 0; i < NPOWER_SAMPLES_MIN; i++) {
		u32 reg = i << 16 | (i % 2 ? 307 : 8750);

		KUNIT_EXPECT_TRUE(test, npower_reading(&p, &reg, i, 1));
	}
	npower_unreadable(&p, PERIOD_NS, 1767225660);
	KUNIT_EXPECT_GT(test, npower_format(&p.report, line, sizeof(line)), 0);
	KUNIT_EXPECT_STREQ(test, line, "POWER_STATUS_VALID,1767225660,3.07,87.50,45.28\n");
	KUNIT_EXPECT_EQ(test, npower_format(&p.report, line, 8), -ENOSPC);
}

static struct kunit_case core_cases[] = {
	KUNIT_CASE(registry_has_48_rows_in_three_bands),
	KUNIT_CASE(example_stream_is_exact),
	KUNIT_CASE(books_balance_when_posts_fail),
	KUNIT_CASE(resume_after_a_long_pause_posts_both_ticks_once),
	KUNIT_CASE(power_window_is_averaged_and_printed),
	{}
};

static struct kunit_suite core_suite = {
	.name = "ndtel_core",
	.test_cases = core_cases,
};

kunit_test_suite(core_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit suite of the metrics core");
