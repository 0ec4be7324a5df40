#pragma once

namespace beam_exporter::os {

// CAP_SYS_ADMIN in the calling thread's effective set while this lives, where the thread is
// permitted it and does not have it in effect, which is how drop_other_capabilities() leaves it.
// For the one call that asks for it. Capabilities belong to a thread: this begins and ends in the
// same one. A second one inside the first does nothing.
class RaisedAdmin {
 public:
  RaisedAdmin();
  ~RaisedAdmin();
  RaisedAdmin(const RaisedAdmin&) = delete;
  RaisedAdmin& operator=(const RaisedAdmin&) = delete;

  // False: nothing has changed, since the thread is not permitted it or has it in effect anyway.
  explicit operator bool() const { return raised_; }

 private:
  bool raised_ = false;
};

}  // namespace beam_exporter::os
