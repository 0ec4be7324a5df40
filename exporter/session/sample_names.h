#pragma once

#include <unordered_map>

#include "attribution/attribution.h"
#include "beam/virtual_machine.h"
#include "sampling/raw_sample.h"
#include "session/process_names.h"
#include "totals/labels.h"

namespace beam_exporter::session {

// The labels of samples of one VM. An atom is read when it is first met: a function that is known
// costs a look-up. One per attached VM, since the same term is another name in the next one; one
// thread.
class SampleNames {
 public:
  // The VM outlives it.
  explicit SampleNames(beam::VirtualMachine& vm) : vm_(&vm), processes_(vm) {}

  // Valid until the next call of any of these.
  const totals::SampleLabels& labels(const sampling::RawSample& sample,
                                     const attribution::Attribution& meaning);
  // Of the function on top of the Erlang stack, or of the pseudo function; nullptr: neither, or it
  // cannot be read.
  const totals::FunctionKey* self(const attribution::Attribution& meaning);

 private:
  void make_room();
  const totals::FunctionKey* self_of(const attribution::Attribution& meaning);
  const totals::FunctionKey* name(const beam::Mfa& mfa);

  beam::VirtualMachine* vm_;
  ProcessNames processes_;
  std::unordered_map<beam::Mfa, totals::FunctionKey, beam::MfaHash> functions_;
  totals::SampleLabels labels_;  // of the last sample
};

}  // namespace beam_exporter::session
