// SPDX-License-Identifier: GPL-2.0-only
/*
 * The one place where the trace events are instantiated.
 */
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "trace.h"
