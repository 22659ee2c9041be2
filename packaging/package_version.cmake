# SPDX-License-Identifier: GPL-2.0-or-later
# The version of a package, when it is made: the project's at its tag (v0.1.0), and before that one that sorts below it
# and names the commit: 0.1.0~git20261122.0123abcd.
find_program(git git)
if(git)
  execute_process(COMMAND ${git} --no-optional-locks describe --exact-match --tags --match "v${CPACK_PACKAGE_VERSION}"
    WORKING_DIRECTORY ${CPACK_PLANAR_SOURCE} RESULT_VARIABLE untagged OUTPUT_QUIET ERROR_QUIET)
  execute_process(COMMAND ${git} --no-optional-locks log -1 --format=%cd.%h --date=format:%Y%m%d --abbrev=8
    WORKING_DIRECTORY ${CPACK_PLANAR_SOURCE} RESULT_VARIABLE failed OUTPUT_VARIABLE commit ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(untagged AND NOT failed)
    string(APPEND CPACK_PACKAGE_VERSION "~git${commit}")
  endif()
endif()
set(CPACK_PACKAGE_FILE_NAME "planar-${CPACK_PACKAGE_VERSION}-${CPACK_SYSTEM_NAME}")
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
endif()
