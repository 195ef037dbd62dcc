/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inspect session: one switch that records what a process does and writes it where profile
 * viewers look for it.
 *
 * Files go to <output_dir>/<instance_id>_pid_<pid>/, which viewers take as a whole:
 *   ntrace.pb      events of the host (system_profile); ntrace_1.pb and so on when there are many
 *   cpu_util.pb    how busy each processor was (cpu_util)
 *   host_mem.pb    how much memory the process held (host_memory)
 *   trace_info.pb  what the others are; written last, so its presence says that they are complete
 * Every file appears whole or not at all. A session that was begun with options, and one that finds
 * files of an earlier session, has a directory of its own beneath, named by the time of its begin
 * in nanoseconds of CLOCK_REALTIME.
 *
 * A session also ends, with its files, when the process exits or gets SIGTERM or SIGINT: then
 * whatever handled the signal before goes on with it. A signal that was ignored when the first
 * session began stays ignored. A child of fork() has no session.
 *
 * Functions may be called from any thread, and none from a signal handler. Configs are plain data:
 * one thread at a time. A function that fails changes nothing, and says why in the log (submodule
 * INSP).
 */
#ifndef NRT_NRT_PROFILE_H
#define NRT_NRT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nrt/nrt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What to record and where to. Opaque: use the functions below. */
typedef struct nrt_inspect_config nrt_inspect_config_t;

/** What a session records: bits of nrt_inspect_export(), and names for the functions below. */
enum {
  NRT_INSPECT_ACTIVITY_SYSTEM_PROFILE = 1, /* system_profile: events of the host */
  NRT_INSPECT_ACTIVITY_DEVICE_PROFILE = 2, /* device_profile: what the device says of itself */
  NRT_INSPECT_ACTIVITY_HOST_MEMORY = 4,    /* host_memory: memory of the process, once a second */
  NRT_INSPECT_ACTIVITY_CPU_UTIL = 8,       /* cpu_util: processors of the host, once a second */
  NRT_INSPECT_ACTIVITY_ALL = 255,          /* all: every one of them */
};

/* ---- sessions ---- */

/**
 * Begins a session as the environment says, with NEURON_RT_INSPECT_OUTPUT_DIR and the other
 * variables of that prefix. nrt_init() does so when NEURON_RT_INSPECT_ENABLE is 1.
 *
 * @return NRT_SUCCESS; NRT_UNINITIALIZED before nrt_init(); NRT_CLOSED after nrt_close();
 *         NRT_INVALID a variable that cannot be understood, a core that is not visible, an output
 *         directory that is reserved (/tmp, ./tmp, /dev/null), or a session runs already, which
 *         goes on undisturbed; NRT_FAILURE the directory cannot be made or written, or somebody
 *         else captures events; NRT_RESOURCE no memory
 */
NRT_STATUS nrt_inspect_begin(void) NRT_NOEXCEPT;

/**
 * Begins a session as `options` say, whatever the environment does.
 *
 * @param options copied
 * @return as nrt_inspect_begin(); NRT_INVALID also for NULL
 */
NRT_STATUS nrt_inspect_begin_with_options(nrt_inspect_config_t* options) NRT_NOEXCEPT;

/**
 * Ends the session and writes its files. Without a session it does nothing.
 *
 * When a file cannot be written, nothing is recorded any more, but what was recorded is kept: call
 * it again when the reason is gone. Until then no other session can begin; nrt_close() tries once
 * more and then gives up what is left.
 *
 * @return NRT_SUCCESS; NRT_UNINITIALIZED before nrt_init(); NRT_CLOSED after nrt_close();
 *         NRT_FAILURE a file could not be written; NRT_RESOURCE no memory
 */
NRT_STATUS nrt_inspect_stop(void) NRT_NOEXCEPT;

/**
 * Writes files of what was recorded so far, and goes on recording. Events are written once: they
 * are in the files of the first call after them, and trace_info.pb lists the files of all calls.
 *
 * @param activities bits of NRT_INSPECT_ACTIVITY_*; those that the session does not record are
 *                   left out
 * @return as nrt_inspect_stop(); NRT_INVALID no session records, or none of these activities. After
 *         a failure events that were taken are kept, for the next call or nrt_inspect_stop()
 */
NRT_STATUS nrt_inspect_export(uint32_t activities) NRT_NOEXCEPT;

/**
 * Says where the files of this process go.
 *
 * @param base   a base directory; NULL or "": that of the running session, and then the answer is
 *               the very directory of its files; without a session, ./output
 * @param buffer receives the path with a NUL
 * @param size   of the buffer in bytes
 * @return NRT_SUCCESS; NRT_INVALID buffer is NULL or too small, the log says what is needed;
 *         NRT_RESOURCE no memory
 */
NRT_STATUS nrt_inspect_get_instance_output_dir(const char* base, char* buffer,
                                               size_t size) NRT_NOEXCEPT;

/* ---- configs ---- */

/**
 * Makes a config that already has the defaults.
 *
 * @param options receives the object; release it with nrt_inspect_config_free()
 * @return NRT_SUCCESS; NRT_INVALID options is NULL; NRT_RESOURCE no memory
 */
NRT_STATUS nrt_inspect_config_allocate(nrt_inspect_config_t** options) NRT_NOEXCEPT;

/** Releases a config; NULL is ignored. @return NRT_SUCCESS */
NRT_STATUS nrt_inspect_config_free(nrt_inspect_config_t* options) NRT_NOEXCEPT;

/**
 * Sets: session 1, directory ./output, all activities, all cores and event types, 1,048,576 events
 * for each core, no device profiles. The environment has no influence.
 *
 * @return NRT_SUCCESS; NRT_INVALID options is NULL
 */
NRT_STATUS nrt_inspect_config_set_defaults(nrt_inspect_config_t* options) NRT_NOEXCEPT;

/** Sets the number that trace_info.pb gives the session. @return NRT_SUCCESS; NRT_INVALID NULL, or
 * negative */
NRT_STATUS nrt_inspect_config_set_session_id(nrt_inspect_config_t* options,
                                             int session_id) NRT_NOEXCEPT;

/**
 * Sets the base directory; a relative one counts from the working directory at begin.
 *
 * @param output_dir copied. NULL or "" restores the default, with a warning
 * @return NRT_SUCCESS; NRT_INVALID options or output_dir is NULL, or output_dir is empty;
 *         NRT_RESOURCE no memory
 */
NRT_STATUS nrt_inspect_config_set_output_dir(nrt_inspect_config_t* options,
                                             const char* output_dir) NRT_NOEXCEPT;

/** Sets how many events each core keeps; 1024 at least are kept. @return NRT_SUCCESS; NRT_INVALID
 * options is NULL, or more than 2^32 */
NRT_STATUS nrt_inspect_config_set_sys_trace_max_events_per_nc(
    nrt_inspect_config_t* options, uint64_t max_events_per_nc) NRT_NOEXCEPT;

/** Switches one core on or off, for all activities. @param nc_idx among the visible ones, 0..255
 * @return NRT_SUCCESS; NRT_INVALID options is NULL, or no such core */
NRT_STATUS nrt_inspect_config_set_capture_enabled_for_nc(nrt_inspect_config_t* options,
                                                         uint32_t nc_idx,
                                                         bool enabled) NRT_NOEXCEPT;

/** Switches one type of events on or off. @param event_type as for
 * nrt_sys_trace_config_set_capture_enabled_for_event_type()
 * @return NRT_SUCCESS; NRT_INVALID a NULL pointer, or no such type */
NRT_STATUS nrt_inspect_config_set_capture_enabled_for_event_type_string(
    nrt_inspect_config_t* options, const char* event_type, bool enabled) NRT_NOEXCEPT;

/** Says whether every execution is profiled on its device. Other activities do not depend on it.
 * @return NRT_SUCCESS; NRT_INVALID options is NULL */
NRT_STATUS nrt_inspect_config_set_enable_inspect(nrt_inspect_config_t* options,
                                                 bool enable) NRT_NOEXCEPT;

/** Says whether profiles of executions that fail are kept. @return NRT_SUCCESS; NRT_INVALID options
 * is NULL */
NRT_STATUS nrt_inspect_config_set_enable_inspect_on_fail(nrt_inspect_config_t* options,
                                                         bool enable) NRT_NOEXCEPT;

/** Switches an activity on or off. @param activity system_profile, device_profile, host_memory,
 * cpu_util or all @return NRT_SUCCESS; NRT_INVALID a NULL pointer, or no such activity */
NRT_STATUS nrt_inspect_config_set_activity(nrt_inspect_config_t* options, const char* activity,
                                           bool enable) NRT_NOEXCEPT;

/**
 * Lists the names of all activities, without `all`.
 *
 * @param activities receives an array of `count` strings. The array and each string are blocks of
 *                   malloc(): release them with nrt_inspect_config_free_activity_types(), or with
 *                   free() one by one
 * @return NRT_SUCCESS; NRT_INVALID a NULL pointer; NRT_RESOURCE no memory, nothing was written
 */
NRT_STATUS nrt_inspect_config_get_all_activity_types(const char*** activities,
                                                     size_t* count) NRT_NOEXCEPT;

/** Lists the names of the activities that a config has switched on, as the function above. With
 * none `count` is 0 and the array is still a block to be released. */
NRT_STATUS nrt_inspect_config_get_enabled_activity_types(nrt_inspect_config_t* options,
                                                         const char*** activities,
                                                         size_t* count) NRT_NOEXCEPT;

/** Releases a list of names, strings first; NULL is ignored. */
void nrt_inspect_config_free_activity_types(const char** activities, size_t count) NRT_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* NRT_NRT_PROFILE_H */
