#pragma once

#include <unordered_map>

#include "attribution/attribution.h"
#include "beam/virtual_machine.h"
#include "sampling/raw_sample.h"
#include "session/process_names.h"
#include "totals/labels.h"

namespace beam_exporter::session {

// The labels of the samples of one VM. An atom is read when it first appears; after that a function
// costs one look-up. One object for each attached VM, because the same term is another name in the
// next VM. One thread.
class SampleNames {
 public:
  // `vm` must outlive it.
  explicit SampleNames(beam::VirtualMachine& vm) : vm_(&vm), processes_(vm) {}

  // The labels are valid until the next call of labels() or self().
  const totals::SampleLabels& labels(const sampling::RawSample& sample,
                                     const attribution::Attribution& meaning);
  // The function on top of the Erlang stack, or the pseudo function. nullptr: there is neither, or
  // it cannot be read.
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
