/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace events. The system's name is the namespace.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ND_NAMESPACE_ID

#if !defined(NDTEL_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define NDTEL_TRACE_H

#include <linux/minmax.h>
#include <linux/tracepoint.h>

#include "core/nmetric_record.h"

#define ND_TRACE_VALUE_MAX 128

/* Layout of the reference: id at 8, length at 12, text at 16 of the raw event. */
TRACE_EVENT(metrics_post,
	    TP_PROTO(const struct nmetric_view *rec),
	    TP_ARGS(rec),
	    TP_STRUCT__entry(__field(u32, id)
			     __field(u32, length)
			     __array(char, value, ND_TRACE_VALUE_MAX)),
	    TP_fast_assign(__entry->id = rec->id;
			   __entry->length = min_t(u32, rec->len, ND_TRACE_VALUE_MAX - 1);
			   memcpy(__entry->value, rec->text, __entry->length);
			   memset(__entry->value + __entry->length, 0,
				  ND_TRACE_VALUE_MAX - __entry->length);),
	    TP_printk("%u:%u:%s", __entry->id, __entry->length, __entry->value)
);

/*
 * The same record with where it comes from; seq rises by one per event of a device, so a gap is a
 * lost event.
 */
TRACE_EVENT(metrics_post_nd,
	    TP_PROTO(u32 device, u64 seq, u8 tick, u8 sink, u8 result,
		     const struct nmetric_view *rec),
	    TP_ARGS(device, seq, tick, sink, result, rec),
	    TP_STRUCT__entry(__field(u64, seq)
			     __field(u32, device)
			     __field(u32, id)
			     __field(u32, length)
			     __field(u8, tick)
			     __field(u8, sink)
			     __field(u8, result)
			     __array(char, value, NMETRIC_TEXT_MAX + 1)),
	    TP_fast_assign(__entry->seq = seq;
			   __entry->device = device;
			   __entry->id = rec->id;
			   __entry->length = min_t(u32, rec->len, NMETRIC_TEXT_MAX);
			   __entry->tick = tick;
			   __entry->sink = sink;
			   __entry->result = result;
			   memcpy(__entry->value, rec->text, __entry->length);
			   memset(__entry->value + __entry->length, 0,
				  NMETRIC_TEXT_MAX + 1 - __entry->length);),
	    TP_printk("nd%u seq=%llu tick=%u sink=%u result=%u %u:%u:%s", __entry->device,
		      __entry->seq, __entry->tick, __entry->sink, __entry->result, __entry->id,
		      __entry->length, __entry->value)
);

#endif /* NDTEL_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
