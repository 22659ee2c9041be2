# SPDX-License-Identifier: GPL-2.0-or-later
# Writes OUTPUT with the commit of the tree at SOURCE, unless it says so already. Run at every build.
set(commit "unknown")
find_program(git git)
if(git)
  execute_process(COMMAND ${git} --no-optional-locks describe --always --abbrev=40 --exclude=* --dirty=+changes
    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE said RESULT_VARIABLE status ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(status EQUAL 0)
    set(commit ${said})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define PLANAR_COMMIT \"${commit}\"\n")
