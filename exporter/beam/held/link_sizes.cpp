#include "beam/held/link_sizes.h"

#include "beam/held/struct_batch.h"

namespace beam_exporter::beam {

namespace {

constexpr std::uint64_t most_followed = std::uint64_t{1} << 20;    // of one process
constexpr std::uint64_t most_link_reads = std::uint64_t{1} << 22;  // of all
// One per side, and one while a signal about it is under way.
constexpr std::uint64_t most_references = 16;
constexpr std::uint16_t furthest_offset = 512;  // of a node in its block
constexpr std::uint64_t most_term_words = 16;   // of a pid or reference

std::vector<os::Address> places_of(const auto& things) {
  std::vector<os::Address> places;
  places.reserve(things.size());
  for (const auto& thing : things) places.push_back(thing.at);
  return places;
}

// The words behind a header: its bits from the sixth on (_header_arity in erl_term.h). nullopt: it
// is no header of a pid or reference.
std::optional<std::uint64_t> words_behind(std::optional<Eterm> header) {
  if (!header || (*header & 3) != 0 || (*header >> 6) > most_term_words) return std::nullopt;
  return *header >> 6;
}

}  // namespace

bool LinkSizes::known() const {
  const auto& at = *layout_;
  const auto have = [](const auto&... members) { return (members.present() && ...); };
  return have(at.process.links, at.process.monitors, at.process.target_monitors, at.link.right,
              at.link.left, at.link.next, at.link.offset, at.monitor.origin_item,
              at.monitor.target_item, at.monitor.reference, at.monitor.references) &&
         knows_link_sorts(at) && is_whole(at.distant_link) && at.plain_monitor.size != 0 &&
         at.extended_monitor.size != 0 && at.suspend_monitor.size != 0;
}

void LinkSizes::add(std::size_t index, StructBytes process) {
  owners_.push_back({index, {}, 0});
  const std::size_t owner = owners_.size() - 1;
  const auto& at = layout_->process;
  push({owner, process.get(at.links).value_or(0), Kind::link});
  push({owner, process.get(at.monitors).value_or(0), Kind::monitor});
  const auto first = process.get(at.target_monitors).value_or(0);
  push({owner, first, Kind::ring, first});
}

void LinkSizes::push(Node node) {
  auto& owner = owners_[node.owner];
  if (node.at == 0) return;
  if (node.at % 8 != 0) {
    owner.links.torn = true;
  } else if (owner.followed >= most_followed || reads_ >= most_link_reads) {
    owner.links.whole = false;
  } else {
    ++owner.followed;
    ++reads_;
    nodes_.push_back(node);
  }
}

void LinkSizes::take_node(const Node& node, StructBytes bytes) {
  const auto& at = layout_->link;
  auto& links = owners_[node.owner].links;
  const auto offset = bytes.get(at.offset);
  const auto sort = link_sort(*layout_, bytes);
  if (!offset || !sort || sort->type > link_type::last_of_links ||
      (sort->type > link_type::last_of_monitors) != (node.kind == Kind::link) ||
      *offset > furthest_offset) {
    links.torn = true;
    return;
  }
  if (node.kind == Kind::ring) {
    const auto next = bytes.get(at.next).value_or(0);
    if (next == 0) links.torn = true;
    if (next != node.first) push({node.owner, next, Kind::ring, node.first});
  } else {
    push({node.owner, bytes.get(at.right).value_or(0), node.kind});
    push({node.owner, bytes.get(at.left).value_or(0), node.kind});
  }
  const Block block{node.owner, node.at - *offset, *sort};
  if (node.kind != Kind::link)
    monitors_.push_back(block);
  else if (sort->extended)
    links_.push_back(block);
  else
    links.bytes += at.size;
}

void LinkSizes::read_links() {
  const auto& at = layout_->distant_link;
  read_structs(*memory_, places_of(links_), at.size,
               [&](std::size_t k, std::span<const std::byte> bytes) {
                 const StructBytes link(bytes);
                 auto& links = owners_[links_[k].owner].links;
                 const auto references = link.get(at.references).value_or(0);
                 const auto words = words_behind(link.get(at.heap));
                 if (!words || references == 0 || references > most_references)
                   links.torn = true;
                 else
                   links.bytes += (at.size + *words * 8) / references;
               });
  links_.clear();
}

void LinkSizes::take_monitor(const Block& block, StructBytes bytes) {
  const auto& at = layout_->monitor;
  auto& links = owners_[block.owner].links;
  const auto type = monitor_type(*layout_, bytes);
  const auto references = bytes.get(at.references).value_or(0);
  if (!type || *type > link_type::last_of_monitors || references == 0 ||
      references > most_references) {
    links.torn = true;
    return;
  }
  if (*type == link_type::alias) {
    links.bytes += at.size / references;
  } else if (*type == link_type::suspend) {
    links.bytes += layout_->suspend_monitor.size / references;
  } else if (!block.sort.extended) {
    links.bytes += layout_->plain_monitor.size / references;
  } else {
    extended_.push_back({block.owner, references});
    const auto add_term = [&](std::optional<Eterm> term) {
      // A boxed term has tag 2 (erl_term.h); another one has no words.
      if (term && (*term & 3) == 2) terms_.push_back({extended_.size() - 1, *term - 2});
    };
    const auto of = block.sort.type;
    if (of == link_type::node || of == link_type::nodes) return;
    add_term(bytes.get(at.reference));
    if (of != link_type::process_elsewhere && of != link_type::port_elsewhere) return;
    add_term(bytes.get(at.origin_item));
    add_term(bytes.get(at.target_item));
  }
}

void LinkSizes::read_monitors() {
  read_structs(*memory_, places_of(monitors_), layout_->monitor.size,
               [&](std::size_t k, std::span<const std::byte> bytes) {
                 take_monitor(monitors_[k], StructBytes(bytes));
               });
  monitors_.clear();
}

void LinkSizes::read_extended() {
  std::vector<os::Address> places;
  places.reserve(terms_.size());
  for (const auto& term : terms_) places.push_back(term.header);
  const Field<Eterm> header{0, sizeof(Eterm)};
  read_structs(*memory_, places, sizeof(Eterm),
               [&](std::size_t k, std::span<const std::byte> bytes) {
                 auto& extended = extended_[terms_[k].extended];
                 if (const auto words = words_behind(StructBytes(bytes).get(header)))
                   extended.words += *words + 1;
                 else
                   owners_[extended.owner].links.torn = true;
               });
  // Its struct ends with the first of these words.
  for (const auto& one : extended_)
    owners_[one.owner].links.bytes +=
        (layout_->extended_monitor.size - sizeof(Eterm) + one.words * sizeof(Eterm)) /
        one.references;
  terms_.clear();
  extended_.clear();
}

void LinkSizes::finish(const std::function<void(std::size_t, const Amount&)>& take) {
  std::vector<Node> now;
  while (!nodes_.empty()) {
    now.swap(nodes_);
    nodes_.clear();
    read_structs(*memory_, places_of(now), layout_->link.size,
                 [&](std::size_t k, std::span<const std::byte> bytes) {
                   take_node(now[k], StructBytes(bytes));
                 });
  }
  read_links();
  read_monitors();
  read_extended();
  for (const auto& owner : owners_) take(owner.index, owner.links);
  owners_.clear();
}

}  // namespace beam_exporter::beam
