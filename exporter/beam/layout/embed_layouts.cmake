# cmake -D FOLDER=config/layouts -D OUTPUT=embedded_layouts.cpp -P embed_layouts.cmake
# Writes the layout files as string literals, so that the binary alone knows its releases.
file(GLOB files ${FOLDER}/*.yaml)
list(SORT files)
set(entries "")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME_WLE)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"layout(${text})layout\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"beam/layout/embedded_layouts.h\"

namespace beam_exporter::beam {

std::span<const EmbeddedLayout> embedded_layouts() {
  static constexpr EmbeddedLayout layouts[] = {
${entries}  };
  return layouts;
}

}  // namespace beam_exporter::beam
")
