#include "session/sample_names.h"

#include <array>
#include <utility>

namespace beam_exporter::session {

namespace {

// A storm of code reloads brings ever new functions. At this number all names are dropped.
constexpr std::size_t most_function_names = 32768;

const totals::FunctionKey* pseudo_key(attribution::PseudoFunction function) {
  static const auto keys = [] {
    std::array<totals::FunctionKey, attribution::pseudo_function_names.size()> made;
    for (std::size_t k = 0; k < made.size(); ++k)
      made[k].function = attribution::pseudo_function_names[k];
    return made;
  }();
  return &keys[static_cast<std::size_t>(function)];
}

}  // namespace

const totals::SampleLabels& SampleNames::labels(const sampling::RawSample& sample,
                                                const attribution::Attribution& meaning) {
  make_room();
  labels_.self = self_of(meaning);
  labels_.bif = meaning.bif ? name(*meaning.bif) : nullptr;
  labels_.nif = meaning.nif ? name(*meaning.nif) : nullptr;
  labels_.process = meaning.for_process && sample.process
                        ? processes_.name(*sample.process, sample.time)
                        : nullptr;
  labels_.inclusive.clear();
  for (const auto& mfa : meaning.inclusive)
    if (const auto* key = name(mfa)) labels_.inclusive.push_back(key);
  return labels_;
}

const totals::FunctionKey* SampleNames::self(const attribution::Attribution& meaning) {
  make_room();
  return self_of(meaning);
}

// Call it only between samples: the labels of a sample point to the names.
void SampleNames::make_room() {
  if (functions_.size() >= most_function_names) functions_.clear();
}

const totals::FunctionKey* SampleNames::self_of(const attribution::Attribution& meaning) {
  if (meaning.pseudo) return pseudo_key(*meaning.pseudo);
  return meaning.self ? name(*meaning.self) : nullptr;
}

const totals::FunctionKey* SampleNames::name(const beam::Mfa& mfa) {
  if (const auto known = functions_.find(mfa); known != functions_.end()) return &known->second;
  auto text = vm_->name_of(mfa);
  if (!text) return nullptr;
  return &functions_
              .emplace(mfa, totals::FunctionKey{std::move(text->module), std::move(text->function)})
              .first->second;
}

}  // namespace beam_exporter::session
