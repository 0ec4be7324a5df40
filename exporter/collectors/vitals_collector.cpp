#include "beam/schedulers/vitals.h"
#include "collectors/registry.h"
#include "log/log.h"

namespace beam_exporter::collectors {

namespace {

// Reads the VM's own counters, limits and run queues.
class VitalsCollector final : public Collector {
 public:
  explicit VitalsCollector(const Subject& subject)
      : vm_(subject.vm),
        totals_(subject.totals),
        reader_(subject.vm->layout(), subject.vm->static_data(), subject.vm->memory(),
                subject.vm->schedulers()) {}

  std::optional<std::chrono::milliseconds> interval(
      const settings::Settings& settings) const override {
    if (!settings.vitals.enabled) return std::nullopt;
    return settings.vitals.interval;
  }

  bool collect(const settings::Settings&, totals::VmFigures& figures) override {
    auto vitals = reader_.read();
    if (!vitals) {
      totals_->count_torn("vitals", 1);
      return false;
    }
    tell_unproven();
    totals_->take(*vitals);
    figures.vitals = std::move(*vitals);
    return true;
  }

  void clear(const settings::Settings& settings, totals::VmFigures& figures) const override {
    if (!settings.vitals.enabled) figures.vitals.reset();
  }

 private:
  // A VM that boots proves nothing yet, and a list may change during a look: so not at once.
  void tell_unproven() {
    constexpr int looks_before = 5;
    if (++looks_ != looks_before) return;
    const auto tell = [&](const char* group, const beam::PartProof& proof) {
      if (!proof.ok)
        log::warn(
            "figures of this group are left out: they are not proven to be where the layout "
            "says",
            {{"group", group}, {"layout", vm_->layout().origin}, {"seen", proof.detail}});
    };
    tell("io", reader_.proofs().io);
    tell("reductions", reader_.proofs().reductions);
    tell("ets_tables", reader_.proofs().ets_tables);
  }

  const beam::VirtualMachine* vm_;
  totals::CollectorTotals* totals_;
  beam::VitalsReader reader_;
  int looks_ = 0;
};

}  // namespace

std::unique_ptr<Collector> make_vitals_collector(const Subject& subject) {
  return std::make_unique<VitalsCollector>(subject);
}

}  // namespace beam_exporter::collectors
