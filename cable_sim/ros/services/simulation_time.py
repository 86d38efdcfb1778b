"""Time of the simulation, by simulation_interfaces: its state, steps, and resets.

The state is PLAYING while time runs, also while steps are being taken, and PAUSED while it stands.
It is STOPPED after a request for the standard's STOPPED, which resets everything, until something
happens.
"""

from collections.abc import Callable
from typing import Any

from cable_sim.ros.physics.physics_thread import PhysicsThread
from cable_sim.ros.services.simulation_answers import (
    Code,
    Feature,
    PhysicsRequests,
    Refusal,
    Scope,
    SimulationState,
    Transition,
)
from cable_sim.sim.observation import Observation

State = SimulationState
TARGETS = (State.STOPPED, State.PLAYING, State.PAUSED, State.QUITTING)
STEPS_FEATURES = (Feature.STEP_SIMULATION_MULTIPLE, Feature.STEP_SIMULATION_ACTION)
"""Features of the action."""


class TimeServices:
    """Services and action about time. ``quit`` ends the node.

    A node that follows another one's clock has no time of its own to reset.
    """

    SERVED = {
        "get_simulation_state": (Feature.SIMULATION_STATE_GETTING,),
        "set_simulation_state": (Feature.SIMULATION_STATE_SETTING, Feature.SIMULATION_STATE_PAUSE),
        "step_simulation": (Feature.STEP_SIMULATION_SINGLE, Feature.STEP_SIMULATION_MULTIPLE),
        "reset_simulation": (
            Feature.SIMULATION_RESET,
            Feature.SIMULATION_RESET_TIME,
            Feature.SIMULATION_RESET_STATE,
            Feature.SIMULATION_RESET_SPAWNED,
        ),
    }

    def __init__(
        self, physics: PhysicsThread, ask: PhysicsRequests, quit: Callable[[], None]
    ) -> None:
        self._physics = physics
        self._ask = ask
        self._quit = quit
        self._own_clock = not physics.settings.follow_clock
        if not self._own_clock:
            without_time = (
                Feature.SIMULATION_RESET,
                Feature.SIMULATION_RESET_STATE,
                Feature.SIMULATION_RESET_SPAWNED,
            )
            self.SERVED = self.SERVED | {"reset_simulation": without_time}
        self._stepping = False
        self._stopped_at: Observation | None = None

    async def get_simulation_state(self, _: Any, response: Any) -> None:
        """Fill in the state."""
        response.state.state = int(await self._ask(self._state))

    async def set_simulation_state(self, request: Any, _: Any) -> None:
        """Play, pause, stop or quit; the sentence of a refusal names the allowed states."""
        target = request.state.state
        if target not in TARGETS:
            allowed = ", ".join(f"{state.name} ({state.value})" for state in TARGETS)
            raise Refusal(
                f"state {target} can't be set; those that can are {allowed}",
                Transition.INCORRECT_TRANSITION,
            )
        await self._ask(lambda: self._go(State(target)))
        if target == State.QUITTING:
            self._quit()

    async def reset_simulation(self, request: Any, _: Any) -> None:
        """Reset the parts that the scope names."""
        scope = request.scope or Scope.ALL
        known = Scope.TIME | Scope.STATE | Scope.SPAWNED
        if scope != Scope.ALL and scope & ~known:
            raise Refusal(
                f"scope {scope} is not supported; 0 and 255 reset all, 1 time, 2 the state, 4 "
                "removes what was spawned, and sums of these do all of that",
                Code.FEATURE_UNSUPPORTED,
            )
        if scope != Scope.ALL and scope & Scope.TIME and not self._own_clock:
            raise Refusal(
                f"scope {scope} is not supported, because the parameter follow_clock has ROS time "
                "be another node's; 0, 2 and 255 reset the state, 4 removes what was spawned",
                Code.FEATURE_UNSUPPORTED,
            )
        await self._ask(lambda: self._reset(scope))

    async def step_simulation(self, request: Any, _: Any) -> None:
        """Take the steps; returns when they are taken."""
        await self._step(request.steps)

    async def simulate_steps(self, goal: Any, feedback: Callable[..., Any]) -> None:
        """Take the steps, and report each; cancelling the goal ends them."""

        def told(completed: int, remaining: int) -> None:
            goal.publish_feedback(feedback(completed_steps=completed, remaining_steps=remaining))

        await self._step(goal.request.steps, told, lambda: goal.is_cancel_requested)

    async def _step(
        self,
        steps: int,
        told: Callable[[int, int], object] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        """Take steps of one tick each; Refusal if not all of them were taken."""

        def take() -> None:
            state = self._state()
            if state != State.PAUSED:
                raise Refusal(f"the simulation is {state.name}; steps need it PAUSED")
            if cancelled and cancelled():
                raise Refusal(f"cancelled before the first of {steps} steps")
            self._stepping = True
            try:
                done, sentence = self._physics.step(steps, told, cancelled)
            finally:
                self._stepping = False
            if not done:
                raise Refusal(sentence)

        await self._ask(take)

    # In the physics thread

    def _state(self) -> State:
        """Return the present state."""
        if self._stepping or not self._physics.paused:
            return State.PLAYING
        return (
            State.STOPPED
            if self._physics.timeline.observation is self._stopped_at
            else State.PAUSED
        )

    def _go(self, target: State) -> None:
        """Change the state, which ends steps that are being taken."""
        state = self._state()
        if state == target and not self._stepping:
            raise Refusal(
                f"the simulation is {state.name} already", Transition.ALREADY_IN_TARGET_STATE
            )
        if (state, target) == (State.STOPPED, State.PAUSED):
            raise Refusal(
                "the simulation is STOPPED, which can't be paused; play it, or reset it while "
                "PAUSED to begin so",
                Transition.INCORRECT_TRANSITION,
            )
        done, sentence = self._physics.pause(target != State.PLAYING)
        if not done:
            raise Refusal(sentence, Transition.STATE_TRANSITION_ERROR)
        if target in (State.STOPPED, State.QUITTING):
            self._physics.change_loads(self._physics.loads.clear)
            self._physics.reset(rewind=self._own_clock)
            self._stopped_at = self._physics.timeline.observation

    def _reset(self, scope: int) -> None:
        """Remove what was spawned, reset the crane, or ROS time, as the scope says.

        Time runs or stands as before, and STOPPED stays so.
        """
        stopped = self._state() == State.STOPPED
        if scope & Scope.SPAWNED:
            self._physics.change_loads(self._physics.loads.clear)
        if scope & Scope.STATE:
            self._physics.reset(rewind=bool(scope & Scope.TIME) and self._own_clock)
        elif scope & Scope.TIME:
            self._physics.rewind()
        if stopped:
            self._stopped_at = self._physics.timeline.observation
