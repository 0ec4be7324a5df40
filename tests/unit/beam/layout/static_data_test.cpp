#include "beam/layout/static_data.h"

#include <gtest/gtest.h>

#include "fakes/fake_memory.h"
#include "fakes/small_elf.h"

namespace beam_exporter::beam {
namespace {

constexpr os::Address bias = 0x550000000000;

elf::Image image_of(std::vector<tests::SmallElf::Piece> segments) {
  tests::SmallElf elf;
  elf.segments = std::move(segments);
  elf.symbols = {{"there", 0x2010, 8}, {"nowhere", 0, 8}};
  auto image = elf::Image::open(elf.file(), "small");
  EXPECT_TRUE(image) << image.error().text;
  return std::move(*image);
}

TEST(StaticData, reads_the_largest_writable_segment_and_pages_never_touched_as_zero) {
  const auto image = image_of({{{0, 0x1000}, false, true, {}},
                               {{0x1000, 0x1100}, true, false, {}},
                               {{0x2004, 0x5ffc}, true, false, {}}});
  tests::FakeMemory memory;
  memory.put_zeros(bias + 0x2000, 0x1000);
  memory.put(bias + 0x2010, std::uint64_t{42});
  memory.put_zeros(bias + 0x5000, 0x1000);
  memory.put(bias + 0x5ff0, std::uint64_t{43});
  const auto data = StaticData::read(image, bias, memory);
  ASSERT_TRUE(data) << data.error().text;
  EXPECT_EQ(data->begin(), bias + 0x2008) << "whole words only";
  EXPECT_EQ(data->address_of(data->words().size()), bias + 0x5ff8);
  EXPECT_EQ(data->words()[1], 42U);
  EXPECT_EQ(data->words().back(), 43U);
  EXPECT_EQ(data->words()[0x1800 / 8], 0U) << "not mapped";
}

TEST(StaticData, symbols_are_where_the_loader_put_them) {
  const auto image = image_of({{{0x2000, 0x3000}, true, false, {}}});
  tests::FakeMemory memory;
  memory.put_zeros(bias + 0x2000, 0x1000);
  const auto data = StaticData::read(image, bias, memory);
  ASSERT_TRUE(data);
  EXPECT_EQ(data->symbol("there"), bias + 0x2010);
  EXPECT_EQ(data->symbol("nowhere"), std::nullopt);
  EXPECT_EQ(data->symbol("absent"), std::nullopt);
}

TEST(StaticData, nothing_readable_or_nothing_writable_is_an_error) {
  tests::FakeMemory memory;
  const auto image = image_of({{{0x2000, 0x3000}, true, false, {}}});
  const auto unreadable = StaticData::read(image, bias, memory);
  ASSERT_FALSE(unreadable);
  EXPECT_EQ(unreadable.error().kind, os::ErrorKind::unreadable);
  const auto code_only = image_of({{{0x2000, 0x3000}, false, true, {}}});
  const auto none = StaticData::read(code_only, bias, memory);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, os::ErrorKind::malformed);
  const auto huge = image_of({{{0x2000, 0x2000 + (std::uint64_t{1} << 40)}, true, false, {}}});
  EXPECT_FALSE(StaticData::read(huge, bias, memory));
}

}  // namespace
}  // namespace beam_exporter::beam
