"""Tension of three highlines without and with a person on them: Volery."""

from pathlib import Path

from validation.harness import Part, Study

from .line import bouncing, standing

STUDY = Study(
    title="Forces in highlining",
    reference="S. Volery, SLACKTIVITY, slacktivity.com/forces-in-highlining",
    folder=Path(__file__).parent,
    parts=(Part("A person stands on the line", standing), Part("A person bounces", bouncing)),
)
