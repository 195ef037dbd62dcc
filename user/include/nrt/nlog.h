/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nlog: the log of the runtime. Submodules write lines with a level; each submodule has one level
 * for the console and one for syslog.
 *
 * The environment is read once, at the first use:
 *   NEURON_RT_LOG_LEVEL, NEURON_RT_LOG_LEVEL_<SUBMODULE>        level of all, of one submodule
 *   NEURON_RT_LOG_LOCATION, NEURON_RT_LOG_LOCATION_<SUBMODULE>  SYSLOG, CONSOLE or both
 *   NEURON_RT_LOG_COALESCING_ENABLED                            1, true, yes or on
 * with the texts of nlog_set_log_level(). Without it: errors, on the console.
 *
 * Every function may be called from any thread, and none changes errno.
 */
#ifndef NRT_NLOG_H
#define NRT_NLOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nrt/nrt_defs.h"
#include "nrt/nrt_status.h"

#ifdef __cplusplus
extern "C" {
#define NLOG_ENUM enum nrt_log_level : unsigned int
#else
#define NLOG_ENUM enum nrt_log_level
#endif

#if defined(__GNUC__)
#define NLOG_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define NLOG_PRINTF(text, first)
#endif

typedef NLOG_ENUM{
    NRT_LOG_LEVEL_DISABLED = 0, NRT_LOG_LEVEL_ERROR = 1, NRT_LOG_LEVEL_WARN = 2,
    NRT_LOG_LEVEL_INFO = 3,     NRT_LOG_LEVEL_DEBUG = 4, NRT_LOG_LEVEL_TRACE = 5,
} nrt_log_level_t;
#undef NLOG_ENUM

/**
 * Submodules: X(name). The first four bytes tell them apart, so names that share them are one
 * submodule. Messages of a submodule that is not listed are treated as those of NRT.
 */
#define NLOG_SUBMODULES(X) \
  X("NRT")                 \
  X("TDRV")                \
  X("NMGR")                \
  X("HAL")                 \
  X("ENC")                 \
  X("NLOG")                \
  X("RUST")                \
  X("NDS")                 \
  X("NTFF")                \
  X("INSP")                \
  X("PROF")                \
  X("COMP")

/** Names all submodules at once, in any case. */
#define NLOG_ALL_SUBMODULES "all"

/** Cores with an error ring of their own, and its bytes. */
#define NLOG_ERROR_RINGS 256
#define NLOG_ERROR_RING_SIZE 131072

/**
 * Writes one line: time, process and thread, level, submodule and function, then the text. The part
 * before the text, and the text, are cut at 1023 bytes each.
 *
 * A format with %n, an incomplete or an excessive one is not interpreted: it is written as it is.
 * Its arguments must still fit what it asks for. Without a format nothing is written.
 *
 * @param submodule    name; NULL is NRT
 * @param func         who speaks, usually a function; NULL is nothing
 * @param level        ERROR to TRACE; others write nothing
 * @param coaleced_msg an error inside nlog_api_begin() and nlog_api_end() may be kept back, to be
 *                     written as a cause of the failure of the whole call
 * @param api_level    the failure of a call itself: an error writes the causes that were kept back
 *                     with it, in one block, the last first
 */
void nlog_write(const char* submodule, const char* func, nrt_log_level_t level, bool coaleced_msg,
                bool api_level, const char* fmt, ...) NRT_NOEXCEPT NLOG_PRINTF(6, 7);

/** nlog_write() with arguments that the caller ends. */
void nlog_vwrite(const char* submodule, const char* func, nrt_log_level_t level, bool coaleced_msg,
                 bool api_level, const char* fmt, va_list args) NRT_NOEXCEPT NLOG_PRINTF(6, 0);

/**
 * Sets what is written of a submodule, and where.
 *
 * @param submodule name, or NLOG_ALL_SUBMODULES
 * @param location  contains SYSLOG or CONSOLE or both, in any case; the other is switched off. NULL
 *                  or neither: CONSOLE
 * @param level     contains ERROR, WARN, INFO, DEBUG or TRACE, in any case, the first found of this
 *                  order counts. NULL or none: ERROR
 * @return NRT_SUCCESS; NRT_INVALID submodule is NULL or not listed
 */
NRT_STATUS nlog_set_log_level(const char* submodule, const char* location,
                              const char* level) NRT_NOEXCEPT;

/**
 * Gives the syslog level of a submodule, or its console level when syslog is off.
 *
 * @return NRT_SUCCESS; NRT_INVALID a NULL pointer, a submodule that is not listed, or both are off;
 * *level is then left alone
 */
NRT_STATUS nlog_get_log_level(const char* submodule, nrt_log_level_t* level) NRT_NOEXCEPT;

/** Reads the environment, unless a function above has done so. Needed once at most; a second call
 * is warned about. @return NRT_SUCCESS */
NRT_STATUS nlog_init(void) NRT_NOEXCEPT;

/* ---- causes of failures ---- */

/**
 * Begins a call into the runtime on this thread: with NEURON_RT_LOG_COALESCING_ENABLED, errors that
 * allow it are kept back from now on, 16 KiB at most. Calls may be nested; the outermost counts.
 *
 * @param api name of the call, a static string
 */
void nlog_api_begin(const char* api) NRT_NOEXCEPT;

/** Ends what nlog_api_begin() began: causes that nobody wrote yet are written as its failure. */
void nlog_api_end(void) NRT_NOEXCEPT;

/** Says with what status the call of this thread is going to fail; the first one stays. It chooses
 * the advice that the error ends with. Outside a call it does nothing. */
void nlog_set_cause(NRT_STATUS status) NRT_NOEXCEPT;

/* ---- the last errors of the process ---- */

/** Chooses the error ring for the calling thread: that of core `vnc`, 0 to begin with. A core above
 * 255 is taken as 0. */
void nlog_set_thread_core(uint32_t vnc) NRT_NOEXCEPT;

/**
 * Copies the errors of a core, oldest first, whole lines, as many of the newest as fit. Every error
 * is in there, whatever the levels are.
 *
 * @param buffer  receives text that ends with a NUL
 * @param size    of the buffer, at least 1
 * @param length  receives the length of the text
 * @param wrapped receives how many times the ring was filled, so whether older ones were lost; or
 *                NULL
 * @return NRT_SUCCESS; NRT_INVALID a core above 255, a NULL pointer or no room
 */
NRT_STATUS nlog_error_ring_dump(uint32_t vnc, char* buffer, size_t size, size_t* length,
                                uint64_t* wrapped) NRT_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* NRT_NLOG_H */
