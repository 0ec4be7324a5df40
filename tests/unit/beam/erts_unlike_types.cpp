// A VM whose Process has lost everything we read, and whose version is none: built as a library of
// its own.
#include <cstdint>

struct Process {
  std::uint64_t something_else;
};
[[gnu::used]] Process* process = nullptr;

extern "C" {
[[gnu::used]] extern const char etp_otp_release[] = "99\nsecond line";
[[gnu::used]] extern const char etp_erts_version[] = "99.1.2";
}
