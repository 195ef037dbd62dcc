/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System tracing: capture what the host does for each NeuronCore, and read it out as JSON.
 *
 * The order of use is: allocate and fill a config, start, run the workload, fetch events as often
 * as wanted, stop. Stopping discards what was not fetched. Times are nanoseconds of CLOCK_REALTIME.
 *
 * start, stop and fetch may be called from any thread at any time. Config and options objects are
 * plain data: one thread at a time. Nothing here may be called from a signal handler.
 *
 * A function that is given a NULL pointer, a core or a name that does not exist changes nothing; it
 * says so in the log and, where it has a status, returns NRT_INVALID.
 */
#ifndef NRT_NRT_SYS_TRACE_H
#define NRT_NRT_SYS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nrt/nrt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What to capture. Opaque: use the functions below. */
typedef struct nrt_sys_trace_config nrt_sys_trace_config_t;

/** What to read out. Opaque: use the functions below. */
typedef struct nrt_sys_trace_fetch_options nrt_sys_trace_fetch_options_t;

/* ---- what to capture ---- */

/**
 * Makes a config that already has the defaults.
 *
 * @param options receives the object; release it with nrt_sys_trace_config_free()
 * @return NRT_SUCCESS; NRT_INVALID options is NULL; NRT_RESOURCE no memory
 */
NRT_STATUS nrt_sys_trace_config_allocate(nrt_sys_trace_config_t** options) NRT_NOEXCEPT;

/** Sets 1,048,576 events per core, all cores and all event types. NULL is ignored. */
void nrt_sys_trace_config_set_defaults(nrt_sys_trace_config_t* options) NRT_NOEXCEPT;

/** Releases a config; NULL is ignored. A running capture does not need it any more. */
void nrt_sys_trace_config_free(nrt_sys_trace_config_t* options) NRT_NOEXCEPT;

/**
 * Sets how many events each core keeps. The oldest are displaced when there are more.
 *
 * @param max_events_per_nc events for each core, not for all together. nrt_sys_trace_start() takes
 *                          at least 1024, and refuses more than 2^32
 */
void nrt_sys_trace_config_set_max_events_per_nc(nrt_sys_trace_config_t* options,
                                                uint64_t max_events_per_nc) NRT_NOEXCEPT;

/**
 * Switches one core on or off.
 *
 * @param nc_idx index of the core among those visible to the process, 0..255; others are ignored
 *               with a warning
 */
void nrt_sys_trace_config_set_capture_enabled_for_nc(nrt_sys_trace_config_t* options,
                                                     uint32_t nc_idx, bool enabled) NRT_NOEXCEPT;

/**
 * Switches one event type on or off.
 *
 * @param event_type a name of nrt_sys_trace_get_event_types(), exactly as spelled there, or the
 *                   lower-case form of its enum constant (`device_exec` for `nc_exec_running`)
 * @return NRT_SUCCESS; NRT_INVALID a NULL pointer or no such type
 */
NRT_STATUS nrt_sys_trace_config_set_capture_enabled_for_event_type(nrt_sys_trace_config_t* options,
                                                                   const char* event_type,
                                                                   bool enabled) NRT_NOEXCEPT;

/**
 * Lists the names of all event types; the index of a name is the number of its type.
 *
 * @param event_types receives an array of `count` strings. The array and each string are blocks of
 *                    malloc(): release them with nrt_sys_trace_free_event_types(), or with free()
 *                    one by one
 * @param count       receives how many there are
 * @return NRT_SUCCESS; NRT_INVALID a NULL pointer; NRT_RESOURCE no memory, nothing was written
 */
NRT_STATUS nrt_sys_trace_get_event_types(const char*** event_types, size_t* count) NRT_NOEXCEPT;

/** Releases a list of names, strings first; NULL is ignored. */
void nrt_sys_trace_free_event_types(const char** event_types, size_t count) NRT_NOEXCEPT;

/**
 * Lists the names of the types that a config has switched on, in the order of their numbers.
 *
 * Ownership and statuses as for nrt_sys_trace_get_event_types(). With no type switched on, `count`
 * is 0 and the array is still a block to be released.
 */
NRT_STATUS nrt_sys_trace_config_get_enabled_event_types(nrt_sys_trace_config_t* options,
                                                        const char*** event_types,
                                                        size_t* count) NRT_NOEXCEPT;

/* ---- capturing ---- */

/**
 * Starts capturing, with empty rings and counters at zero. The config is copied.
 *
 * @return NRT_SUCCESS; NRT_INVALID options is NULL or its ring size is above 2^32; NRT_FAILURE a
 *         capture is running, it goes on undisturbed; NRT_RESOURCE no memory, nothing is captured
 */
NRT_STATUS nrt_sys_trace_start(nrt_sys_trace_config_t* options) NRT_NOEXCEPT;

/**
 * Stops capturing and gives the memory back. Events not fetched before are lost.
 *
 * @return NRT_SUCCESS; NRT_FAILURE nothing was being captured
 */
NRT_STATUS nrt_sys_trace_stop(void) NRT_NOEXCEPT;

/* ---- reading out ---- */

/**
 * Makes options that already have the defaults.
 *
 * @param options receives the object; release it with nrt_sys_trace_fetch_options_free()
 * @return NRT_SUCCESS; NRT_INVALID options is NULL; NRT_RESOURCE no memory
 */
NRT_STATUS nrt_sys_trace_fetch_options_allocate(nrt_sys_trace_fetch_options_t** options)
    NRT_NOEXCEPT;

/** Sets: all cores, everything they hold. NULL is ignored. */
void nrt_sys_trace_fetch_options_set_defaults(nrt_sys_trace_fetch_options_t* options) NRT_NOEXCEPT;

/** Releases options; NULL is ignored. */
void nrt_sys_trace_fetch_options_free(nrt_sys_trace_fetch_options_t* options) NRT_NOEXCEPT;

/**
 * Limits what one fetch takes from each core: the oldest events, the others stay.
 *
 * @param max_events_per_nc events of each core; 0 means no limit
 */
void nrt_sys_trace_fetch_options_set_max_events_per_nc(nrt_sys_trace_fetch_options_t* options,
                                                       uint64_t max_events_per_nc) NRT_NOEXCEPT;

/** Reads one core only. A core that is not visible has no events. */
void nrt_sys_trace_fetch_options_set_nc_idx(nrt_sys_trace_fetch_options_t* options,
                                            uint64_t nc_idx) NRT_NOEXCEPT;

/**
 * Takes events out of the rings and writes them as one JSON document:
 * `{"events":[...],"data_version":2}`, cores ascending, within a core in the order of recording.
 * An event is returned once: later and concurrent calls get others.
 *
 * Without a running capture the list of events is empty.
 *
 * @param buffer       receives the document, NUL-terminated; must point to NULL on entry. Release
 * it with nrt_sys_trace_buffer_free()
 * @param written_size receives the length in bytes, without the NUL
 * @param options      NULL for the defaults
 * @return NRT_SUCCESS; NRT_INVALID buffer or written_size is NULL or `*buffer` is not, no event was
 *         taken; NRT_RESOURCE no memory, the events taken are lost and the log says how many
 */
NRT_STATUS nrt_sys_trace_fetch_events(char** buffer, size_t* written_size,
                                      const nrt_sys_trace_fetch_options_t* options) NRT_NOEXCEPT;

/** Releases a document; NULL is ignored. */
void nrt_sys_trace_buffer_free(char* buffer) NRT_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* NRT_NRT_SYS_TRACE_H */
