#include "profile/application.h"

#include <gtest/gtest.h>

namespace beam_exporter::profile {
namespace {

TEST(Application, of_erlang_and_elixir_is_the_first_part_of_the_modules_name) {
  const auto erlang = [](const char* module) {
    return application_of({FunctionKind::erlang, false, module, "f/1", ""});
  };
  EXPECT_EQ(erlang("rabbit_channel"), "rabbit");
  EXPECT_EQ(erlang("lists"), "lists");
  EXPECT_EQ(erlang("_hidden"), "_hidden");
  EXPECT_EQ(erlang("MyApp.Repo_x"), "MyApp.Repo") << "an Erlang module may be named so";
  const auto elixir = [](const char* module) {
    return application_of({FunctionKind::erlang, true, module, "f/1", ""});
  };
  EXPECT_EQ(elixir("MyApp.Repo.Users"), "MyApp");
  EXPECT_EQ(elixir("My_App"), "My_App");
}

TEST(Application, of_what_is_written_in_c_is_its_kind) {
  EXPECT_EQ(application_of({FunctionKind::bif, false, "ets", "lookup/2", ""}), "BIF");
  EXPECT_EQ(application_of({FunctionKind::nif, false, "crypto", "hash/2", ""}), "NIF");
  EXPECT_EQ(application_of({FunctionKind::native, false, "", "copy_struct", ""}), "C");
  EXPECT_EQ(application_of({FunctionKind::kernel, false, "", "vfs_read", ""}), "kernel");
  EXPECT_EQ(application_of({FunctionKind::other, false, "", "signals", ""}), "other");
}

}  // namespace
}  // namespace beam_exporter::profile
