#include "beam/code/machine_instruction.h"

#include <cstring>

#include "beam/code/machine_registers.h"

namespace beam_exporter::beam {

namespace {

class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> bytes) : bytes_(bytes) {}

  MachineInstruction decode() const {
    MachineInstruction out;
    if ((byte(0) & 0xf8U) != 0x48) return out;
    const unsigned opcode = byte(1), modrm = byte(2), mod = modrm >> 6;
    const auto reg = numbered((modrm >> 3) & 7U, 4), rm = numbered(modrm & 7U, 1);
    if (opcode == 0x83 && mod == 3 && (modrm & 0x38U) == 0)
      return {MachineInstruction::Kind::add, 4, rm, rm, extended(byte(3))};
    if (opcode != 0x8b && opcode != 0x89 && opcode != 0x8d) return out;
    if (mod == 3)
      return opcode == 0x8b   ? MachineInstruction{MachineInstruction::Kind::copy, 3, reg, rm}
             : opcode == 0x89 ? MachineInstruction{MachineInstruction::Kind::copy, 3, rm, reg}
                              : out;
    out.kind = opcode == 0x8b   ? MachineInstruction::Kind::load
               : opcode == 0x89 ? MachineInstruction::Kind::store
                                : MachineInstruction::Kind::address;
    out.reg = reg;
    return with_memory(out, modrm, mod);
  }

 private:
  static std::int32_t extended(unsigned byte) {
    return static_cast<std::int32_t>(byte ^ 0x80U) - 0x80;
  }
  unsigned byte(std::size_t k) const {
    return k < bytes_.size() ? std::to_integer<unsigned>(bytes_[k]) : 0;
  }
  os::UserRegisters::Index numbered(unsigned low, unsigned extension) const {
    return register_by_number[low | ((byte(0) & extension) != 0 ? 8U : 0U)];
  }

  // [base + displacement]
  MachineInstruction with_memory(MachineInstruction out, unsigned modrm, unsigned mod) const {
    std::size_t at = 3;
    unsigned base = modrm & 7U;
    if (base == 4) {
      const unsigned sib = byte(at++);
      base = sib & 7U;
      if (((sib >> 3) & 7U) != 4 || (byte(0) & 2U) != 0) return indexed(out);
    }
    if (mod == 0 && base == 5) return indexed(out);
    out.base = numbered(base, 1);
    if (mod == 1) out.displacement = extended(byte(at++));
    if (mod == 2) {
      if (at + sizeof out.displacement > bytes_.size()) return {};
      std::memcpy(&out.displacement, &bytes_[at], sizeof out.displacement);
      at += sizeof out.displacement;
    }
    out.length = at;
    return out;
  }
  static MachineInstruction indexed(MachineInstruction out) {
    if (out.kind == MachineInstruction::Kind::store) return {};
    return {MachineInstruction::Kind::change, 1, out.reg, out.reg};
  }

  std::span<const std::byte> bytes_;
};

}  // namespace

MachineInstruction decode(std::span<const std::byte> code) { return Decoder(code).decode(); }

}  // namespace beam_exporter::beam
