"""A ball of 100 kg on a hinge: import, and 100 steps of 1 ms if the arguments say so.

Its pictures need a window of OpenGL, and fail here.
"""

import sys

import newton
import warp

if "step" in sys.argv:
    builder = newton.ModelBuilder()
    ball = builder.add_link()
    hinge = warp.transform((0.0, 0.0, -5.0), warp.quat_identity())
    builder.add_shape_sphere(ball, xform=hinge, radius=0.2)
    joint = builder.add_joint_revolute(parent=-1, child=ball, axis=(0, 1, 0))
    builder.add_articulation([joint])
    model = builder.finalize(device="cpu")
    now, then, control = model.state(), model.state(), model.control()
    newton.eval_fk(model, model.joint_q, model.joint_qd, now)
    solver = newton.solvers.SolverFeatherstone(model)
    for _ in range(100):
        now.clear_forces()
        solver.step(now, then, control, None, 1e-3)
        now, then = then, now
if "picture" in sys.argv:
    raise SystemExit("no picture without a window")
