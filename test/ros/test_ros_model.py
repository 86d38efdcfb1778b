"""A crane that is a URDF, driven by the node."""

import pytest

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")
pytest.importorskip("mujoco", reason="needs mujoco (extra `models`)")

from sensor_msgs.msg import JointState

from cable_sim.ros import interface

START_DEADLINE = 300.0
"""Until a node is ready [s]: it may have to compile its kernels."""
JIB = """<robot name="jib_crane">
  <link name="column"/>
  <link name="jib">
    <inertial><origin xyz="2 0 0"/><mass value="120"/>
      <inertia ixx="1" iyy="160" izz="160" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="slewing" type="revolute">
    <parent link="column"/><child link="jib"/><origin xyz="0 0 3"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="500" velocity="0.5"/><dynamics damping="20"/>
  </joint>
  <ros2_control name="crane" type="system">
    <joint name="slewing"><command_interface name="velocity"/></joint>
  </ros2_control>
</robot>
"""


def test_a_node_drives_the_joints_that_a_urdf_names(tmp_path, start_node, probe) -> None:
    """By the joint's name in joint_commands; the coordinate follows at the speed of the command."""
    path = tmp_path / "jib.urdf"
    path.write_text(JIB)
    node = start_node(crane_config=str(path))
    states = probe.listen(interface.JOINT_STATES)
    probe.until(lambda: states or not node.alive(), "joint states", START_DEADLINE)
    assert node.alive(), node.said()
    out = probe.publisher(interface.JOINT_COMMANDS)
    command = JointState(name=["slewing"], velocity=[0.3])

    def turns() -> bool:
        last = states[-1]
        place = list(last.name).index("slewing")
        return last.position[place] > 0.05 and abs(last.velocity[place] - 0.3) < 0.01

    assert probe.until(turns, "the jib that turns", every=lambda: out.publish(command))
    assert node.end() == 0
