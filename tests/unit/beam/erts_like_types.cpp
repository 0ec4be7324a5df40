#include "unit/beam/erts_like_types.h"

namespace {

// Types reach the DWARF only when something has them.
struct All {
  Process process;
  ErtsSchedulerData scheduler_data;
  ErtsAlignedSchedulerData aligned;
  ErtsSchedulerRegisters registers;
  ErtsPTab table;
  RegProc registered;
  IndexTable index_table;
  Atom atom;
  BeamCodeHeader code_header;
  ErtsCodeInfo code_info;
  BeamCodeLineTab_ line_table;
  ranges code_ranges;
  ErtsRunQueue run_queue;
  ProcDict dictionary;
  ErtsSignal signal;
  ErtsSignalInQueueBufferArray buffers;
  erts_mtx_t mutex;
  ErtsAllocatorInfo_t allocator_info;
  ErtsAllocatorThrSpec_t allocator_threads;
  CarriersStats_t carriers;
  AOFFAllctr_t first_fit;
  BFAllctr_t best_fit;
  AFAllctr_t a_fit;
  GFAllctr_t good_fit;
  RBTreeList_t best_fit_block;
  AFFreeBlock_t a_fit_block;
  GFFreeBlock_t good_fit_block;
  AOFF_Carrier_t carrier;
  ErtsMemMapper mapper;
};
[[gnu::used]] All* all = nullptr;

}  // namespace

// What every BEAM says of itself.
extern "C" {
[[gnu::used]] extern const char etp_otp_release[] = "99";
[[gnu::used]] extern const char etp_erts_version[] = "99.1.2";
[[gnu::used]] extern const int etp_arch_bits = 64;
[[gnu::used]] extern const int etp_beamasm = 1;
}
