#pragma once

namespace beam_exporter::os {

// While this object lives, the calling thread has CAP_SYS_ADMIN in its effective set, if it has it
// in the permitted set. (drop_other_capabilities() leaves it permitted but not effective.) Use it
// around the one call that needs it. Capabilities belong to a thread: make and destroy the object
// in the same thread. A second object inside the first does nothing.
class RaisedAdmin {
 public:
  RaisedAdmin();
  ~RaisedAdmin();
  RaisedAdmin(const RaisedAdmin&) = delete;
  RaisedAdmin& operator=(const RaisedAdmin&) = delete;

  // False: nothing has changed. The thread has no such permission, or had the capability in effect
  // already.
  explicit operator bool() const { return raised_; }

 private:
  bool raised_ = false;
};

}  // namespace beam_exporter::os
