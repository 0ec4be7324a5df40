#include "elf/core_file.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/procfs.h>
#include <unistd.h>

#include <cstring>
#include <random>

namespace beam_exporter::elf {
namespace {

using ::testing::HasSubstr;

template <class T>
void append(std::string& text, const T& value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// A core as the kernel writes it: three mappings, of which the second was not dumped.
struct SmallCore {
  static constexpr os::Address begin = 0x10000;
  Elf64_Half type = ET_CORE;
  std::vector<Elf64_Phdr> mappings = {mapping(begin, 0x1000, 0x1000, PF_R | PF_W),
                                      mapping(begin + 0x1000, 0x2000, 0, PF_R | PF_X),
                                      mapping(begin + 0x3000, 0x1000, 0x1000, PF_R | PF_W)};

  static Elf64_Phdr mapping(os::Address at, std::uint64_t size, std::uint64_t dumped,
                            Elf64_Word flags) {
    return {.p_type = PT_LOAD,
            .p_flags = flags,
            .p_offset = 0,
            .p_vaddr = at,
            .p_paddr = 0,
            .p_filesz = dumped,
            .p_memsz = size,
            .p_align = 4096};
  }

  static void add_note(std::string& notes, Elf64_Word type, const std::string& content) {
    append(notes, Elf64_Nhdr{5, static_cast<Elf64_Word>(content.size()), type});
    notes.append("CORE\0\0\0\0", 8);
    notes += content;
    notes.resize((notes.size() + 3) / 4 * 4);
  }

  static std::string notes() {
    std::string out, info, files;
    elf_prpsinfo process{};
    process.pr_pid = 4711;
    append(info, process);
    add_note(out, NT_PRPSINFO, info);
    for (const std::uint64_t word :
         {std::uint64_t{1}, std::uint64_t{4096}, begin + 0x1000, begin + 0x3000, std::uint64_t{0}})
      append(files, word);
    add_note(out, NT_FILE, files + std::string("/usr/bin/beam.smp", 18));
    return out;
  }

  std::string content() const {
    const std::string told = notes();
    const std::size_t headers = sizeof(Elf64_Ehdr) + (mappings.size() + 1) * sizeof(Elf64_Phdr);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = header.e_version = EV_CURRENT;
    header.e_type = type;
    header.e_machine = EM_X86_64;
    header.e_phoff = header.e_ehsize = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = static_cast<Elf64_Half>(mappings.size() + 1);
    std::string out, bodies;
    append(out, header);
    append(out, Elf64_Phdr{.p_type = PT_NOTE,
                           .p_flags = 0,
                           .p_offset = headers,
                           .p_vaddr = 0,
                           .p_paddr = 0,
                           .p_filesz = told.size(),
                           .p_memsz = 0,
                           .p_align = 4});
    char letter = 'a';
    for (auto one : mappings) {
      one.p_offset = headers + told.size() + bodies.size();
      append(out, one);
      bodies += std::string(one.p_filesz, letter++);
    }
    return out + told + bodies;
  }
};

os::Result<CoreFile> core_of(const std::string& content) {
  const os::UniqueFd file(::memfd_create("core", MFD_CLOEXEC));
  EXPECT_EQ(::write(file.get(), content.data(), content.size()),
            static_cast<ssize_t>(content.size()));
  return CoreFile::open("/proc/self/fd/" + std::to_string(file.get()));
}

TEST(CoreFile, has_the_memory_that_was_dumped_and_no_other) {
  const auto core = core_of(SmallCore().content());
  ASSERT_TRUE(core) << core.error().text;
  EXPECT_EQ(core->value<char>(SmallCore::begin), 'a');
  EXPECT_EQ(core->value<char>(SmallCore::begin + 0x3fff), 'c');
  EXPECT_EQ(core->value<char>(SmallCore::begin + 0x4000), std::nullopt);
  EXPECT_EQ(core->value<char>(SmallCore::begin + 0x1000), std::nullopt);
  EXPECT_EQ(core->value<std::uint64_t>(SmallCore::begin + 0xffc), std::nullopt) << "half of it";
  EXPECT_EQ(core->value<char>(0), std::nullopt);
  EXPECT_EQ(core->missing_bytes(), 0u);
}

TEST(CoreFile, a_read_may_span_mappings) {
  SmallCore small;
  small.mappings = {SmallCore::mapping(0x1000, 0x1000, 0x1000, PF_R),
                    SmallCore::mapping(0x2000, 0x1000, 0x1000, PF_R)};
  const auto core = core_of(small.content());
  ASSERT_TRUE(core);
  EXPECT_EQ(core->value<std::uint32_t>(0x1ffe), 0x62626161u);
}

TEST(CoreFile, tells_the_process_and_its_mappings) {
  const auto core = core_of(SmallCore().content());
  ASSERT_TRUE(core);
  EXPECT_EQ(core->pid(), 4711);
  const auto& mappings = core->map().mappings();
  ASSERT_EQ(mappings.size(), 3u);
  EXPECT_EQ(mappings[1].path, "/usr/bin/beam.smp");
  EXPECT_NE(mappings[1].inode, 0u);
  EXPECT_TRUE(mappings[1].executable);
  EXPECT_FALSE(mappings[1].writable);
  EXPECT_EQ(mappings[0].inode, 0u);
}

TEST(CoreFile, says_how_much_a_limit_has_cut_off) {
  auto content = SmallCore().content();
  content.resize(content.size() - 0x1800);
  const auto core = core_of(content);
  ASSERT_TRUE(core);
  EXPECT_EQ(core->missing_bytes(), 0x1800u);
  EXPECT_EQ(core->value<char>(SmallCore::begin + 0x7ff), 'a');
  EXPECT_EQ(core->value<char>(SmallCore::begin + 0x800), std::nullopt);
  EXPECT_EQ(core->value<char>(SmallCore::begin + 0x3000), std::nullopt);
}

TEST(CoreFile, refuses_what_is_no_core) {
  SmallCore program;
  program.type = ET_EXEC;
  EXPECT_THAT(core_of(program.content()).error().text, HasSubstr("not a core file"));
  EXPECT_THAT(core_of("\x28\xb5\x2f\xfd").error().text, HasSubstr("zstd -d"));
  SmallCore twice;
  twice.mappings.push_back(twice.mappings.front());
  EXPECT_THAT(core_of(twice.content()).error().text, HasSubstr("overlap"));
  SmallCore endless;
  endless.mappings[2].p_memsz = ~std::uint64_t{0};
  EXPECT_THAT(core_of(endless.content()).error().text, HasSubstr("impossible bounds"));
  EXPECT_EQ(CoreFile::open("/nonexistent/core").error().kind, os::ErrorKind::not_found);
}

TEST(CoreFile, survives_any_change_of_its_headers) {
  const auto whole = SmallCore().content();
  const std::size_t headers = whole.size() - 0x2000;
  std::mt19937 random(17);
  for (int round = 0; round < 3000; ++round) {
    auto content = whole;
    content[random() % headers] = static_cast<char>(random());
    if (round % 3 == 0) content.resize(random() % content.size());
    const auto core = core_of(content);
    if (!core) continue;
    (void)core->value<std::uint64_t>(SmallCore::begin + (random() % 0x4000));
    (void)core->value<std::uint64_t>(random());
  }
}

}  // namespace
}  // namespace beam_exporter::elf
