#include "os/rights/access_refusal.h"

#include <linux/capability.h>
#include <sys/stat.h>

#include <fstream>
#include <ios>
#include <sstream>

#include "os/kernel_setting.h"

namespace beam_exporter::os {

namespace {

constexpr std::uint64_t sys_ptrace = std::uint64_t{1} << CAP_SYS_PTRACE,
                        sys_admin = std::uint64_t{1} << CAP_SYS_ADMIN;

std::optional<Credentials> credentials(const std::string& process) {
  std::ifstream status("/proc/" + process + "/status");
  Credentials found;
  int fields = 0;
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string name, real;
    words >> name;
    if (name == "Uid:") fields += bool(words >> real >> found.user);
    if (name == "Gid:") fields += bool(words >> real >> found.group);
    words >> std::hex;
    if (name == "CapPrm:") fields += bool(words >> found.permitted);
    if (name == "CapEff:") fields += bool(words >> found.effective);
    if (name == "CapBnd:") fields += bool(words >> found.bounding);
  }
  constexpr int all_fields = 5;
  return fields == all_fields ? std::optional(found) : std::nullopt;
}

// The files of a process that is not dumpable belong to root (task_dump_owner, fs/proc/base.c).
bool dumpable(const std::string& process, uid_t user) {
  struct stat file {};
  return ::stat(("/proc/" + process + "/stat").c_str(), &file) != 0 || file.st_uid == user;
}

std::string named(const Credentials& who) {
  return "user " + std::to_string(who.user) + ", group " + std::to_string(who.group);
}

// How to get CAP_SYS_PTRACE. Container runtimes put added capabilities into the effective set for
// root alone; for other users these are only in the bounding set. On a host, and in a privileged
// container, the bounding set has CAP_SYS_ADMIN too.
std::string missing_capability(const Credentials& own) {
  if (own.user == 0) return "add CAP_SYS_PTRACE";
  if ((own.bounding & sys_ptrace) == 0) return "add CAP_SYS_PTRACE and run as root";
  if ((own.bounding & sys_admin) != 0) return "run as root, or add CAP_SYS_PTRACE";
  return "run as root (the CAP_SYS_PTRACE that this container was given has no effect for user " +
         std::to_string(own.user) + ")";
}

std::string yama(int scope) { return "kernel.yama.ptrace_scope is " + std::to_string(scope); }

constexpr int scope_for_nobody = 3;

}  // namespace

std::optional<AccessFacts> access_facts(pid_t target) {
  const std::string process = std::to_string(target);
  const auto own = credentials("self"), other = credentials(process);
  if (!own || !other) return std::nullopt;
  return AccessFacts{
      .own = *own,
      .target = *other,
      .target_dumpable = dumpable(process, other->user),
      .ptrace_scope = kernel_setting("/proc/sys/kernel/yama/ptrace_scope").value_or(0)};
}

std::string why_refused(const AccessFacts& facts) {
  const auto& [own, target, is_dumpable, scope] = facts;
  const std::string module = "a security module (AppArmor, SELinux) or a user namespace forbids it";
  if (scope >= scope_for_nobody)
    return yama(scope) + ", which forbids it to everybody: boot with a lower value";
  if ((own.effective & sys_ptrace) != 0) return module + ", though CAP_SYS_PTRACE is held";
  const std::string fix = missing_capability(own);
  if (own.user != target.user || own.group != target.group)
    return "it runs as " + named(target) + ", the exporter as " + named(own) +
           ": run as the VM's user and group, or " + fix;
  if ((target.permitted & ~own.effective) != 0)
    return "it holds capabilities that the exporter does not: " + fix +
           ", or take them from the VM";
  if (!is_dumpable)
    return "it is not dumpable (its user may not read its executable, or it changed its user): " +
           fix;
  if (scope > 0) return yama(scope) + ": " + fix + ", or set it to 0";
  return module + ": " + fix;
}

}  // namespace beam_exporter::os
