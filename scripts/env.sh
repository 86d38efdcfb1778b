# shellcheck shell=bash
# The environment of the project, to be sourced by bash: `. scripts/env.sh`
# Afterwards python, pytest, colcon and cable-sim are the project's, and rclpy finds the project's messages.

_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

export VIRTUAL_ENV=$_root/.venv
case ":$PATH:" in
  *":$VIRTUAL_ENV/bin:"*) ;;
  *) export PATH=$VIRTUAL_ENV/bin:$PATH ;;
esac
# Where Python may write no bytecode, as in many containers, it compiles two thousand modules at every start of a node, which is
# more than half of it. Bytecode in build/ leaves the sources alone.
if [ -n "${PYTHONDONTWRITEBYTECODE:-}" ]; then
  unset PYTHONDONTWRITEBYTECODE
  export PYTHONPYCACHEPREFIX=${PYTHONPYCACHEPREFIX:-$_root/build/bytecode}
fi
# The wheels' guard: set by a Python of another checkout it would keep ours from finding its libraries.
unset PYTHONHOME _ROS_WHEELS_BOOTSTRAP_COMPLETE

# The wheels put ROS into the venv itself; with a distribution there is nothing of it there.
if [ -d "$VIRTUAL_ENV/share/ament_index" ]; then
  case ":${AMENT_PREFIX_PATH:-}:" in
    *":$VIRTUAL_ENV:"*) ;;
    *)
      export AMENT_PREFIX_PATH=$VIRTUAL_ENV${AMENT_PREFIX_PATH:+:$AMENT_PREFIX_PATH}
      export CMAKE_PREFIX_PATH=$VIRTUAL_ENV${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
      ;;
  esac
fi

# Which wheels those are; a distribution has set it itself.
if [ -f "$VIRTUAL_ENV/ros_distro" ]; then
  ROS_DISTRO=$(<"$VIRTUAL_ENV/ros_distro")
  export ROS_DISTRO
fi

# A simulated crane should not answer, nor obey, the neighbour's network unless asked to. A file tells the wheels' Fast DDS so:
# LOCALHOST brings shared memory, which may stop a publisher for a third of a second. Jazzy's reads another variable.
case ${FASTDDS_DEFAULT_PROFILES_FILE:-} in
  */config/fastdds_udp.xml) # set here before, maybe by another checkout
    unset FASTDDS_DEFAULT_PROFILES_FILE FASTRTPS_DEFAULT_PROFILES_FILE
    [ "${ROS_AUTOMATIC_DISCOVERY_RANGE:-}" != SYSTEM_DEFAULT ] || unset ROS_AUTOMATIC_DISCOVERY_RANGE
    ;;
esac
if [ -z "${ROS_AUTOMATIC_DISCOVERY_RANGE:-}" ]; then
  export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST
  if [ -d "$VIRTUAL_ENV/share/ament_index" ] && [ -z "${FASTDDS_DEFAULT_PROFILES_FILE:-}" ] &&
    [ "${RMW_IMPLEMENTATION:-rmw_fastrtps_cpp}" = rmw_fastrtps_cpp ]; then
    export ROS_AUTOMATIC_DISCOVERY_RANGE=SYSTEM_DEFAULT
    export FASTDDS_DEFAULT_PROFILES_FILE=$_root/config/fastdds_udp.xml
    [ "${ROS_DISTRO:-}" != jazzy ] || export FASTRTPS_DEFAULT_PROFILES_FILE=$FASTDDS_DEFAULT_PROFILES_FILE
  fi
fi

if [ -f "$_root/install/local_setup.bash" ]; then
  case $- in *u*) _had_u=1 ;; *) _had_u= ;; esac
  set +u # colcon's scripts read variables that may not exist
  # shellcheck disable=SC1091
  . "$_root/install/local_setup.bash"
  [ -z "$_had_u" ] || set -u
  unset _had_u
fi

# The checkout before its installed copy: a new module counts at once, and `import cable_sim` still finds the generated
# messages, because the package extends its own path.
case "${PYTHONPATH:-}:" in
  "$_root:"*) ;;
  *) export PYTHONPATH=$_root${PYTHONPATH:+:$PYTHONPATH} ;;
esac
unset _root
