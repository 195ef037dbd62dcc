// SPDX-License-Identifier: Apache-2.0
//
// Results of calls that can fail: a value, or an errno with a sentence for the person who reads it.
#ifndef NDTEL_RESULT_HPP
#define NDTEL_RESULT_HPP

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace ndtel {

/// Why a call failed. `message` is one sentence that names the file, process or module and says
/// what to do.
struct Error {
  int code = 0;  ///< errno, positive
  std::string message;
};

/// A value or an Error. Test it before use: `if (!r) return r.error();`
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: conversion intended
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: conversion intended

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  T& value() & { return checked(); }
  const T& value() const& { return const_cast<Result*>(this)->checked(); }
  T&& value() && { return std::move(checked()); }
  T& operator*() & { return checked(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(checked()); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &value(); }

  const Error& error() const {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  T& checked() {
    assert(ok());
    return *std::get_if<0>(&state_);
  }

  std::variant<T, Error> state_;
};

/// Success, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}  // NOLINT: conversion intended

  bool ok() const noexcept { return ok_; }
  explicit operator bool() const noexcept { return ok_; }
  const Error& error() const {
    assert(!ok_);
    return error_;
  }

 private:
  Error error_;
  bool ok_ = true;
};

}  // namespace ndtel

#endif  // NDTEL_RESULT_HPP
