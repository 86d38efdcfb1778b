"""Small models of URDF, SDF and MJCF for the tests of this folder."""

ARM_URDF = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base">
    <collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision>
  </link>
  <link name="upper_arm">
    <inertial><origin xyz="0.02 0 0.4" rpy="0.1 0.2 0.3"/><mass value="8"/>
      <inertia ixx="0.43" iyy="0.41" izz="0.03" ixy="0.01" ixz="-0.02" iyz="0.005"/></inertial>
    <visual><geometry><cylinder radius="0.05" length="0.8"/></geometry></visual>
    <collision><geometry><box size="0.1 0.1 0.8"/></geometry></collision>
  </link>
  <link name="forearm">
    <inertial><origin xyz="0 0.01 0.3"/><mass value="5"/>
      <inertia ixx="0.15" iyy="0.15" izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="flange">
    <inertial><mass value="0.5"/>
      <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper_arm"/><origin xyz="0 0 0.5" rpy="0 0 0.4"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="1.5" effort="400" velocity="1"/>
    <dynamics damping="0.5" friction="0.25"/>
  </joint>
  <joint name="elbow" type="continuous">
    <parent link="upper_arm"/><child link="forearm"/><origin xyz="0 0 0.8" rpy="0 0.3 0"/>
    <axis xyz="0.6 0 0.8"/><dynamics damping="0.2"/>
  </joint>
  <joint name="weld" type="fixed">
    <parent link="forearm"/><child link="flange"/><origin xyz="0 0 0.6"/>
  </joint>
  <joint name="tip" type="fixed"><parent link="flange"/><child link="tool"/></joint>
  <ros2_control name="arm" type="system">
    <joint name="shoulder"><command_interface name="position"/></joint>
    <joint name="elbow"><command_interface name="effort"/></joint>
  </ros2_control>
  <gazebo reference="forearm"/>
</robot>
"""

ARM_SDF = """<?xml version="1.0"?>
<sdf version="1.7">
  <model name="arm">
    <pose>0 0 0.5 0 0 0.4</pose>
    <link name="upper_arm">
      <inertial><pose>0.02 0 0.4 0.1 0.2 0.3</pose><mass>8</mass>
        <inertia><ixx>0.43</ixx><ixy>0.01</ixy><ixz>-0.02</ixz><iyy>0.41</iyy><iyz>0.005</iyz>
          <izz>0.03</izz></inertia></inertial>
      <collision name="tube"><geometry><cylinder><radius>0.05</radius><length>0.8</length>
        </cylinder></geometry><surface><friction><ode><mu>0.3</mu></ode></friction></surface>
      </collision>
      <sensor name="imu" type="imu"/>
    </link>
    <link name="forearm">
      <pose relative_to="elbow">0 0 0 0 0 0</pose>
      <inertial><pose>0 0.01 0.3 0 0 0</pose><mass>5</mass>
        <inertia><ixx>0.15</ixx><ixy>0</ixy><ixz>0</ixz><iyy>0.15</iyy><iyz>0</iyz>
          <izz>0.005</izz></inertia></inertial>
    </link>
    <joint name="shoulder" type="revolute">
      <parent>world</parent><child>upper_arm</child>
      <axis><xyz>0 1 0</xyz><limit><lower>-2</lower><upper>1.5</upper></limit>
        <dynamics><damping>0.5</damping><friction>0.25</friction></dynamics></axis>
    </joint>
    <joint name="elbow" type="revolute">
      <pose relative_to="upper_arm">0 0 0.8 0 0.3 0</pose>
      <parent>upper_arm</parent><child>forearm</child>
      <axis><xyz>0.6 0 0.8</xyz><limit><lower>-1e16</lower><upper>1e16</upper></limit>
        <dynamics><damping>0.2</damping></dynamics></axis>
    </joint>
  </model>
</sdf>
"""

PULLEY = """<mujoco model="pulley">
  <option><flag contact="disable"/></option>
  <worldbody>
    <geom name="pulley" type="cylinder" size="0.1 0.05" pos="0.5 0 1.5" euler="90 0 0"
          contype="0" conaffinity="0"/>
    <site name="side" pos="0.5 0 1.75"/>
    <body name="arm" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0" damping="0.1"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" mass="1"/>
      <site name="hand" pos="0.3 0 0"/>
    </body>
    <body name="load" pos="0.62 0 0.7">
      <freejoint/>
      <geom type="sphere" size="0.05" mass="0.8"/>
      <site name="eye" pos="0 0 0.05"/>
    </body>
  </worldbody>
  <tendon>
    <spatial name="rope" stiffness="2000" damping="5" springlength="0 1.570">
      <site site="hand"/>
      <geom geom="pulley" sidesite="side"/>
      <site site="eye"/>
    </spatial>
  </tendon>
  <actuator>
    <motor name="torque" joint="shoulder" gear="3" ctrlrange="-2 2"/>
    <position name="servo" joint="shoulder" kp="10" kv="1" forcerange="-50 50"/>
    <velocity name="brake" joint="shoulder" kv="0.5"/>
  </actuator>
</mujoco>
"""
"""An arm that holds a load by a rope over a pulley, with a motor and two servos on its joint."""
