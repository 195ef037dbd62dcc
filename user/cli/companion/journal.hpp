// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_COMPANION_JOURNAL_HPP
#define NDTEL_CLI_COMPANION_JOURNAL_HPP

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace ndtel::cli {

/// What a long-running command says: one line for each change, about one subject or another, and no
/// flood when something fails again and again. Usable from several threads.
class Journal {
 public:
  using Clock = std::chrono::steady_clock;
  using Out = std::function<void(const std::string&)>;
  using Now = std::function<Clock::time_point()>;

  /// A complaint that goes on is repeated this often, and complaints that alternate come at most
  /// this often.
  static constexpr std::chrono::seconds kRepeat{60};
  static constexpr std::chrono::seconds kShortest{5};

  explicit Journal(Out out, Now now = Clock::now) : out_(std::move(out)), now_(std::move(now)) {}

  /// Says how a subject stands, unless that was the last thing said about it.
  void say(const std::string& subject, const std::string& line);
  /// Says that something failed once more.
  void complain(const std::string& subject, const std::string& line);

 private:
  struct Said {
    std::string line;
    bool complaint = false;
    Clock::time_point when;
  };
  void print(const std::string& subject, const std::string& line, bool complaint);

  Out out_;
  Now now_;
  std::mutex mutex_;
  std::map<std::string, Said> last_;
};

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_COMPANION_JOURNAL_HPP
