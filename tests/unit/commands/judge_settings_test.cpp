#include "commands/judge_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/temporary_folder.h"
#include "web/listen_address.h"

namespace beam_exporter::commands {
namespace {

using testing::HasSubstr;

settings::Settings listening_on(const std::string& address) {
  settings::Settings settings;
  settings.web.listen_addresses = {"127.0.0.1:0", address};
  return settings;
}

settings::Settings with_layouts(const std::filesystem::path& folder) {
  settings::Settings settings;
  settings.layouts.directory = folder.string();
  return settings;
}

settings::Settings with_symbols(const std::filesystem::path& folder) {
  settings::Settings settings;
  settings.builds.directory = folder.string();
  return settings;
}

void expect_refused(const settings::Settings& settings, const std::string& word) {
  const auto judged = judge_settings(settings);
  ASSERT_FALSE(judged) << word;
  EXPECT_EQ(judged.error().kind, os::ErrorKind::invalid_argument);
  EXPECT_THAT(judged.error().text, HasSubstr(word));
}

TEST(JudgeSettings, gives_the_layouts_of_settings_that_can_start) {
  const auto judged = judge_settings(settings::Settings{});
  ASSERT_TRUE(judged) << judged.error().text;
  EXPECT_FALSE(judged->layouts.releases().empty());
}

TEST(JudgeSettings, refuses_an_address_that_the_server_refuses) {
  if (!web::ipv6_available()) return expect_refused(listening_on("[::1]:0"), "[::1]:0");
  EXPECT_TRUE(judge_settings(listening_on("[::1]:0")));
}

TEST(JudgeSettings, gives_the_addresses_that_it_looked_up) {
  const auto judged = judge_settings(listening_on("localhost:1"));
  ASSERT_TRUE(judged) << judged.error().text;
  ASSERT_EQ(judged->listen_addresses.size(), 2u);
  EXPECT_EQ(judged->listen_addresses[0].host, "127.0.0.1");
  EXPECT_EQ(judged->listen_addresses[1].given, "localhost:1");
  EXPECT_THAT(judged->listen_addresses[1].host, testing::AnyOf("127.0.0.1", "::1"));
}

TEST(JudgeSettings, a_host_without_an_address_is_what_happens_and_not_what_was_said) {
  const auto judged = judge_settings(listening_on("nowhere.invalid:80"));
  ASSERT_FALSE(judged);
  EXPECT_EQ(judged.error().kind, os::ErrorKind::not_found);
  EXPECT_THAT(judged.error().text, HasSubstr("nowhere.invalid:80"));
}

// `with` are the settings with that folder of files.
void expect_folder_is_judged(settings::Settings (*with)(const std::filesystem::path&),
                             const std::string& key) {
  expect_refused(with("/no such folder"), key + ": ");
  const tests::TemporaryFolder folder;
  EXPECT_TRUE(judge_settings(with(folder.path())));
  std::ofstream(folder.path() / "bad.yaml") << "not: one of these\n";
  expect_refused(with(folder.path()), "bad.yaml");
}

TEST(JudgeSettings, refuses_a_folder_of_layouts_that_cannot_be_loaded) {
  expect_folder_is_judged(with_layouts, "layouts.directory");
}

TEST(JudgeSettings, refuses_a_folder_of_symbol_files_that_cannot_be_loaded) {
  expect_folder_is_judged(with_symbols, "builds.directory");
}

TEST(JudgeSettings, hands_the_forced_places_of_an_interpreter_on) {
  settings::Settings settings;
  EXPECT_FALSE(judge_settings(settings)->layouts.forced_places().any());
  settings.builds.force_registers = {"E=rsp+8"};
  const auto judged = judge_settings(settings);
  ASSERT_TRUE(judged) << judged.error().text;
  const auto& forced = judged->layouts.forced_places();
  EXPECT_EQ(forced.stack, beam::InterpreterPlace(os::UserRegisters::rsp, 8));
  EXPECT_FALSE(forced.instruction);
}

TEST(JudgeSettings, refuses_a_forced_place_that_is_none) {
  settings::Settings settings;
  settings.builds.force_registers = {"E=rsp+8", "c_p=r13"};
  expect_refused(settings, "builds.force_registers: 'c_p=r13' is not needed");
}

}  // namespace
}  // namespace beam_exporter::commands
