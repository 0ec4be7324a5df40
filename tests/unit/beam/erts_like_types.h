#pragma once

#include <cstdint>

// The structs of ERTS that beam/layout/layout.h reads, with its members in places of our own
// choosing: a binary that holds them is, to the DWARF reader, an Erlang VM of a release that does
// not exist. frame_pointer is left out. Outside any namespace, as in ERTS.

using Word = std::uint64_t;
struct ErtsAtomic32 {
  std::int32_t counter;
};
struct ErtsAtomic {
  std::int64_t counter;
};
struct ErtsCodeMFA {
  Word module, function, arity;
};

struct Process {
  struct {
    Word id;
    union {
      struct {
        Word started_interval;
        void* reg;
      } alive;
      Word released;
    } u;
  } common;
  Word *htop, *stop, *heap, *hend;
  const void* i;
  union {
    void* terminate;
    ErtsCodeMFA initial;
  } u;
  const ErtsCodeMFA* current;
  ErtsAtomic32 state;
  Word heap_sz, mbuf_sz, *old_heap, *old_hend;
  void* dictionary;
};

struct ErtsSchedulerSleepInfo {
  void *next, *prev;
  ErtsAtomic32 flags;
};

struct ErtsSchedulerData {
  void* registers;
  ErtsSchedulerSleepInfo* ssi;
  Process* current_process;
  void *current_nif, *current_port, *run_queue;
  enum Type { normal, dirty } type;
  Word no, dirty_no;
};

union ErtsAlignedSchedulerData {
  ErtsSchedulerData esd;
  char align[256];
};

struct ErtsSchedulerRegisters {
  union {
    struct {
      void* runtime_stack;
    } d;
    char align[64];
  } aux_regs;
};

struct ErtsPTab {
  union {
    struct {
      Word last;
      ErtsAtomic32 count;
    } tile;
    char align[64];
  } vola;
  union {
    struct {
      ErtsAtomic* tab;
      std::int32_t max, pix_mask;
      void* invalid_element;
    } o;
    char align[64];
  } r;
};

struct RegProc {
  Process* p;
  Word name;
};

struct IndexTable {
  struct {
    int type;
    const char* name;
  } htable;
  int limit, entries;
  void*** seg_table;
};

struct Atom {
  struct {
    void* bucket;
    int index;
  } slot;
  std::int16_t len;
  unsigned char* name;
};

struct BeamCodeHeader {
  Word num_functions;
  void* line_table;
  unsigned char* md5_ptr;
  const void* functions[1];
};

struct ErtsCodeInfo {
  Word op;
  ErtsCodeMFA mfa;
};

struct BeamCodeLineTab_ {
  const Word* fname_ptr;
  int loc_size;
  union {
    std::uint16_t* p2;
    std::uint32_t* p4;
  } loc_tab;
  const void** func_tab[1];
};

struct Range {
  const void* start;
  ErtsAtomic end;
};

struct ranges {
  Range* modules;
  std::int64_t n, allocated;
  ErtsAtomic mid;
};

struct ErtsRunQueue {
  struct {
    ErtsAtomic32 len;
  } unused;
  ErtsAtomic32 len;
  struct {
    Word context_switches, reductions;
  } procs;
};

struct ProcDict {
  unsigned usedSlots;
  Word data[1];
};

union ErtsSignal {
  struct {
    void* next;
    union {
      void** next;
      void* attachment;
    } specific;
  } common;
};

struct ErtsSignalInQueueBuffer {
  char align[128];
};

struct ErtsSignalInQueueBufferArray {
  ErtsSignalInQueueBuffer slots[64];
};

struct erts_mtx_t {
  char mutex[48];
};

struct ErtsAllocatorInfo_t {
  int alloc_util, enabled, thr_spec;
  void* extra;
};

struct Allctr_t;
struct ErtsAllocatorThrSpec_t {
  int enabled, dd, aix, size;
  Allctr_t** allctr;
};

struct StatValues_t {
  Word no, size;
};
struct BlockStats_t {
  StatValues_t curr, max, max_ever;
};
struct CarriersStats_t {
  StatValues_t carriers[3], max, max_ever;
  BlockStats_t blocks[12];
};
struct CarrierList_t {
  struct Carrier_t *first, *last;
};

struct Allctr_t {
  const char* name_prefix;
  int alloc_no, alloc_strat, ix;
  Word mbc_header_size;
  CarrierList_t mbc_list, sbc_list;
  struct {
    struct ErtsAlcCPoolData_t* sentinel;
    struct {
      ErtsAtomic blocks_size[12], no_blocks[12], carriers_size, no_carriers;
    } stat;
  } cpool;
  struct {
    Word this_alloc, this_free, this_realloc;
  } calls;
  CarriersStats_t sbcs, mbcs;
};

struct AOFFAllctr_t {
  Allctr_t allctr;
  struct AOFF_RBTree_t* mbc_root;
};
struct BFAllctr_t {
  Allctr_t allctr;
  struct RBTreeList_t* mbc_root;
  int address_order;
};
struct AFAllctr_t {
  Allctr_t allctr;
  struct AFFreeBlock_t* free_list;
};
struct GFAllctr_t {
  Allctr_t allctr;
  struct GFFreeBlock_t* buckets[256];
};

struct Block_t {
  Word bhdr;
  struct Carrier_t* carrier;
};
struct RBTreeList_t {
  struct {
    Block_t hdr;
    RBTreeList_t *parent, *left, *right;
  } t;
  RBTreeList_t* next;
};
struct AFFreeBlock_t {
  Block_t block_head;
  AFFreeBlock_t *prev, *next;
};
struct GFFreeBlock_t {
  Block_t block_head;
  GFFreeBlock_t *prev, *next;
};

struct ErtsAlcCPoolData_t {
  struct {
    Block_t blk;
  } homecoming_dd;
  ErtsAtomic next, prev;
  Allctr_t* orig_allctr;
  ErtsAtomic max_size;
  Word total_blocks_size;
};
struct Carrier_t {
  Word chdr;
  Carrier_t *next, *prev;
  ErtsAtomic allctr;
  ErtsAlcCPoolData_t cpool;
};
struct AOFF_RBTree_t {
  Block_t hdr;
  AOFF_RBTree_t *parent, *left, *right;
  std::uint32_t flags, max_sz;
};
struct AOFF_Carrier_t {
  Carrier_t crr;
  AOFF_RBTree_t rbt_node;
};

struct ErtsMemMapper {
  struct {
    struct {
      Word total;
      struct {
        Word sa, sua;
      } used;
    } supercarrier;
    struct {
      Word used;
    } os;
  } size;
};
