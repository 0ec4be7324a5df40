# Runs on each build, because a commit changes the revision without a new configure. The test for .git is
# for a release that was unpacked inside another repository: it must not report the revision of that one.
if(NOT REVISION AND EXISTS ${SOURCE_DIR}/.git)
  execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${SOURCE_DIR}
                  OUTPUT_VARIABLE REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
endif()
if(NOT REVISION)
  set(REVISION unknown)
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
