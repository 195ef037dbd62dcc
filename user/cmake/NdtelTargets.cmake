# SPDX-License-Identifier: Apache-2.0
#
# What every target of the tree shares: warnings, sanitizers, static linking, and the helpers that declare targets.

add_compile_options(-Wall -Wextra -Werror)

if(NDTEL_SANITIZE)
  foreach(sanitizer IN LISTS NDTEL_SANITIZE)
    if(NOT sanitizer MATCHES "^(address|undefined|thread)$")
      message(FATAL_ERROR "NDTEL_SANITIZE: '${sanitizer}' is none of address, undefined, thread")
    endif()
  endforeach()
  if("thread" IN_LIST NDTEL_SANITIZE AND NOT NDTEL_SANITIZE STREQUAL "thread")
    message(FATAL_ERROR "NDTEL_SANITIZE: thread cannot be combined with '${NDTEL_SANITIZE}'")
  endif()
  if(NDTEL_STATIC)
    message(FATAL_ERROR "NDTEL_SANITIZE needs shared libraries: switch NDTEL_STATIC off")
  endif()
  list(JOIN NDTEL_SANITIZE "," sanitizer_list)
  add_compile_options(-fsanitize=${sanitizer_list} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizer_list})
  # What gcc defines of itself.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    foreach(sanitizer IN LISTS NDTEL_SANITIZE)
      string(TOUPPER __SANITIZE_${sanitizer}__ macro)
      add_compile_definitions(${macro}=1)
    endforeach()
  endif()
endif()

if(NDTEL_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR NDTEL_SANITIZE OR NDTEL_STATIC)
    message(FATAL_ERROR "NDTEL_FUZZ needs clang, no NDTEL_SANITIZE and NDTEL_STATIC switched off")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# Adds a folder when its author has given it a CMakeLists.txt, so that every part of the tree builds alone.
function(ndtel_add_subdirectory folder)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
endfunction()

# ndtel_add_library(<name> SOURCES ... [PUBLIC libs...] [PRIVATE libs...]): a static library with our public headers.
function(ndtel_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  # Builds that look for mistakes parse the large headers once a library; its files alone are compiled by the others.
  if((NDTEL_SANITIZE OR NDTEL_FUZZ) AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endif()
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/user/include)
  target_compile_definitions(${name} PRIVATE NDTEL_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${name} PUBLIC ndtel_uapi ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
endfunction()

# ndtel_add_executable(<name> SOURCES ... [LIBS ...]): a program; static when NDTEL_STATIC is on.
function(ndtel_add_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_compile_definitions(${name} PRIVATE NDTEL_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} Threads::Threads)
  if(NDTEL_STATIC)
    target_link_options(${name} PRIVATE -static)
  endif()
endfunction()

set(NDTEL_TEST_TIMEOUT 300 CACHE STRING "Seconds after which a test has failed")

# ndtel_add_test(<name> SOURCES ... [LIBS ...]): a googletest program whose cases ctest runs one by one.
function(ndtel_add_test name)
  ndtel_add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${NDTEL_TEST_TIMEOUT})
endfunction()
