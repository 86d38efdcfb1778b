"""The part without ROS, for `pip install -e .`; colcon goes by package.xml and CMakeLists.txt."""

from setuptools import find_packages, setup

setup(
    name="cable_sim",
    version="0.1.0",
    description="Simulator of cranes and their cables, with a ROS 2 node",
    license="Apache-2.0",
    python_requires=">=3.10",
    classifiers=[
        "Operating System :: POSIX :: Linux",
        *(f"Programming Language :: Python :: 3.{minor}" for minor in range(10, 15)),
    ],
    # Named, not found: launch, config and msg beside the package would otherwise be taken for packages too.
    packages=find_packages(include=["cable_sim", "cable_sim.*"]),
    install_requires=[
        "numpy",
        "scipy",
        "transforms3d>=0.4.1",  # older ones break on numpy 1.24 and newer
        "numba",
        "pydantic>=2",
        "ruamel.yaml",
        "regex",
        "typer",
        "rich",
        "matplotlib",
        "pillow",
        "jinja2",
    ],
    extras_require={
        "viewer": ["viser==1.1.*"],
        "bag": ["rosbags", "mcap", "mcap-ros2-support"],
        "plc": ["pymodbus==3.16.*"],  # its servers are written anew for 4
        "rl": ["gymnasium>=1", "cma"],
        "sweep": ["distributed", "pyarrow"],
        "mpc": ["osqp>=1.0,<2"],  # 1.0 has other names for its settings
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
        ],
        "docs": ["sphinx", "myst-parser"],
    },
    entry_points={"console_scripts": ["cable-sim = cable_sim.cli:main"]},
)
