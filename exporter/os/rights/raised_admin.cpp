#include "os/rights/raised_admin.h"

#include <sys/capability.h>

#include <memory>

namespace beam_exporter::os {

namespace {

using Caps = std::unique_ptr<std::remove_pointer_t<cap_t>, int (*)(void*)>;

constexpr cap_value_t raised_capability = CAP_SYS_ADMIN;

bool in(const Caps& caps, cap_flag_t set) {
  cap_flag_value_t value = CAP_CLEAR;
  return caps && cap_get_flag(caps.get(), raised_capability, set, &value) == 0 && value == CAP_SET;
}

bool set_effective(const Caps& caps, cap_flag_value_t value) {
  return cap_set_flag(caps.get(), CAP_EFFECTIVE, 1, &raised_capability, value) == 0 &&
         cap_set_proc(caps.get()) == 0;
}

}  // namespace

RaisedAdmin::RaisedAdmin() {
  const Caps caps(cap_get_proc(), cap_free);
  if (in(caps, CAP_PERMITTED) && !in(caps, CAP_EFFECTIVE)) raised_ = set_effective(caps, CAP_SET);
}

RaisedAdmin::~RaisedAdmin() {
  if (!raised_) return;
  // The kernel never refuses to take a capability out of effect.
  if (const Caps caps(cap_get_proc(), cap_free); caps) set_effective(caps, CAP_CLEAR);
}

}  // namespace beam_exporter::os
