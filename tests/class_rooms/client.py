"""A phone, or a teacher, without a browser."""

import http.client
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tests.processes import PATIENCE_S


@dataclass(frozen=True)
class Answer:
    """What the server said.

    Attributes:
        status: HTTP's status.
        body: The body as text.
        headers: The headers.
    """

    status: int
    body: str
    headers: http.client.HTTPMessage

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def sentence(self) -> str:
        """Why something was refused."""
        assert self.status >= 400, self
        sentence = self.json["error"]
        assert sentence.endswith("."), sentence
        return sentence


@dataclass(frozen=True)
class Event:
    """One server-sent event."""

    name: str
    id: str
    data: str

    @property
    def state(self) -> Any:
        return json.loads(self.data)


class Stream:
    """An open event stream."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.response = response

    def next(self) -> Event | None:
        """The next event, beats included; None at the stream's end."""
        fields: dict[str, str] = {}
        while line := self.response.readline().decode():
            if line == "\n" and "data" in fields:
                return Event(fields.get("event", "message"), fields.get("id", ""), fields["data"])
            name, _, value = line.rstrip("\n").partition(": ")
            fields[name] = value
        return None

    def until(self, **wanted: Any) -> dict[str, Any]:
        """The first state that has these values."""
        state: dict[str, Any] = {}
        deadline = time.monotonic() + PATIENCE_S
        while (event := self.next()) and time.monotonic() < deadline:
            state = event.state if event.name == "message" else state
            if wanted.items() <= state.items():
                return state
        raise AssertionError(f"{wanted} did not come, but {state}")

    def end(self) -> str:
        """The sentence of the event that ends the class; nothing comes after it."""
        deadline = time.monotonic() + PATIENCE_S
        while (event := self.next()) and event.name != "end":
            assert time.monotonic() < deadline, "the class does not end"
        assert event, "the stream ended, and not the class"
        assert self.next() is None
        return event.state["error"]


class Api:
    """The API at an address.

    Args:
        url: Where the server is.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.host = urlsplit(url).netloc

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE_S)
        connection.request(method, f"/class/rooms{path}", body, headers)
        response = connection.getresponse()
        answer = Answer(response.status, response.read().decode(), response.headers)
        connection.close()
        return answer

    def post(self, path: str, message: Any = None, **headers: str) -> Answer:
        """Post as the app's own page does: JSON, with the page's origin. A header of no text is left out."""
        own = {"Origin": self.url, "Content-Type": "application/json"} | headers
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return self.ask("POST", path, body, **{name: value for name, value in own.items() if value})

    def open(self) -> "Class":
        answer = self.post("", {})
        assert answer.status == 201, answer
        return Class(self, answer.json["key"], answer.json["teacher"], answer.json["ticket"])


class Class:
    """One room, seen by its teacher and by its voters."""

    def __init__(self, api: Api, key: str, teacher: str, ticket: str = "") -> None:
        self.api, self.key, self.teacher, self.ticket = api, key, teacher, ticket

    def at(self, api: Api) -> "Class":
        """The same room on another replica."""
        return Class(api, self.key, self.teacher, self.ticket)

    def do(self, what: str, **message: Any) -> Answer:
        headers = {"Authorization": f"Bearer {self.teacher}"}
        return self.api.post(f"/{self.key}/teacher", {"do": what} | message, **headers)

    def done(self, what: str, **message: Any) -> None:
        answer = self.do(what, **message)
        assert answer.status == 204, answer

    def ask(self, question: str = "one", number: int = 1, **message: Any) -> None:
        own = {"text": "Which?", "answers": ["a", "b", "c"]} if number == 1 and "page" not in message else {}
        self.done("ask", question=question, round=number, **own | message)

    def vote(self, voter: str, answer: Any, question: Any = "one", number: Any = 1) -> Answer:
        message = {"voter": voter, "question": question, "round": number, "answer": answer}
        return self.api.post(f"/{self.key}/votes", message)

    def voted(self, voter: str, answer: Any, question: str = "one", number: int = 1) -> None:
        said = self.vote(voter, answer, question, number)
        assert said.status == 200, said

    def hand_in(self, person: Any, answers: Any, time: Any = "before", voter: Any = "ana-00000000") -> Answer:
        message = {"voter": voter, "time": time, "person": person, "answers": answers}
        return self.api.post(f"/{self.key}/test", message)

    def test_csv(self) -> Answer:
        return self.api.ask("GET", f"/{self.key}/test.csv", Authorization=f"Bearer {self.teacher}")

    def state(self, voter: str = "") -> dict[str, Any]:
        answer = self.api.ask("GET", self.events(voter))
        assert answer.status == 200, answer
        return answer.json

    def results(self) -> Answer:
        return self.api.ask("GET", f"/{self.key}/results.csv", Authorization=f"Bearer {self.teacher}")

    def votes(self) -> Answer:
        """What was voted, as a student asks for it."""
        return self.api.ask("GET", f"/{self.key}/votes")

    def course(self, **headers: str) -> Answer:
        """The room's course, as a student asks for it; with the teacher's header as that one does."""
        return self.api.ask("GET", f"/{self.key}/course", **headers)

    def events(self, voter: str = "") -> str:
        return f"/{self.key}/events" + (f"?voter={voter}" if voter else "")

    @contextmanager
    def stream(self, voter: str = "", **headers: str) -> Iterator[Stream]:
        connection = http.client.HTTPConnection(self.api.host, timeout=PATIENCE_S)
        headers = {"Accept": "text/event-stream"} | headers
        connection.request("GET", f"/class/rooms{self.events(voter)}", headers=headers)
        response = connection.getresponse()
        assert response.status == 200, response.read()
        try:
            yield Stream(response)
        finally:
            response.close()
            connection.close()
