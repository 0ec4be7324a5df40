#pragma once

#include <cstdint>

#include "beam/layout/member.h"

// Structs of ERTS' allocators (erl_alloc.h, erl_alloc_util.h and the files of each strategy; OTP 25
// and 27), part of Layout. Read by allocator_instances, allocators and carrier_walk.
namespace beam_exporter::beam {

// erl_alloc.h: erts_allctrs_info[], by allocator number.
struct AllocatorInfoLayout : Struct<"ErtsAllocatorInfo_t"> {
  Member<std::int32_t> alloc_util{"alloc_util"};
  Member<std::int32_t> enabled{"enabled"};
  Member<os::Address> extra{"extra"};
};

// erl_alloc.h: erts_allctr_thr_spec[], by allocator number.
struct AllocatorThreadsLayout : Struct<"ErtsAllocatorThrSpec_t"> {
  Member<std::int32_t> enabled{"enabled"};
  Member<std::int32_t> count{".size"};
  Member<os::Address> instances{"allctr"};
};

// erl_alloc_util.h Allctr_t_, one instance. Members of arrays are those of the first element.
struct AllocatorLayout : Struct<"Allctr_t"> {
  Member<os::Address> name_prefix{"name_prefix"};
  Member<std::int32_t> number{"alloc_no"};
  Member<std::int32_t> strategy{"alloc_strat"};
  Member<std::int32_t> index{"ix"};
  Member<std::uint64_t> header_bytes{"mbc_header_size"};
  Member<os::Address> multi_block_list{"mbc_list.first"};
  Member<os::Address> single_block_list{"sbc_list.first"};
  Member<os::Address> sentinel{"cpool.sentinel"};
  Member<std::uint64_t> pool_block_bytes{"cpool.stat.blocks_size.counter"};
  Member<std::uint64_t> pool_blocks{"cpool.stat.no_blocks.counter"};
  Member<std::uint64_t> pool_carrier_bytes{"cpool.stat.carriers_size.counter"};
  Member<std::uint64_t> pool_carriers{"cpool.stat.no_carriers.counter"};
  Member<std::uint64_t> allocations{"calls.this_alloc"};
  Member<std::uint64_t> frees{"calls.this_free"};
  Member<std::uint64_t> reallocations{"calls.this_realloc"};
  Member<std::uint64_t> sbcs_carriers{"sbcs.carriers.no"};
  Member<std::uint64_t> sbcs_carrier_bytes{"sbcs.carriers.size"};
  Member<std::uint64_t> sbcs_blocks{"sbcs.blocks.curr.no"};
  Member<std::uint64_t> sbcs_block_bytes{"sbcs.blocks.curr.size"};
  Member<std::uint64_t> mbcs_carriers{"mbcs.carriers.no"};
  Member<std::uint64_t> mbcs_carrier_bytes{"mbcs.carriers.size"};
  Member<std::uint64_t> mbcs_blocks{"mbcs.blocks.curr.no"};
  Member<std::uint64_t> mbcs_block_bytes{"mbcs.blocks.curr.size"};
  // The functions by which an allocator gets a carrier or makes one larger.
  Member<os::Address> segment_alloc{"mseg_alloc", Need::optional};
  Member<os::Address> segment_realloc{"mseg_realloc", Need::optional};
  Member<os::Address> system_alloc{"sys_alloc", Need::optional};
  Member<os::Address> system_realloc{"sys_realloc", Need::optional};
  // How often it took a carrier from malloc, and freed one.
  Member<std::uint64_t> system_allocs{"calls.sys_alloc", Need::optional};
  Member<std::uint64_t> system_frees{"calls.sys_free", Need::optional};
};

// erl_alloc_util.h: stride of CarriersStats_t.carriers.
struct CarrierCountLayout : Struct<"StatValues_t"> {};

// erl_alloc_util.h: stride of CarriersStats_t.blocks.
struct BlockCountLayout : Struct<"BlockStats_t"> {};

// erl_ao_firstfit_alloc.h: root of the tree of carriers.
struct AddressOrderFirstFitLayout : Struct<"AOFFAllctr_t"> {
  Member<os::Address> root{"mbc_root"};
};

// erl_bestfit_alloc.h: root of the tree of free blocks.
struct BestFitLayout : Struct<"BFAllctr_t"> {
  Member<os::Address> root{"mbc_root"};
  Member<std::uint32_t> address_order{"address_order"};  // 0: blocks of equal size hang in lists
};

// erl_afit_alloc.h: list of free blocks.
struct AFitLayout : Struct<"AFAllctr_t"> {
  Member<os::Address> free_list{"free_list"};
};

// erl_goodfit_alloc.h: lists of free blocks by size.
struct GoodFitLayout : Struct<"GFAllctr_t"> {
  Member<os::Address> buckets{"buckets"};
};

// erl_bestfit_alloc.c: a free block of bf; `next` is one of the same size.
struct BestFitBlockLayout : Struct<"RBTreeList_t"> {
  Member<std::uint64_t> header{"t.hdr.bhdr"};
  Member<os::Address> parent{"t.parent"};
  Member<os::Address> left{"t.left"};
  Member<os::Address> right{"t.right"};
  Member<os::Address> next{"next"};
};

// erl_afit_alloc.c: a free block of af.
struct AFitBlockLayout : Struct<"AFFreeBlock_t"> {
  Member<std::uint64_t> header{"block_head.bhdr"};
  Member<os::Address> next{"next"};
};

// erl_goodfit_alloc.h: a free block of gf.
struct GoodFitBlockLayout : Struct<"GFFreeBlock_t"> {
  Member<std::uint64_t> header{"block_head.bhdr"};
  Member<os::Address> next{"next"};
};

// erl_alloc_util.h Carrier_t_: the head of a multi-block carrier.
struct CarrierLayout : Struct<"Carrier_t"> {
  Member<std::uint64_t> header{"chdr"};
  Member<os::Address> next{"next"};
  Member<os::Address> owner{"allctr.counter"};
  Member<os::Address> pool{"cpool.homecoming_dd.blk.bhdr"};
  Member<os::Address> pool_next{"cpool.next.counter"};
  Member<os::Address> pool_previous{"cpool.prev.counter"};
  Member<os::Address> creator{"cpool.orig_allctr"};
  Member<std::uint64_t> pool_largest{"cpool.max_size.counter"};
  Member<std::uint64_t> used_bytes{"cpool.total_blocks_size"};
};

// erl_alloc_util.h: what the pool links, inside Carrier_t.
struct CarrierPoolDataLayout : Struct<"ErtsAlcCPoolData_t"> {
  Member<os::Address> next{"next.counter"};
  Member<os::Address> previous{"prev.counter"};
};

// erl_ao_firstfit_alloc.c: a carrier in the tree; its node holds its own largest free block, max_sz
// the largest of its subtree.
struct FirstFitCarrierLayout : Struct<"AOFF_Carrier_t"> {
  Member<std::uint64_t> largest{"rbt_node.hdr.bhdr"};
  Member<os::Address> parent{"rbt_node.parent"};
  Member<os::Address> left{"rbt_node.left"};
  Member<os::Address> right{"rbt_node.right"};
  Member<std::uint64_t> subtree_largest{"rbt_node.max_sz"};
};

// sys/common/erl_mmap.c ErtsMemMapper_: what was taken from the system, cached segments included.
struct MemoryMapperLayout : Struct<"ErtsMemMapper"> {
  Member<std::uint64_t> super_total{"size.supercarrier.total"};
  Member<std::uint64_t> super_aligned{"size.supercarrier.used.sa"};
  Member<std::uint64_t> super_unaligned{"size.supercarrier.used.sua"};
  Member<std::uint64_t> from_system{"size.os.used"};
};

// sys/common/erl_mseg.c ErtsMsegAllctr_t_: segments that are kept for the next carrier. Members of
// the array are those of its first element; unused elements are zero.
struct SegmentCacheLayout : Struct<"ErtsMsegAllctr_t"> {
  Member<std::int32_t> index{"ix", Need::optional};
  Member<std::int32_t> ready{"is_init_done", Need::optional};
  Member<std::uint64_t> first_size{"cache.size", Need::optional};  // where the array begins
  // Size of the list head that follows the array.
  Member<std::uint64_t> after_last{"cache_unpowered_node.size", Need::optional};
};

// sys/common/erl_mseg.c cache_t_: an element of the array above.
struct CachedSegmentLayout : Struct<"cache_t_"> {
  Member<os::Address> segment{"seg", Need::optional};
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
};

}  // namespace beam_exporter::beam
