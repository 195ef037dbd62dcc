// SPDX-License-Identifier: Apache-2.0
#include "device_times.hpp"

#include <algorithm>
#include <limits>

#include "catalogue.hpp"

namespace ndtel::ntff {

namespace {

// The pair of times that an event of the device shows; zeroes where it shows none.
struct Moment {
  std::uint64_t nc_ns = 0, host_ns = 0;
};

Moment moment_of(const nrt_sys_trace_event_t& event) noexcept {
  for (const auto& key : systrace::payload_keys(event.trace_type, event.phase)) {
    if (key.rule == systrace::Rule::kDeviceTime)
      return {systrace::read_value(event.data, key), systrace::read_host_time(event.data, key)};
  }
  return {};
}

// What execution an event names, if its payload does.
std::optional<std::uint64_t> execution_of(const nrt_sys_trace_event_t& event) noexcept {
  if (event.phase == NRT_SYS_TRACE_EVENT_PHASE_STOP) return std::nullopt;
  switch (event.trace_type) {
    case NRT_SYS_TRACE_EVENT_TYPE_CC_EXEC_BARRIER:
      return event.data.cc_exec_barrier_start.exec_id;
    case NRT_SYS_TRACE_EVENT_TYPE_DEVICE_EXEC:
      return event.data.nc_exec_start.exec_id;
    case NRT_SYS_TRACE_EVENT_TYPE_CC_EXEC:
      return event.data.cc_exec_start.exec_id;
    case NRT_SYS_TRACE_EVENT_TYPE_NUM_ERR:
      return event.data.num_err.exec_id;
    case NRT_SYS_TRACE_EVENT_TYPE_HW_NOTIFY:
      return event.data.hw_notify.exec_id;
    case NRT_SYS_TRACE_EVENT_TYPE_TIMESTAMP_SYNC:
      return event.data.timestamp_sync.exec_id;
    case NRT_SYS_TRACE_EVENT_TYPE_NC_MODEL_SWITCH:
      return event.data.nc_model_switch_start.exec_id;
    default:
      return std::nullopt;
  }
}

}  // namespace

DeviceTimes::DeviceTimes() : slots_(new Slot[kWindow]), chains_(new Chain[kChains]) {
  std::fill_n(chains_.get(), kChains, Chain{kNone, kNone});
}

void DeviceTimes::push(const nrt_sys_trace_event_t& event) noexcept {
  const auto slot = static_cast<std::uint32_t>((first_ + size_) % kWindow);
  ++size_;
  slots_[slot].event = {event, event.timestamp_ns, true};
  slots_[slot].waits = false;
  if (is_of_device(event)) place(slot);
}

void DeviceTimes::pop() noexcept {
  Slot& slot = slots_[first_];
  if (slot.waits) {
    // The oldest of all is the oldest of its chain.
    Chain& chain = chains_[slot.execution.hash() % kChains];
    chain.head = slot.next;
    if (chain.head == kNone) chain.tail = kNone;
  }
  first_ = static_cast<std::uint32_t>((first_ + 1) % kWindow);
  --size_;
}

std::optional<std::uint64_t> DeviceTimes::host_time(const SyncPoint& sync,
                                                    std::uint64_t nc_ns) noexcept {
  if (nc_ns >= sync.nc_ns) {
    const std::uint64_t later = nc_ns - sync.nc_ns;
    if (later > std::numeric_limits<std::uint64_t>::max() - sync.host_ns) return std::nullopt;
    return sync.host_ns + later;
  }
  const std::uint64_t earlier = sync.nc_ns - nc_ns;
  if (earlier > sync.host_ns) return std::nullopt;
  return sync.host_ns - earlier;
}

void DeviceTimes::place(std::uint32_t at) noexcept {
  Slot& slot = slots_[at];
  const nrt_sys_trace_event_t& event = slot.event.event;
  const Moment moment = moment_of(event);
  std::optional<std::uint64_t> execution = execution_of(event);

  const CoreKey span{event.nc_idx, event.tracking_id};
  if (event.phase == NRT_SYS_TRACE_EVENT_PHASE_START && execution)
    executions_.put(span, *execution);
  if (event.phase == NRT_SYS_TRACE_EVENT_PHASE_STOP) {
    if (const std::uint64_t* started = executions_.find(span)) execution = *started;
  }

  if (moment.host_ns != 0) {
    slot.event.host_ns = moment.host_ns;
    if (event.trace_type == NRT_SYS_TRACE_EVENT_TYPE_TIMESTAMP_SYNC && moment.nc_ns != 0)
      note({event.nc_idx, *execution}, {moment.nc_ns, moment.host_ns});
    return;
  }
  slot.event.placed = false;
  // A time of 0 is one that the device did not say.
  if (moment.nc_ns == 0 || !execution) return;
  slot.nc_ns = moment.nc_ns;
  slot.execution = {event.nc_idx, *execution};
  const SyncPoint* sync = syncs_.find(slot.execution);
  if (sync == nullptr) {
    wait(at);
    return;
  }
  if (const auto host = host_time(*sync, moment.nc_ns)) {
    slot.event.host_ns = *host;
    slot.event.placed = true;
  }
}

void DeviceTimes::wait(std::uint32_t at) noexcept {
  Slot& slot = slots_[at];
  slot.waits = true;
  slot.next = kNone;
  Chain& chain = chains_[slot.execution.hash() % kChains];
  (chain.head == kNone ? chain.head : slots_[chain.tail].next) = at;
  chain.tail = at;
}

void DeviceTimes::note(const CoreKey& execution, const SyncPoint& sync) noexcept {
  syncs_.put(execution, sync);
  Chain& chain = chains_[execution.hash() % kChains];
  // Executions share chains: those of others go on waiting, in their order.
  std::uint32_t next = chain.head;
  chain = {kNone, kNone};
  while (next != kNone) {
    const std::uint32_t at = next;
    Slot& slot = slots_[at];
    next = slot.next;
    if (slot.execution != execution) {
      wait(at);
      continue;
    }
    slot.waits = false;
    if (const auto host = host_time(sync, slot.nc_ns)) {
      slot.event.host_ns = *host;
      slot.event.placed = true;
    }
  }
}

}  // namespace ndtel::ntff
