"""A ball of 100 kg on a hinged rod: import, 100 steps of 1 ms, a picture, as the arguments say."""

import os
import sys

os.environ.setdefault("MUJOCO_GL", "egl")

import mujoco

PENDULUM = """<mujoco><option timestep="0.001"/><worldbody>
<light pos="0 0 3"/><geom type="plane" size="5 5 0.1" pos="0 0 -6"/>
<body euler="0 17 0"><joint type="hinge" axis="0 1 0"/>
<geom type="capsule" size="0.02" fromto="0 0 0 0 0 -5" mass="0.1"/>
<geom type="sphere" size="0.2" pos="0 0 -5" mass="100"/></body></worldbody></mujoco>"""

if "step" in sys.argv:
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    data = mujoco.MjData(model)
    for _ in range(100):
        mujoco.mj_step(model, data)
if "picture" in sys.argv:
    renderer = mujoco.Renderer(model, 480, 640)
    renderer.update_scene(data)
    renderer.render()
