#include "profile/formats/pprof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <protozero/pbf_message.hpp>

#include "profile/formats/pprof_fields.h"
#include "unit/profile/small_process_profile.h"
#include "unit/profile/small_profile.h"

namespace beam_exporter::profile {
namespace {

namespace fields = pprof_fields;

// Readers that we did not write read whole profiles in integration.profile; here the sums.
TEST(Pprof, samples_have_both_values) {
  const std::string bytes = pprof(small_profile());
  protozero::pbf_message<fields::Profile> message(bytes);
  std::int64_t count = 0, time = 0, locations = 0;
  while (message.next(fields::Profile::sample)) {
    protozero::pbf_message<fields::Sample> sample(message.get_message());
    while (sample.next()) {
      if (sample.tag() == fields::Sample::value) {
        const auto values = sample.get_packed_int64();
        std::vector<std::int64_t> both(values.begin(), values.end());
        ASSERT_EQ(both.size(), 2u);
        count += both[0];
        time += both[1];
      } else if (sample.tag() == fields::Sample::location_id) {
        for (const auto id : sample.get_packed_uint64()) locations += id > 0;
      } else {
        sample.skip();
      }
    }
  }
  EXPECT_EQ(count, 19);
  EXPECT_EQ(time, 190000000);
  EXPECT_EQ(locations, 8);
}

TEST(Pprof, the_first_string_is_empty_and_names_are_there_once) {
  const std::string bytes = pprof(small_profile());
  protozero::pbf_message<fields::Profile> message(bytes);
  std::vector<std::string> strings;
  while (message.next(fields::Profile::string_table)) strings.push_back(message.get_string());
  ASSERT_FALSE(strings.empty());
  EXPECT_EQ(strings.front(), "");
  for (const auto* name : {"shop:run/1", "MyApp.Foo.bar/1", "Elixir.MyApp.Foo:bar/1", "lib/foo.ex",
                           "process", "MyApp.Repo", "samples lost: 1"})
    EXPECT_EQ(std::ranges::count(strings, name), 1) << name;
}

TEST(Pprof, processes_have_a_status_and_a_heap_when_it_is_asked_for) {
  for (const auto order : {ProcessOrder::processes, ProcessOrder::heap}) {
    const bool heap = order == ProcessOrder::heap;
    const std::string bytes = pprof(small_process_profile(), order);
    protozero::pbf_message<fields::Profile> message(bytes);
    std::vector<std::int64_t> sums(heap ? 2 : 1);
    std::size_t labels = 0, types = 0;
    while (message.next()) {
      if (message.tag() == fields::Profile::sample_type) ++types;
      if (message.tag() != fields::Profile::sample) {
        message.skip();
        continue;
      }
      protozero::pbf_message<fields::Sample> sample(message.get_message());
      while (sample.next()) {
        if (sample.tag() == fields::Sample::label) ++labels;
        if (sample.tag() != fields::Sample::value) {
          sample.skip();
          continue;
        }
        const auto values = sample.get_packed_int64();
        ASSERT_EQ(std::distance(values.begin(), values.end()), sums.size());
        std::ranges::transform(values, sums, sums.begin(), std::plus());
      }
    }
    EXPECT_EQ(types, sums.size());
    EXPECT_EQ(sums[0], 1008);
    EXPECT_EQ(sums.back(), heap ? 5081056 : 1008);
    EXPECT_EQ(labels, 6u) << "a status each, and the name of the one that has one";
  }
}

}  // namespace
}  // namespace beam_exporter::profile
