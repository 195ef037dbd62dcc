/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of the inspect session: what runtimes and tools set and programs do not.
 */
#ifndef NRT_NRT_INSPECT_INTERNAL_H
#define NRT_NRT_INSPECT_INTERNAL_H

#include "nrt/nrt_profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A fixed type in C++, so that values outside the table may be passed. */
#ifdef __cplusplus
#define NRT_INSPECT_ENUM enum nrt_inspect_device_profile_mode : unsigned int
#else
#define NRT_INSPECT_ENUM enum nrt_inspect_device_profile_mode
#endif

/** How devices are profiled. */
typedef NRT_INSPECT_ENUM{
    NRT_INSPECT_DEVICE_PROFILE_MODE_DISABLED = 0,
    NRT_INSPECT_DEVICE_PROFILE_MODE_MODEL = 1,   /* the first execution of each model on a core */
    NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION = 2, /* each core from begin to stop */
} nrt_inspect_device_profile_mode_t;
#undef NRT_INSPECT_ENUM

/** Sets how devices are profiled. @return NRT_SUCCESS; NRT_INVALID options is NULL, or no such mode
 */
NRT_STATUS nrt_inspect_config_set_inspect_device_profile_mode(
    nrt_inspect_config_t* options, nrt_inspect_device_profile_mode_t mode) NRT_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* NRT_NRT_INSPECT_INTERNAL_H */
