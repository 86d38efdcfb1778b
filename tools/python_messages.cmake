# For where there are no C++ nodes, as with the wheels, which have no rclcpp: generate messages for Python alone. What only C++
# needs of them is left out, and what is left is compiled with few looks at the same headers; together a third of the time.
#
# rosidl_generate_interfaces_for_python(...): to be called in place of rosidl_generate_interfaces, with the same arguments.
macro(rosidl_generate_interfaces_for_python target)
  set(cpp rosidl_generator_cpp rosidl_typesupport_cpp rosidl_typesupport_introspection_cpp rosidl_typesupport_fastrtps_cpp)
  foreach(generator ${cpp})
    list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "^${generator}:")
  endforeach()
  rosidl_generate_interfaces(${target} ${ARGN})
  foreach(kind c fastrtps_c introspection_c)
    set(support ${target}__rosidl_typesupport_${kind})
    if(TARGET ${support})
      set_target_properties(${support} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    endif()
  endforeach()
endmacro()
