// SPDX-License-Identifier: Apache-2.0
//
// C ABI of the datastore: counters, objects, snapshots.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <variant>

#include "capi.hpp"

using ndtel::Device;
using ndtel::guarded;
using ndtel::Instance;
using ndtel::Reader;

static_assert(sizeof(nds_model_node_info_t) + sizeof(nds_model_node_mem_usage_t) + 4 ==
              sizeof(nds_model_record));
static_assert(sizeof(nds_process_info_t) + 4 == sizeof(nds_process_info_record));
static_assert(sizeof(nds_process_info_ext_t) + 4 == sizeof(nds_process_info_ext_record));

namespace {

struct ModelNode {
  nds_model_node_info_t info;
  nds_model_node_mem_usage_t memory;
  int slot;
};

// A negative core becomes a huge one, which no slab has.
std::uint32_t core_of(int nc) { return static_cast<std::uint32_t>(nc); }

int read_into(const nds_instance_t* instance, std::optional<std::uint64_t> value, uint64_t* out) {
  if (!instance->view().mapped()) return -EPERM;
  if (!value) return -EINVAL;
  *out = *value;
  return 0;
}

}  // namespace

struct nds_obj {
  template <typename Payload>
  nds_obj(nds_instance_t* owner, const Payload& content, bool is_copy) noexcept
      : instance(owner), copy(is_copy), payload(content) {
    instance->hold();
  }
  nds_obj(const nds_obj&) = delete;
  nds_obj& operator=(const nds_obj&) = delete;
  ~nds_obj() { instance->drop(); }

  nds_instance_t* instance;
  bool copy;  // from a snapshot, or of a reader: never published, and deleting it leaves the slab
              // alone
  std::variant<ModelNode, nds_process_info_t, nds_process_info_ext_t> payload;
};

namespace {

// Payloads and records differ by the hash word in front only (for a model, its two parts follow
// each other).
nds_model_record to_record(const ModelNode& node) {
  nds_model_record record{};
  record.model_id = node.info.model_id;
  record.model_node_id = node.info.model_node_id;
  std::memcpy(record.name, node.info.name, sizeof record.name);
  std::memcpy(record.uuid, node.info.uuid, sizeof record.uuid);
  record.nc_index = node.info.nc_index;
  record.sg_index = node.info.sg_index;
  std::memcpy(record.mem, node.memory.usage, sizeof record.mem);
  return record;
}

ModelNode from_record(const ndtel::PublishedModel& model) {
  const nds_model_record& record = model.record;
  ModelNode node{};
  node.info.model_id = record.model_id;
  node.info.model_node_id = record.model_node_id;
  ndtel::copy_text(node.info.name, ndtel::field_text(record.name));
  std::memcpy(node.info.uuid, record.uuid, sizeof record.uuid);
  node.info.nc_index = record.nc_index;
  node.info.sg_index = record.sg_index;
  std::memcpy(node.memory.usage, record.mem, sizeof record.mem);
  node.slot = model.slot;
  return node;
}

nds_process_info_record to_record(const nds_process_info_t& info) {
  nds_process_info_record record{};
  record.framework_type = info.framework_type;
  std::memcpy(record.tag, info.tag, sizeof record.tag);
  record.framework = info.framework;
  record.fal = info.fal;
  record.runtime = info.runtime;
  return record;
}

nds_process_info_t from_record(const nds_process_info_record& record) {
  nds_process_info_t info{};
  info.framework_type = record.framework_type;
  ndtel::copy_text(info.tag, ndtel::field_text(record.tag));
  info.framework = record.framework;
  info.fal = record.fal;
  info.runtime = record.runtime;
  return info;
}

nds_process_info_ext_record to_record(const nds_process_info_ext_t& info) {
  nds_process_info_ext_record record{};
  std::memcpy(record.tag, info.tag, sizeof record.tag);
  return record;
}

nds_process_info_ext_t from_record(const nds_process_info_ext_record& record) {
  nds_process_info_ext_t info{};
  ndtel::copy_text(info.tag, ndtel::field_text(record.tag));
  return info;
}

int commit(Instance& instance, ModelNode& node) {
  return instance.publish(to_record(node), &node.slot);
}
int commit(Instance& instance, const nds_process_info_t& info) {
  return instance.publish(to_record(info));
}
int commit(Instance& instance, const nds_process_info_ext_t& info) {
  return instance.publish(to_record(info));
}

// The part of an object's payload a typed view shows, or NULL when it is of another kind.
template <typename Payload>
Payload* payload_of(nds_obj_handle_t object) {
  return object == nullptr ? nullptr : std::get_if<Payload>(&object->payload);
}

// Any object from a snapshot, or NULL.
template <typename Record>
nds_obj_handle_t object_of(nds_instance_t* instance, const std::optional<Record>& record) {
  return record ? new (std::nothrow) nds_obj(instance, from_record(*record), true) : nullptr;
}

// Becomes a producer (pid 0) or a reader of that process.
int open_instance(const Device& device, pid_t pid, nds_instance_t** instance) {
  if (pid == 0) {
    auto producer = Instance::open(device);
    if (!producer) return -producer.error().code;
    *instance = new nds_instance(std::move(*producer));
    return 0;
  }
  auto reader = Reader::open(device, pid);
  if (!reader) return -reader.error().code;
  *instance = new nds_instance(std::move(*reader));
  return 0;
}

}  // namespace

int nds_open(ndl_device_t* device, pid_t pid, nds_instance_t** instance) noexcept {
  if (device == nullptr || instance == nullptr || pid < 0) return -EINVAL;
  *instance = nullptr;
  return guarded([&] { return open_instance(device->device, pid, instance); });
}

int nds_close(nds_instance_t* instance) noexcept {
  if (instance == nullptr) return -EINVAL;
  instance->producer.close();
  instance->reader.close();
  instance->drop();
  return 0;
}

int nds_increment_nc_counter(nds_instance_t* instance, int nc, uint32_t counter,
                             uint64_t value) noexcept {
  return instance == nullptr ? -EINVAL : instance->producer.increment(core_of(nc), counter, value);
}

int nds_decrement_nc_counter(nds_instance_t* instance, int nc, uint32_t counter,
                             uint64_t value) noexcept {
  return instance == nullptr ? -EINVAL : instance->producer.decrement(core_of(nc), counter, value);
}

int nds_get_nc_counter(nds_instance_t* instance, int nc, uint32_t counter,
                       uint64_t* value) noexcept {
  if (instance == nullptr || value == nullptr) return -EINVAL;
  return read_into(instance, instance->view().nc(core_of(nc), counter), value);
}

int nds_set_nc_counter(nds_instance_t* instance, int nc, uint32_t counter,
                       uint64_t* value) noexcept {
  if (instance == nullptr || value == nullptr) return -EINVAL;
  return instance->producer.set(core_of(nc), counter, *value);
}

int nds_increment_nd_counter(nds_instance_t* instance, uint32_t counter, uint64_t value) noexcept {
  return instance == nullptr ? -EINVAL : instance->producer.increment_nd(counter, value);
}

int nds_decrement_nd_counter(nds_instance_t* instance, uint32_t counter, uint64_t value) noexcept {
  return instance == nullptr ? -EINVAL : instance->producer.decrement_nd(counter, value);
}

int nds_or_nd_counter(nds_instance_t* instance, uint32_t counter, uint64_t bit_index) noexcept {
  return instance == nullptr ? -EINVAL : instance->producer.or_nd(counter, bit_index);
}

int nds_get_nd_counter(nds_instance_t* instance, uint32_t counter, uint64_t* value) noexcept {
  if (instance == nullptr || value == nullptr) return -EINVAL;
  return read_into(instance, instance->view().nd(counter), value);
}

int nds_set_nd_counter(nds_instance_t* instance, uint32_t counter, uint64_t* value) noexcept {
  if (instance == nullptr || value == nullptr) return -EINVAL;
  return instance->producer.set_nd(counter, *value);
}

nds_obj_handle_t nds_obj_new(nds_instance_t* instance, int type) noexcept {
  if (instance == nullptr) return nullptr;
  switch (type) {
    case NDS_OBJ_MODEL_NODE:
      return new (std::nothrow)
          nds_obj(instance, ModelNode{.info = {}, .memory = {}, .slot = -1}, instance->is_reader);
    case NDS_OBJ_PROCESS_INFO:
      return new (std::nothrow) nds_obj(instance, nds_process_info_t{}, instance->is_reader);
    case NDS_OBJ_PROCESS_INFO_EXT:
      return new (std::nothrow) nds_obj(instance, nds_process_info_ext_t{}, instance->is_reader);
    default:
      return nullptr;
  }
}

int nds_obj_commit(nds_obj_handle_t object) noexcept {
  if (object == nullptr || object->copy) return -EINVAL;
  return guarded([&] {
    return std::visit([&](auto& payload) { return commit(object->instance->producer, payload); },
                      object->payload);
  });
}

int nds_obj_delete(nds_obj_handle_t object) noexcept {
  if (object == nullptr) return -EINVAL;
  if (auto* node = payload_of<ModelNode>(object);
      node != nullptr && node->slot >= 0 && !object->copy)
    object->instance->producer.remove_model(node->slot);
  delete object;
  return 0;
}

nds_model_node_info_t* nds_obj_handle_to_model_node_info(nds_obj_handle_t object) noexcept {
  auto* node = payload_of<ModelNode>(object);
  return node == nullptr ? nullptr : &node->info;
}

nds_model_node_mem_usage_t* nds_obj_handle_to_model_node_mem_usage(
    nds_obj_handle_t object) noexcept {
  auto* node = payload_of<ModelNode>(object);
  return node == nullptr ? nullptr : &node->memory;
}

nds_process_info_t* nds_obj_handle_to_process_info(nds_obj_handle_t object) noexcept {
  return payload_of<nds_process_info_t>(object);
}

nds_process_info_ext_t* nds_obj_handle_to_process_info_ext(nds_obj_handle_t object) noexcept {
  return payload_of<nds_process_info_ext_t>(object);
}

int nds_read_all_model_nodes(nds_instance_t* instance, nds_obj_handle_t** objects,
                             size_t* count) noexcept {
  if (instance == nullptr || objects == nullptr || count == nullptr) return -EINVAL;
  *objects = nullptr;
  *count = 0;
  if (!instance->view().mapped()) return -EPERM;
  return guarded([&] {
    const auto models = instance->view().models();
    if (models.empty()) return 0;
    std::vector<std::unique_ptr<nds_obj>> found;
    found.reserve(models.size());
    for (const auto& model : models)
      found.push_back(std::make_unique<nds_obj>(instance, from_record(model), true));
    // malloc, because the caller frees the array from C.
    auto** array =
        static_cast<nds_obj_handle_t*>(std::malloc(found.size() * sizeof(nds_obj_handle_t)));
    if (array == nullptr) return -ENOMEM;
    for (std::size_t i = 0; i < found.size(); ++i) array[i] = found[i].release();
    *objects = array;
    *count = found.size();
    return 0;
  });
}

nds_obj_handle_t nds_read_process_info(nds_instance_t* instance) noexcept {
  if (instance == nullptr) return nullptr;
  return object_of(instance, instance->view().process_info());
}

nds_obj_handle_t nds_read_process_info_ext(nds_instance_t* instance) noexcept {
  if (instance == nullptr) return nullptr;
  return object_of(instance, instance->view().process_info_ext());
}
