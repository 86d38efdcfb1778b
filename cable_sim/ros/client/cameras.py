"""Cameras of a running simulator: pictures drawn in a process beside its node.

The node's ticks are never late because of a picture. Nothing is drawn for a camera without
listeners.
"""

import os
import threading
import time
from dataclasses import dataclass
from typing import Any

from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError
from cable_sim.machine.pictures.frame import Frame
from cable_sim.rendering.camera import Camera
from cable_sim.rendering.onboard import OnboardCameras
from cable_sim.rendering.renderer import Renderer, extent_of
from cable_sim.ros import interface
from cable_sim.ros.basis.messages import set_time
from cable_sim.ros.basis.node_link import OwnNode
from cable_sim.ros.client.remote_crane import RosSource
from cable_sim.ros.publish.camera_messages import (
    camera_info,
    camera_transform,
    compressed_message,
    image_message,
)

NODE = "cable_sim_cameras"
WAIT = 0.1
"""Longest wait for the first frame before it is looked for again [s]."""
POLITE = 10
"""Steps of priority that the process stands back behind the simulator's."""
SMOOTHING = 0.1
"""Weight of the newest picture in the usual time that pictures take; a single one may be late."""
TOLD = 10.0
"""Time between two warnings that pictures are late [s]."""


@dataclass(frozen=True)
class CameraOptions:
    """Options of the cameras.

    Parameters
    ----------
    rate: pictures per second of wall time, of each camera [Hz].
    width, height: size of the pictures [pixels].
    namespace: of the simulator's node, and of the cameras' topics.
    frame_prefix, world_frame: as the node's parameters of those names.
    """

    rate: float = 10.0
    width: int = 640
    height: int = 480
    namespace: str = ""
    frame_prefix: str = ""
    world_frame: str = "world"


class CraneCameras(OwnNode):
    """Node that publishes what the cameras of a crane see.

    Raises CableSimError for a crane on which no load hangs, and so no camera.
    """

    def __init__(self, crane: Crane, options: CameraOptions) -> None:
        self._cameras = OnboardCameras(crane, options.width, options.height)
        if not self._cameras.names:
            raise CableSimError(f"{crane.name} has no cameras: no load hangs on falls there")
        super().__init__(NODE, options.namespace)
        self._crane = crane
        self._options = options
        self._renderer: Renderer | None = None
        self._topics = {
            name: interface.CameraEndpoints(*map(self._create, interface.camera_endpoints(name)))
            for name in self._cameras.names
        }
        self._frames = self._create(interface.TF)

    def _create(self, endpoint: interface.Endpoint) -> Any:
        """Return a publisher of an endpoint."""
        return self.node.create_publisher(endpoint.type, endpoint.topic, endpoint.qos)

    def publish(self, frame: Frame) -> None:
        """Publish frames and intrinsics of all cameras, and the pictures that have listeners."""
        moves = []
        for name, topics in self._topics.items():
            camera = self._cameras.camera(name, frame)
            header = Header(frame_id=self._options.frame_prefix + interface.camera_frame(name))
            set_time(header.stamp, round(1e9 * frame.time))
            moves.append(camera_transform(camera, header, self._options.world_frame))
            topics.info.publish(camera_info(camera, header))
            self._publish_picture(camera, frame, header, topics)
        self._frames.publish(TFMessage(transforms=moves))

    def _publish_picture(
        self, camera: Camera, frame: Frame, header: Header, topics: interface.CameraEndpoints
    ) -> None:
        """Draw and publish a camera's picture in the forms that have listeners."""
        plain = topics.image.get_subscription_count() > 0
        packed = topics.compressed.get_subscription_count() > 0
        if not (plain or packed):
            return
        if self._renderer is None:
            extent = extent_of(self._crane, [frame])
            self._renderer = Renderer(self._crane, extent, camera.width, camera.height, samples=1)
        self._renderer.look(camera)
        pixels = self._renderer.draw(frame)
        if plain:
            topics.image.publish(image_message(pixels, header))
        if packed:
            topics.compressed.publish(compressed_message(pixels, header))

    def tell_late(self, seconds: float) -> None:
        """Warn that the pictures of all cameras took so long [s]."""
        told = f"pictures take {seconds:.2f} s, so they come less often than {self._options.rate:g}"
        self.node.get_logger().warning(f"{told} Hz", throttle_duration_sec=TOLD)


def run_cameras(crane: Crane, options: CameraOptions, ended: threading.Event) -> int:
    """Publish pictures of a running simulator until the event is set; returns the exit status."""
    cameras = CraneCameras(crane, options)
    os.nice(POLITE)  # the simulator has deadlines, and pictures may come less often
    source = RosSource(
        crane, options.namespace, options.frame_prefix, options.world_frame, name=f"{NODE}_source"
    )
    period = 1.0 / options.rate
    usual = 0.0
    due = time.monotonic()
    try:
        while not ended.wait(max(due - time.monotonic(), 0.0)):
            begin = time.monotonic()
            frame = source.latest() if source.connected else None
            if frame is None:
                due = begin + WAIT
                continue
            cameras.publish(frame)
            took = time.monotonic() - begin
            usual += SMOOTHING * (took - usual)
            if usual > period:
                cameras.tell_late(usual)
            due = max(due + period, begin + took)
    finally:
        source.close()
        cameras.close()
    return 0
