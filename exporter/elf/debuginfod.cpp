#include "elf/debuginfod.h"

#include <dlfcn.h>
#include <elfutils/debuginfod.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>

#include "os/unique_fd.h"

namespace beam_exporter::elf::debuginfod {

namespace {

struct Library {
  decltype(&debuginfod_begin) begin = nullptr;
  decltype(&debuginfod_end) end = nullptr;
  decltype(&debuginfod_find_debuginfo) find = nullptr;
  decltype(&debuginfod_set_progressfn) set_progress = nullptr;
  decltype(&debuginfod_set_user_data) set_user_data = nullptr;
  decltype(&debuginfod_get_user_data) user_data = nullptr;
};

template <class Function>
bool find_function(void* library, const char* name, Function& into) {
  into = reinterpret_cast<Function>(::dlsym(library, name));
  return into != nullptr;
}

os::Result<Library> load() {
  // Never closed: libcurl does not survive it everywhere.
  void* file = ::dlopen(DEBUGINFOD_SONAME, RTLD_NOW | RTLD_LOCAL);
  Library all;
  if (file != nullptr && find_function(file, "debuginfod_begin", all.begin) &&
      find_function(file, "debuginfod_end", all.end) &&
      find_function(file, "debuginfod_find_debuginfo", all.find) &&
      find_function(file, "debuginfod_set_progressfn", all.set_progress) &&
      find_function(file, "debuginfod_set_user_data", all.set_user_data) &&
      find_function(file, "debuginfod_get_user_data", all.user_data))
    return all;
  const std::string reason = ::dlerror();  // a thread's own. NOLINT(concurrency-mt-unsafe)
  return os::Error{
      os::ErrorKind::not_found,
      reason + "; install libdebuginfod (package libdebuginfod1 of Debian and Ubuntu)"};
}

const os::Result<Library>& library() {
  static const os::Result<Library> loaded = load();
  return loaded;
}

using GoOn = std::function<bool()>;

int on_progress(debuginfod_client* client, long, long) {
  return (*static_cast<const GoOn*>(library()->user_data(client)))() ? 0 : 1;
}

os::Error refusal(int error) {
  return {os::ErrorKind::system, "debuginfod: " + std::generic_category().message(error)};
}

}  // namespace

void use_servers(const std::string& urls) {
  // The header asks for one thread. NOLINTNEXTLINE(concurrency-mt-unsafe)
  ::setenv(DEBUGINFOD_URLS_ENV_VAR, urls.c_str(), 1);
}

os::Status usable() {
  if (!library()) return library().error();
  return os::Done{};
}

os::Result<std::string> fetch(const std::string& build_id, const GoOn& go_on) {
  if (!library()) return library().error();
  const std::unique_ptr<debuginfod_client, decltype(&debuginfod_end)> client(library()->begin(),
                                                                             library()->end);
  if (client == nullptr) return refusal(errno);
  library()->set_user_data(client.get(), const_cast<GoOn*>(&go_on));
  library()->set_progress(client.get(), on_progress);
  char* path = nullptr;
  const auto* id = reinterpret_cast<const unsigned char*>(build_id.c_str());
  const int answer = library()->find(client.get(), id, 0, &path);  // 0: the id is text
  const os::UniqueFd file(answer);
  const std::unique_ptr<char, decltype(&::free)> found(path, ::free);
  if (file && found != nullptr) return std::string(found.get());
  if (answer == -ENOENT)
    return os::Error{os::ErrorKind::not_found, "no debuginfod server has build " + build_id};
  return refusal(-answer);
}

}  // namespace beam_exporter::elf::debuginfod
