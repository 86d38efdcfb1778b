# A workspace with this package on a ROS 2 distribution, made as docs/howto/workspace.md says:
#     docker build -t cable_sim .                                (--build-arg ROS_DISTRO=kilted for another one)
#     docker run --rm -it --network host --ipc host cable_sim    (the page's address and code are in its log)
# The first stage alone, without the sources, is that of .devcontainer.
ARG ROS_DISTRO=jazzy
FROM ros:${ROS_DISTRO}-ros-base AS dependencies
SHELL ["/bin/bash", "-c"]
WORKDIR /ws
COPY package.xml src/cable_sim/
COPY requirements src/cable_sim/requirements
RUN . /opt/ros/$ROS_DISTRO/setup.bash \
    && apt-get update \
    && apt-get install -y --no-install-recommends python3-venv g++ \
    && rosdep update \
    && rosdep install --from-paths src --ignore-src -y \
    && rm -rf /var/lib/apt/lists/*
# Not in the sources, where a dev container mounts the checkout.
RUN python3 -m venv --system-site-packages /opt/cable_sim \
    && /opt/cable_sim/bin/pip install --no-cache-dir -r src/cable_sim/requirements/beside_ros.txt

FROM dependencies AS workspace
COPY . src/cable_sim
RUN . /opt/ros/$ROS_DISTRO/setup.bash \
    && colcon build --cmake-args -DCABLE_SIM_PYTHON=/opt/cable_sim/bin/python
CMD ["/bin/bash", "-c", ". install/setup.bash && exec ros2 launch cable_sim tower_crane.launch.py viewer:=true"]
