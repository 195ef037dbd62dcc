/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Neuron DataStore (NDS): counters and records of a process that the kernel and monitors read.
 *
 * A producer (pid 0) owns a slab and counts into it; a reader (any other pid) sees another
 * process's slab. Counter ids and the layout stand in <ndtel/nds.h>.
 *
 * Counter functions return
 *   0        done
 *   -EINVAL  no instance, or a core or counter that does not exist
 *   -EPERM   (which is -1) the instance is a reader, or has no mapping: closed, or a producer
 * inherited over fork()
 *
 * A slab is not inherited over fork(): in the child every instance answers -EPERM and may only be
 * closed. Instances and counters may be used from any number of threads; an object belongs to one
 * thread at a time.
 */
#ifndef NRT_NDS_H
#define NRT_NDS_H

#include <ndtel/nds.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "nrt/ndl.h"
#include "nrt/nrt_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Core masks and ids: "no such thing". */
#define NDS_INVALID_ID (-1)

typedef struct nds_instance nds_instance_t;
typedef struct nds_obj* nds_obj_handle_t;

/** Kinds of objects for nds_obj_new(). */
enum {
  NDS_OBJ_MODEL_NODE = 0,
  NDS_OBJ_PROCESS_INFO = 1,
  NDS_OBJ_PROCESS_INFO_EXT = 2,
};

typedef struct nds_model_node_info {
  uint32_t model_id;
  uint32_t model_node_id;
  char name[256]; /* NUL terminated */
  uint8_t uuid[16];
  uint8_t nc_index;
  uint8_t sg_index;
  uint8_t pad[2];
} nds_model_node_info_t;

typedef struct nds_model_node_mem_usage {
  struct nds_mem_usage usage[NDS_MEM_LOCATIONS]
                            [NDS_MEM_SLOTS]; /* [host, device][code, tensors, ...] */
} nds_model_node_mem_usage_t;

typedef struct nds_process_info {
  int8_t framework_type;
  char tag[32]; /* NUL terminated */
  uint8_t pad[3];
  struct nds_version framework;
  struct nds_version fal;
  struct nds_version runtime;
} nds_process_info_t;

typedef struct nds_process_info_ext {
  char tag[256]; /* NUL terminated */
} nds_process_info_ext_t;

/**
 * Opens a datastore instance.
 *
 * @param device   an open device; producers need O_RDWR, readers O_RDONLY
 * @param pid      0: the caller becomes a producer; else: reader of that process
 * @param instance receives the handle
 * @return 0; -EINVAL bad argument, mapping too small or (reader) no valid header; -ENOMEM; what
 * ndl_nds_open() says
 */
int nds_open(ndl_device_t* device, pid_t pid, nds_instance_t** instance) NRT_NOEXCEPT;

/** Unmaps and releases; the handle is gone afterwards, whatever the result. @return 0 or -EINVAL
 * (NULL). */
int nds_close(nds_instance_t* instance) NRT_NOEXCEPT;

/** Adds to a core counter atomically; no system call, no allocation. */
int nds_increment_nc_counter(nds_instance_t* instance, int nc, uint32_t counter,
                             uint64_t value) NRT_NOEXCEPT;
/** Subtracts from a core counter atomically; wraps below zero. */
int nds_decrement_nc_counter(nds_instance_t* instance, int nc, uint32_t counter,
                             uint64_t value) NRT_NOEXCEPT;
/** Reads a core counter; readers may. */
int nds_get_nc_counter(nds_instance_t* instance, int nc, uint32_t counter,
                       uint64_t* value) NRT_NOEXCEPT;
/** Sets a core counter to *value. */
int nds_set_nc_counter(nds_instance_t* instance, int nc, uint32_t counter,
                       uint64_t* value) NRT_NOEXCEPT;

/** The same for device counters, 0..30. */
int nds_increment_nd_counter(nds_instance_t* instance, uint32_t counter,
                             uint64_t value) NRT_NOEXCEPT;
int nds_decrement_nd_counter(nds_instance_t* instance, uint32_t counter,
                             uint64_t value) NRT_NOEXCEPT;
/** Ors 1 << bit_index into a device counter; -EINVAL above 63. */
int nds_or_nd_counter(nds_instance_t* instance, uint32_t counter, uint64_t bit_index) NRT_NOEXCEPT;
int nds_get_nd_counter(nds_instance_t* instance, uint32_t counter, uint64_t* value) NRT_NOEXCEPT;
int nds_set_nd_counter(nds_instance_t* instance, uint32_t counter, uint64_t* value) NRT_NOEXCEPT;

/**
 * A zeroed local object of a kind; nothing is published before nds_obj_commit().
 *
 * @return the object, to be given to nds_obj_delete(), or NULL: no instance, unknown kind, no
 * memory
 */
nds_obj_handle_t nds_obj_new(nds_instance_t* instance, int type) NRT_NOEXCEPT;

/**
 * Publishes the object: a model node takes a slot at its first commit and rewrites it afterwards.
 *
 * @return 0; -EINVAL NULL, an object of a reader or of a snapshot; -EPERM (-1) no mapping; 28
 * (ENOSPC, positive) no model slot is free
 */
int nds_obj_commit(nds_obj_handle_t object) NRT_NOEXCEPT;

/** Removes a published model node from the slab (process records stay) and frees the object. 0 or
 * -EINVAL (NULL). */
int nds_obj_delete(nds_obj_handle_t object) NRT_NOEXCEPT;

/** Typed views of the local payload, valid until nds_obj_delete(); NULL for NULL or an object of
 * another kind. */
nds_model_node_info_t* nds_obj_handle_to_model_node_info(nds_obj_handle_t object) NRT_NOEXCEPT;
nds_model_node_mem_usage_t* nds_obj_handle_to_model_node_mem_usage(nds_obj_handle_t object)
    NRT_NOEXCEPT;
nds_process_info_t* nds_obj_handle_to_process_info(nds_obj_handle_t object) NRT_NOEXCEPT;
nds_process_info_ext_t* nds_obj_handle_to_process_info_ext(nds_obj_handle_t object) NRT_NOEXCEPT;

/**
 * Snapshots every published model node. A record that changes while it is read, twice in 200 us, is
 * left out.
 *
 * @param objects receives an array of *count objects: nds_obj_delete() each, then free() the array;
 * NULL when 0
 * @return 0; -EINVAL; -EPERM (-1) no mapping; -ENOMEM
 */
int nds_read_all_model_nodes(nds_instance_t* instance, nds_obj_handle_t** objects,
                             size_t* count) NRT_NOEXCEPT;

/** Snapshot of a process record, to be given to nds_obj_delete(), or NULL: never published, torn
 * twice, no mapping. */
nds_obj_handle_t nds_read_process_info(nds_instance_t* instance) NRT_NOEXCEPT;
nds_obj_handle_t nds_read_process_info_ext(nds_instance_t* instance) NRT_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* NRT_NDS_H */
