"""A lamp behind openenv-core's own server. Prints the port once it listens; argument: sessions at once."""

import json
import socket
import sys
from typing import Optional

import uvicorn
from openenv.core.env_server import Action, Environment, Observation, State, create_fastapi_app
from pydantic import field_validator


class LampAction(Action):
    message: str

    @field_validator("message")
    @classmethod
    def short(cls, message: str) -> str:
        # Not `max_length`: a fault of this sort has an exception in it, which the server cannot put into its answer.
        assert len(message) < 100, "is too long"
        return message


class LampObservation(Observation):
    text: str


class Lamp(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._on = False
        self._times = 0
        self._state = State()

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs) -> LampObservation:
        self._on = (seed or 0) % 2 == 1
        self._times = 0
        self._state = State(episode_id=episode_id, step_count=0)
        room = kwargs.get("room", "room")
        return LampObservation(text=f"A lamp in a {room}. It is {self._how()}.")

    def step(self, action: LampAction, timeout_s: Optional[float] = None, **kwargs) -> LampObservation:
        self._state.step_count += 1
        if action.message == "break":
            raise RuntimeError("the bulb is broken")
        is_switch = action.message == ("off" if self._on else "on")
        if is_switch:
            self._on = not self._on
            self._times += int(self._on)
        text = f"The lamp is {self._how()}." if is_switch else "Nothing happens."
        return LampObservation(text=text, reward=0.5 if is_switch and self._on else 0.0, done=self._times == 2)

    @property
    def state(self) -> State:
        return self._state

    def _how(self) -> str:
        return "on" if self._on else "off"


app = create_fastapi_app(Lamp, LampAction, LampObservation, max_concurrent_envs=int(sys.argv[1]))
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
# Whoever reads the port may connect: it is served once the application has started.
listener.listen(16)
print(json.dumps({"port": listener.getsockname()[1]}), flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
