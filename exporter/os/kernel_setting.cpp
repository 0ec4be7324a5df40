#include "os/kernel_setting.h"

#include <fstream>

namespace beam_exporter::os {

std::optional<int> kernel_setting(const char* path) {
  int number = 0;
  if (std::ifstream(path) >> number) return number;
  return std::nullopt;
}

}  // namespace beam_exporter::os
