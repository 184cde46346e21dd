# Puts tenon's kernels into each of ggml's libraries for CPUs. "make libllama" has CMake include this file behind ggml's
# project(): the libraries exist when ggml's folders have been read, so the work is deferred until then.
#
# Each library is compiled for a CPU of its own, and so are the kernels in it: ggml picks the library when it starts.

if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    return()
endif()

file(GLOB TENON_KERNELS ${CMAKE_CURRENT_LIST_DIR}/attention*_linux.cpp ${CMAKE_CURRENT_LIST_DIR}/products*_linux.cpp
    ${CMAKE_CURRENT_LIST_DIR}/activations_linux.cpp)
set(TENON_WRAPPED ggml_compute_forward_flash_attn_ext llamafile_sgemm ggml_cpu_extra_compute_forward
    ggml_compute_forward_rms_norm ggml_compute_forward_rms_norm_mul_fused ggml_compute_forward_glu quantize_row_q8_K)

function(tenon_add_kernels)
    get_property(targets DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/src PROPERTY BUILDSYSTEM_TARGETS)
    list(FILTER targets INCLUDE REGEX "^ggml-cpu")
    list(FILTER targets EXCLUDE REGEX "-feats$") # what tells whether a CPU suits
    foreach(target ${targets})
        message(STATUS "Adding tenon's kernels to ${target}")
        target_sources(${target} PRIVATE ${TENON_KERNELS})
        foreach(function ${TENON_WRAPPED})
            target_link_options(${target} PRIVATE -Wl,--wrap=${function})
        endforeach()
    endforeach()
endfunction()

cmake_language(DEFER CALL tenon_add_kernels)
