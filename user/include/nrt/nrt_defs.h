/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the C headers share: no function of the C ABI lets a C++ exception out.
 */
#ifndef NRT_NRT_DEFS_H
#define NRT_NRT_DEFS_H

#ifdef __cplusplus
#define NRT_NOEXCEPT noexcept
#else
#define NRT_NOEXCEPT
#endif

#endif /* NRT_NRT_DEFS_H */
