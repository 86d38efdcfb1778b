"""Messages of a camera: picture, intrinsics, and its frame by the optical convention.

The frame has x to the right, y down and z along the view (REP 103). A point (x, y, z) in it is seen
at

    u = f x / z + c_x,      v = f y / z + c_y,

where u and v count from the middle of the upper left pixel, as in OpenCV. The renderer counts from
that pixel's corner. So c_x = (width - 1) / 2 and c_y = (height - 1) / 2, and f is the same.
"""

import io
from array import array

import numpy as np
from geometry_msgs.msg import TransformStamped
from numpy.typing import NDArray
from PIL import Image as Pillow
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_msgs.msg import Header
from transforms3d.quaternions import mat2quat

from cable_sim.rendering.camera import Camera
from cable_sim.ros.basis.messages import set_orientation, set_vector, transform

Pixels = NDArray[np.uint8]
QUALITY = 80
"""Quality of a compressed picture, 0 to 100."""


def image_message(pixels: Pixels, header: Header) -> Image:
    """Return a picture (height, width, 3) of red, green and blue."""
    height, width, _ = pixels.shape
    message = Image(header=header, height=height, width=width, encoding="rgb8", step=3 * width)
    message.data = array("B", pixels.tobytes())
    return message


def compressed_message(pixels: Pixels, header: Header) -> CompressedImage:
    """Return a picture (height, width, 3) of red, green and blue as JPEG."""
    packed = io.BytesIO()
    Pillow.fromarray(pixels).save(packed, "JPEG", quality=QUALITY)
    return CompressedImage(header=header, format="jpeg", data=array("B", packed.getvalue()))


def camera_info(camera: Camera, header: Header) -> CameraInfo:
    """Return the intrinsics of a camera; it has no distortion."""
    f = camera.focal_length
    x, y = 0.5 * (camera.width - 1), 0.5 * (camera.height - 1)
    return CameraInfo(
        header=header,
        width=camera.width,
        height=camera.height,
        distortion_model="plumb_bob",
        d=[0.0] * 5,
        k=[f, 0.0, x, 0.0, f, y, 0.0, 0.0, 1.0],
        r=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p=[f, 0.0, x, 0.0, 0.0, f, y, 0.0, 0.0, 0.0, 1.0, 0.0],
    )


def camera_transform(camera: Camera, header: Header, world: str) -> TransformStamped:
    """Return the transform from the frame of a header to the world."""
    right, up, forward = camera.axes
    made = transform(world, header.frame_id, header.stamp)
    set_vector(made.transform.translation, camera.position)
    set_orientation(made.transform.rotation, mat2quat(np.column_stack([right, -up, forward])))
    return made
