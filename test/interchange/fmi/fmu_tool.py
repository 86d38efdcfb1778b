"""A tool that runs FMUs, for tests: FMPy, with variables by name and the FMU's messages kept."""

import shutil

from fmpy import extract, read_model_description
from fmpy.simulation import instantiate_fmu

SUFFIX = {"Real": "Real", "Float64": "Float64", "Integer": "Integer", "Int32": "Int32"}
SUFFIX |= {"Boolean": "Boolean"}


class Tool:
    """One unpacked FMU."""

    def __init__(self, path):
        self.description = read_model_description(str(path), validate=True)
        self.folder = extract(str(path))
        self.version = int(self.description.fmiVersion[0])
        self.variables = {one.name: one for one in self.description.modelVariables}

    def names(self, causality, *types):
        """Names of variables."""
        return [
            name
            for name, one in self.variables.items()
            if one.causality == causality and (not types or one.type in types)
        ]

    def close(self):
        shutil.rmtree(self.folder)


class Instance:
    """One instance of it, with values that were set before its initialisation ended."""

    def __init__(self, tool, given=None, start_time=0.0):
        self.tool = tool
        self.messages = []
        self.fmu = instantiate_fmu(
            tool.folder, tool.description, "CoSimulation", debug_logging=True, logger=self._keep
        )
        if tool.version == 2:
            self.fmu.setupExperiment(startTime=start_time)
            self.fmu.enterInitializationMode()
        else:
            self.fmu.enterInitializationMode(startTime=start_time)
        for name, value in (given or {}).items():
            self.set(name, value)
        self.fmu.exitInitializationMode()
        self.time = start_time

    def _keep(self, *message):
        text = message[-1]
        self.messages.append(text.decode() if isinstance(text, bytes) else text)

    def _call(self, verb, name):
        one = self.tool.variables[name]
        kind = SUFFIX.get(one.type, "Integer" if self.tool.version == 2 else "Int64")
        return getattr(self.fmu, f"{verb}{kind}"), one.valueReference

    def get(self, name):
        call, reference = self._call("get", name)
        return call([reference])[0]

    def set(self, name, value):
        call, reference = self._call("set", name)
        call([reference], [value])

    def reals(self, names):
        """Several numbers in one call."""
        references = [self.tool.variables[name].valueReference for name in names]
        return (self.fmu.getReal if self.tool.version == 2 else self.fmu.getFloat64)(references)

    def step(self, length=0.01, time=None):
        now = self.time if time is None else time
        self.fmu.doStep(currentCommunicationPoint=now, communicationStepSize=length)
        self.time = now + length

    def save(self):
        return self.time, self.fmu.getFMUState()

    def restore(self, saved):
        self.time, state = saved
        self.fmu.setFMUState(state)

    def to_bytes(self, saved):
        serialise = "serializeFMUstate" if self.tool.version == 2 else "serializeFMUState"
        return saved[0], getattr(self.fmu, serialise)(saved[1])

    def from_bytes(self, data):
        read = "deSerializeFMUstate" if self.tool.version == 2 else "deserializeFMUState"
        self.restore((data[0], getattr(self.fmu, read)(data[1])))
