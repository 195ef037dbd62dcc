/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of the Neuron runtime that the tracing functions use.
 */
#ifndef NRT_NRT_H
#define NRT_NRT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nrt/nrt_defs.h"
#include "nrt/nrt_status.h"

#endif /* NRT_NRT_H */
