# Makes a source of files: cmake -DFILES=A;B -DFUNCTION=beam::embedded_layouts -DHEADER= -DOUTPUT= -P embed_files.cmake
set(rows "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  string(TOLOWER ${name} name)
  file(READ ${file} text)
  string(APPEND rows "    {\"${name}\", R\"file(${text})file\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

std::span<const beam_exporter::text::EmbeddedFile> beam_exporter::${FUNCTION}() {
  static constexpr text::EmbeddedFile files[] = {
${rows}  };
  return files;
}
")
