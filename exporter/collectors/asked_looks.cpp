#include "collectors/asked_looks.h"

#include <algorithm>
#include <string>

#include "os/supervision.h"

namespace beam_exporter::collectors {

std::size_t AskedLooks::add(Look look) {
  kinds_.push_back({std::move(look), nullptr});
  return kinds_.size() - 1;
}

os::Result<AskedLooks::Anything> AskedLooks::ask(std::size_t kind) {
  std::unique_lock lock(mutex_);
  if (!wake_) return os::Error{os::ErrorKind::gone, "no VM is watched now"};
  if (waiting_ >= most_waiting)
    return os::Error{os::ErrorKind::system, std::to_string(most_waiting) +
                                                " others wait for a look at the VM, which is the "
                                                "limit"};
  auto& turn_of_kind = kinds_[kind].turn;
  if (turn_of_kind == nullptr) {
    turn_of_kind = std::make_shared<Turn>();
    wake_();
  }
  const auto turn = turn_of_kind;
  ++waiting_;
  done_.wait(lock, [&] { return turn->result.has_value(); });
  --waiting_;
  return *turn->result;
}

void AskedLooks::answer(Kind& kind, os::Result<Anything> result) {
  if (kind.turn == nullptr) return;
  kind.turn->result.emplace(std::move(result));
  kind.turn.reset();
  done_.notify_all();
}

AskedLooks::Service::Service(AskedLooks& asked, std::function<void()> wake) : asked_(&asked) {
  std::lock_guard lock(asked.mutex_);
  asked.wake_ = std::move(wake);
}

AskedLooks::Service::~Service() {
  std::lock_guard lock(asked_->mutex_);
  asked_->wake_ = nullptr;
  for (auto& kind : asked_->kinds_)
    asked_->answer(kind, os::Error{os::ErrorKind::gone, "the VM has ended"});
}

bool AskedLooks::Service::wanted() const {
  std::lock_guard lock(asked_->mutex_);
  return std::ranges::any_of(asked_->kinds_, [](const Kind& kind) { return kind.turn != nullptr; });
}

void AskedLooks::Service::serve(const beam::VirtualMachine& vm) {
  for (auto& kind : asked_->kinds_) {
    {
      std::lock_guard lock(asked_->mutex_);
      if (kind.turn == nullptr) continue;
    }
    os::Result<Anything> result = os::Error{};
    if (const auto failure = os::failure_of([&] { result = kind.look(vm); }))
      result = os::Error{os::ErrorKind::unreadable, *failure};
    std::lock_guard lock(asked_->mutex_);
    asked_->answer(kind, std::move(result));
  }
}

}  // namespace beam_exporter::collectors
