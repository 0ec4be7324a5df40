#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "beam/virtual_machine.h"
#include "os/result.h"

namespace beam_exporter::collectors {

// Looks at the VM that somebody asks for, besides the looks on timers. The collectors' thread
// looks: it reads all processes and carriers anyway, a look of many milliseconds on it delays no
// sample, and it ends before its VM is let go. Each kind of look is an AskedLook, below. One look
// of a kind at a time: who asks while another waits gets the same result.
class AskedLooks {
 public:
  // For all kinds together. Fewer than the web server has threads to spare (server.cpp), together
  // with Recorder::most_windows.
  static constexpr std::size_t most_waiting = 3;
  using Anything = std::shared_ptr<const void>;
  using Look = std::function<os::Result<Anything>(const beam::VirtualMachine&)>;

  // For AskedLook. Before any thread asks or serves.
  std::size_t add(Look look);
  // For AskedLook. Any thread. `kind` is what add() returned.
  os::Result<Anything> ask(std::size_t kind);

  // --- For the collectors' thread.

  // Exists while that thread looks at a VM. Threads that ask call `wake`, with the lock held.
  class Service;

 private:
  struct Turn {  // one look
    std::optional<os::Result<Anything>> result;
  };
  struct Kind {
    Look look;
    std::shared_ptr<Turn> turn;  // null: nobody asks
  };
  void answer(Kind& kind, os::Result<Anything> result);  // with the lock held

  std::mutex mutex_;  // guards all members below; the looks of kinds_ never change
  std::condition_variable done_;
  std::function<void()> wake_;  // empty: nobody looks
  std::vector<Kind> kinds_;
  std::size_t waiting_ = 0;
};

class AskedLooks::Service {
 public:
  Service(AskedLooks& asked, std::function<void()> wake);
  ~Service();  // who still waits is told that the VM is gone
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  bool wanted() const;
  // Makes the looks that somebody asks for.
  void serve(const beam::VirtualMachine& vm);

 private:
  AskedLooks* asked_;
};

// One kind of look, whose result is a T.
template <class T>
class AskedLook {
 public:
  using Result = os::Result<std::shared_ptr<const T>>;

  // `look` is called on the collectors' thread. `looks` must outlive this object.
  AskedLook(AskedLooks& looks, std::function<os::Result<T>(const beam::VirtualMachine&)> look)
      : looks_(&looks),
        kind_(looks.add([look = std::move(look)](
                            const beam::VirtualMachine& vm) -> os::Result<AskedLooks::Anything> {
          auto made = look(vm);
          if (!made) return made.error();
          return AskedLooks::Anything(std::make_shared<const T>(std::move(*made)));
        })) {}

  // Any thread. Waits until the look is done or the VM ends. Errors: system (most_waiting others
  // wait), gone (no VM is looked at now), unreadable (also for lack of memory), those of `look`.
  Result ask() const {
    const auto result = looks_->ask(kind_);
    if (!result) return result.error();
    return std::static_pointer_cast<const T>(*result);
  }

 private:
  AskedLooks* looks_;
  std::size_t kind_;
};

}  // namespace beam_exporter::collectors
