#pragma once

#include <cstdint>
#include <string_view>

#include "beam/layout/field.h"

// Structs of ERTS' allocators (erl_alloc.h, erl_alloc_util.h and the files of each strategy; OTP 25
// and 27), part of Layout. Read by allocator_instances, allocators and carrier_walk.
namespace beam_exporter::beam {

// erl_alloc.h: erts_allctrs_info[], by allocator number.
struct AllocatorInfoLayout {
  static constexpr std::string_view name = "ErtsAllocatorInfo_t";
  std::uint32_t size = 0;
  Field<std::int32_t> alloc_util;
  Field<std::int32_t> enabled;
  Field<os::Address> extra;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("alloc_util", self.alloc_util, Need::required);
    visit("enabled", self.enabled, Need::required);
    visit("extra", self.extra, Need::required);
  }
};

// erl_alloc.h: erts_allctr_thr_spec[], by allocator number.
struct AllocatorThreadsLayout {
  static constexpr std::string_view name = "ErtsAllocatorThrSpec_t";
  std::uint32_t size = 0;
  Field<std::int32_t> enabled;
  Field<std::int32_t> count;
  Field<os::Address> instances;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("enabled", self.enabled, Need::required);
    visit(".size", self.count, Need::required);
    visit("allctr", self.instances, Need::required);
  }
};

// erl_alloc_util.h Allctr_t_, one instance. Members of arrays are those of the first element.
struct AllocatorLayout {
  static constexpr std::string_view name = "Allctr_t";
  std::uint32_t size = 0;
  Field<os::Address> name_prefix;
  Field<std::int32_t> number;
  Field<std::int32_t> strategy;
  Field<std::int32_t> index;
  Field<std::uint64_t> header_bytes;
  Field<os::Address> multi_block_list;
  Field<os::Address> single_block_list;
  Field<os::Address> sentinel;
  Field<std::uint64_t> pool_block_bytes;
  Field<std::uint64_t> pool_blocks;
  Field<std::uint64_t> pool_carrier_bytes;
  Field<std::uint64_t> pool_carriers;
  Field<std::uint64_t> allocations;
  Field<std::uint64_t> frees;
  Field<std::uint64_t> reallocations;
  Field<std::uint64_t> sbcs_carriers;
  Field<std::uint64_t> sbcs_carrier_bytes;
  Field<std::uint64_t> sbcs_blocks;
  Field<std::uint64_t> sbcs_block_bytes;
  Field<std::uint64_t> mbcs_carriers;
  Field<std::uint64_t> mbcs_carrier_bytes;
  Field<std::uint64_t> mbcs_blocks;
  Field<std::uint64_t> mbcs_block_bytes;
  // The functions by which an allocator gets a carrier or makes one larger.
  Field<os::Address> segment_alloc;
  Field<os::Address> segment_realloc;
  Field<os::Address> system_alloc;
  Field<os::Address> system_realloc;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("name_prefix", self.name_prefix, Need::required);
    visit("alloc_no", self.number, Need::required);
    visit("alloc_strat", self.strategy, Need::required);
    visit("ix", self.index, Need::required);
    visit("mbc_header_size", self.header_bytes, Need::required);
    visit("mbc_list.first", self.multi_block_list, Need::required);
    visit("sbc_list.first", self.single_block_list, Need::required);
    visit("cpool.sentinel", self.sentinel, Need::required);
    visit("cpool.stat.blocks_size.counter", self.pool_block_bytes, Need::required);
    visit("cpool.stat.no_blocks.counter", self.pool_blocks, Need::required);
    visit("cpool.stat.carriers_size.counter", self.pool_carrier_bytes, Need::required);
    visit("cpool.stat.no_carriers.counter", self.pool_carriers, Need::required);
    visit("calls.this_alloc", self.allocations, Need::required);
    visit("calls.this_free", self.frees, Need::required);
    visit("calls.this_realloc", self.reallocations, Need::required);
    visit("sbcs.carriers.no", self.sbcs_carriers, Need::required);
    visit("sbcs.carriers.size", self.sbcs_carrier_bytes, Need::required);
    visit("sbcs.blocks.curr.no", self.sbcs_blocks, Need::required);
    visit("sbcs.blocks.curr.size", self.sbcs_block_bytes, Need::required);
    visit("mbcs.carriers.no", self.mbcs_carriers, Need::required);
    visit("mbcs.carriers.size", self.mbcs_carrier_bytes, Need::required);
    visit("mbcs.blocks.curr.no", self.mbcs_blocks, Need::required);
    visit("mbcs.blocks.curr.size", self.mbcs_block_bytes, Need::required);
    visit("mseg_alloc", self.segment_alloc, Need::optional);
    visit("mseg_realloc", self.segment_realloc, Need::optional);
    visit("sys_alloc", self.system_alloc, Need::optional);
    visit("sys_realloc", self.system_realloc, Need::optional);
  }
};

// erl_alloc_util.h: stride of CarriersStats_t.carriers.
struct CarrierCountLayout {
  static constexpr std::string_view name = "StatValues_t";
  std::uint32_t size = 0;

  template <class Self, class Visit>
  static void fields(Self&, Visit&&) {}
};

// erl_alloc_util.h: stride of CarriersStats_t.blocks.
struct BlockCountLayout {
  static constexpr std::string_view name = "BlockStats_t";
  std::uint32_t size = 0;

  template <class Self, class Visit>
  static void fields(Self&, Visit&&) {}
};

// erl_ao_firstfit_alloc.h: root of the tree of carriers.
struct AddressOrderFirstFitLayout {
  static constexpr std::string_view name = "AOFFAllctr_t";
  std::uint32_t size = 0;
  Field<os::Address> root;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("mbc_root", self.root, Need::required);
  }
};

// erl_bestfit_alloc.h: root of the tree of free blocks.
struct BestFitLayout {
  static constexpr std::string_view name = "BFAllctr_t";
  std::uint32_t size = 0;
  Field<os::Address> root;
  Field<std::uint32_t> address_order;  // 0: blocks of equal size hang in lists

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("mbc_root", self.root, Need::required);
    visit("address_order", self.address_order, Need::required);
  }
};

// erl_afit_alloc.h: list of free blocks.
struct AFitLayout {
  static constexpr std::string_view name = "AFAllctr_t";
  std::uint32_t size = 0;
  Field<os::Address> free_list;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("free_list", self.free_list, Need::required);
  }
};

// erl_goodfit_alloc.h: lists of free blocks by size.
struct GoodFitLayout {
  static constexpr std::string_view name = "GFAllctr_t";
  std::uint32_t size = 0;
  Field<os::Address> buckets;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("buckets", self.buckets, Need::required);
  }
};

// erl_bestfit_alloc.c: a free block of bf; `next` is one of the same size.
struct BestFitBlockLayout {
  static constexpr std::string_view name = "RBTreeList_t";
  std::uint32_t size = 0;
  Field<std::uint64_t> header;
  Field<os::Address> parent;
  Field<os::Address> left;
  Field<os::Address> right;
  Field<os::Address> next;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("t.hdr.bhdr", self.header, Need::required);
    visit("t.parent", self.parent, Need::required);
    visit("t.left", self.left, Need::required);
    visit("t.right", self.right, Need::required);
    visit("next", self.next, Need::required);
  }
};

// erl_afit_alloc.h: a free block of af.
struct AFitBlockLayout {
  static constexpr std::string_view name = "AFFreeBlock_t";
  std::uint32_t size = 0;
  Field<std::uint64_t> header;
  Field<os::Address> next;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("block_head.bhdr", self.header, Need::required);
    visit("next", self.next, Need::required);
  }
};

// erl_goodfit_alloc.h: a free block of gf.
struct GoodFitBlockLayout {
  static constexpr std::string_view name = "GFFreeBlock_t";
  std::uint32_t size = 0;
  Field<std::uint64_t> header;
  Field<os::Address> next;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("block_head.bhdr", self.header, Need::required);
    visit("next", self.next, Need::required);
  }
};

// erl_alloc_util.h Carrier_t_: the head of a multi-block carrier.
struct CarrierLayout {
  static constexpr std::string_view name = "Carrier_t";
  std::uint32_t size = 0;
  Field<std::uint64_t> header;
  Field<os::Address> next;
  Field<os::Address> owner;
  Field<os::Address> pool;
  Field<os::Address> pool_next;
  Field<os::Address> pool_previous;
  Field<os::Address> creator;
  Field<std::uint64_t> pool_largest;
  Field<std::uint64_t> used_bytes;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("chdr", self.header, Need::required);
    visit("next", self.next, Need::required);
    visit("allctr.counter", self.owner, Need::required);
    visit("cpool.homecoming_dd.blk.bhdr", self.pool, Need::required);
    visit("cpool.next.counter", self.pool_next, Need::required);
    visit("cpool.prev.counter", self.pool_previous, Need::required);
    visit("cpool.orig_allctr", self.creator, Need::required);
    visit("cpool.max_size.counter", self.pool_largest, Need::required);
    visit("cpool.total_blocks_size", self.used_bytes, Need::required);
  }
};

// erl_alloc_util.h: what the pool links, inside Carrier_t.
struct CarrierPoolDataLayout {
  static constexpr std::string_view name = "ErtsAlcCPoolData_t";
  std::uint32_t size = 0;
  Field<os::Address> next;
  Field<os::Address> previous;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("next.counter", self.next, Need::required);
    visit("prev.counter", self.previous, Need::required);
  }
};

// erl_ao_firstfit_alloc.c: a carrier in the tree; its node holds its own largest free block, max_sz
// the largest of its subtree.
struct FirstFitCarrierLayout {
  static constexpr std::string_view name = "AOFF_Carrier_t";
  std::uint32_t size = 0;
  Field<std::uint64_t> largest;
  Field<os::Address> parent;
  Field<os::Address> left;
  Field<os::Address> right;
  Field<std::uint64_t> subtree_largest;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("rbt_node.hdr.bhdr", self.largest, Need::required);
    visit("rbt_node.parent", self.parent, Need::required);
    visit("rbt_node.left", self.left, Need::required);
    visit("rbt_node.right", self.right, Need::required);
    visit("rbt_node.max_sz", self.subtree_largest, Need::required);
  }
};

// erl_mmap.c ErtsMemMapper_: what was taken from the system, cached segments included.
struct MemoryMapperLayout {
  static constexpr std::string_view name = "ErtsMemMapper";
  std::uint32_t size = 0;
  Field<std::uint64_t> super_total;
  Field<std::uint64_t> super_aligned;
  Field<std::uint64_t> super_unaligned;
  Field<std::uint64_t> from_system;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("size.supercarrier.total", self.super_total, Need::required);
    visit("size.supercarrier.used.sa", self.super_aligned, Need::required);
    visit("size.supercarrier.used.sua", self.super_unaligned, Need::required);
    visit("size.os.used", self.from_system, Need::required);
  }
};

// erl_mseg.c ErtsMsegAllctr_t_: segments that are kept for the next carrier. Members of the array
// are those of its first element; unused elements are zero.
struct SegmentCacheLayout {
  static constexpr std::string_view name = "ErtsMsegAllctr_t";
  std::uint32_t size = 0;
  Field<std::int32_t> index;
  Field<std::int32_t> ready;
  Field<std::uint64_t> first_size;  // where the array begins
  Field<std::uint64_t> after_last;  // size of the list head that follows the array

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("ix", self.index, Need::optional);
    visit("is_init_done", self.ready, Need::optional);
    visit("cache.size", self.first_size, Need::optional);
    visit("cache_unpowered_node.size", self.after_last, Need::optional);
  }
};

// erl_mseg.c cache_t_: an element of the array above.
struct CachedSegmentLayout {
  static constexpr std::string_view name = "cache_t_";
  std::uint32_t size = 0;
  Field<os::Address> segment;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("seg", self.segment, Need::optional);
  }
};

struct AllocatorLayouts {
  AllocatorInfoLayout info;
  AllocatorThreadsLayout threads;
  AllocatorLayout allocator;
  CarrierCountLayout carrier_count;
  BlockCountLayout block_count;
  AddressOrderFirstFitLayout first_fit;
  BestFitLayout best_fit;
  AFitLayout a_fit;
  GoodFitLayout good_fit;
  BestFitBlockLayout best_fit_block;
  AFitBlockLayout a_fit_block;
  GoodFitBlockLayout good_fit_block;
  CarrierLayout carrier;
  CarrierPoolDataLayout pool_data;
  FirstFitCarrierLayout first_fit_carrier;
  MemoryMapperLayout mapper;
  SegmentCacheLayout segment_cache;
  CachedSegmentLayout cached_segment;

  template <class Self, class Visit>
  static void structs(Self& self, Visit&& visit) {
    visit(self.info);
    visit(self.threads);
    visit(self.allocator);
    visit(self.carrier_count);
    visit(self.block_count);
    visit(self.first_fit);
    visit(self.best_fit);
    visit(self.a_fit);
    visit(self.good_fit);
    visit(self.best_fit_block);
    visit(self.a_fit_block);
    visit(self.good_fit_block);
    visit(self.carrier);
    visit(self.pool_data);
    visit(self.first_fit_carrier);
    visit(self.mapper);
    visit(self.segment_cache);
    visit(self.cached_segment);
  }
};

}  // namespace beam_exporter::beam
