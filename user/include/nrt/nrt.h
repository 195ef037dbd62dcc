/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The beginning and the end of the Neuron runtime in a process, and the types that its other
 * headers use.
 */
#ifndef NRT_NRT_H
#define NRT_NRT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nrt/nrt_defs.h"
#include "nrt/nrt_status.h"

#ifdef __cplusplus
extern "C" {
#define NRT_FRAMEWORK_ENUM enum nrt_framework_type : int
#else
#define NRT_FRAMEWORK_ENUM enum nrt_framework_type
#endif

/** What a program is built with. */
typedef NRT_FRAMEWORK_ENUM{
    NRT_FRAMEWORK_TYPE_INVALID = 0, NRT_FRAMEWORK_TYPE_NO_FW = 1, NRT_FRAMEWORK_TYPE_TENSORFLOW = 2,
    NRT_FRAMEWORK_TYPE_PYTORCH = 3, NRT_FRAMEWORK_TYPE_MXNET = 4, NRT_FRAMEWORK_TYPE_PRECHECK = 5,
} nrt_framework_type_t;
#undef NRT_FRAMEWORK_ENUM

/**
 * Begins the use of the runtime in this process. With NEURON_RT_INSPECT_ENABLE=1 in the environment
 * an inspect session begins, too (nrt/nrt_profile.h).
 *
 * A second call changes nothing and is warned about. After nrt_close(), and in a child of fork(),
 * the runtime can be initialised again.
 *
 * @param framework   NRT_FRAMEWORK_TYPE_NO_FW to NRT_FRAMEWORK_TYPE_PRECHECK
 * @param fw_version  of the framework; NULL or "" when there is none
 * @param fal_version of the layer between framework and runtime; NULL or "" when there is none
 * @return NRT_SUCCESS; NRT_INVALID no such framework, or a variable of the inspect session that
 *         cannot be understood or obeyed: the runtime is then not initialised. When a session
 * cannot begin for other reasons (its directory cannot be written, no memory), the log says so and
 *         the program runs without
 */
NRT_STATUS nrt_init(nrt_framework_type_t framework, const char* fw_version,
                    const char* fal_version) NRT_NOEXCEPT;

/** Ends the use of the runtime: an inspect session is stopped, with its files. Before nrt_init() it
 * does nothing. */
void nrt_close(void) NRT_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* NRT_NRT_H */
