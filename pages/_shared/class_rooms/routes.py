"""The HTTP API of live classes, as Starlette routes; ``docs/class-api.md`` describes it."""

import asyncio
import hmac
import math
import secrets
from collections.abc import Awaitable, Callable
from functools import wraps
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from pages._shared.class_rooms import limits as check
from pages._shared.class_rooms.commands import Courses, Questions, command
from pages._shared.class_rooms.kinds import answer_of
from pages._shared.class_rooms.limits import Rate
from pages._shared.class_rooms.refusal import RoomError
from pages._shared.class_rooms.results import COLUMNS, DrawGains, answered, gains, rows
from pages._shared.class_rooms.room import NO_COURSE, TICKET, UNKNOWN, is_key
from pages._shared.class_rooms.snapshot import Snapshot
from pages._shared.class_rooms.store import Store, digest, new_secret
from pages._shared.class_rooms.tested import COLUMNS as TEST_COLUMNS
from pages._shared.class_rooms.tested import Items, read_answers
from attention_core.figures.text import csv_text
from attention_core.language import ENGLISH, known
from attention_core.language import gettext_lazy as _

STREAM = "text/event-stream"
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
# "no-transform" and the last one ask proxies to pass each event on as it comes.
STREAM_HEADERS = {**HEADERS, "Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
SLOWED = _("Many wrong keys came from your network. Come in by the class's code or link, or wait and try again.")
MANY = _("Many classes were opened from your network. Wait a minute.")
NO_GAIN = _("No question has had two votes and a right answer yet, so there is no gain to be seen.")

Handler = Callable[["Rooms", Request], Awaitable[Response]]


def routes(store: Store, questions: Questions, courses: Courses, draw_gains: DrawGains, items: Items) -> list[Route]:
    """The routes of live classes, for an application whose lifespan holds ``async with store:``."""
    rooms = Rooms(store, questions, courses, draw_gains, items)
    return [
        Route("/class/rooms", rooms.open, methods=["POST"]),
        Route("/class/rooms/{key}/events", rooms.events, methods=["GET"]),
        Route("/class/rooms/{key}/course", rooms.course, methods=["GET"]),
        Route("/class/rooms/{key}/votes", rooms.votes, methods=["GET"]),
        Route("/class/rooms/{key}/votes", rooms.vote, methods=["POST"]),
        Route("/class/rooms/{key}/lost", rooms.lose, methods=["POST"]),
        Route("/class/rooms/{key}/test", rooms.hand_in, methods=["POST"]),
        Route("/class/rooms/{key}/test.csv", rooms.test_answers, methods=["GET"]),
        Route("/class/rooms/{key}/teacher", rooms.teach, methods=["POST"]),
        Route("/class/rooms/{key}/words", rooms.words, methods=["GET"]),
        Route("/class/rooms/{key}/results.csv", rooms.results, methods=["GET"]),
        Route("/class/rooms/{key}/gains.svg", rooms.gains, methods=["GET"]),
    ]


def refusing(handler: Handler) -> Handler:
    """A handler whose refusals are answers: a status, and a sentence in the language of who asked."""

    @wraps(handler)
    async def answer(rooms: "Rooms", request: Request) -> Response:
        try:
            return await handler(rooms, request)
        except RoomError as refusal:
            headers = HEADERS | ({"Retry-After": str(math.ceil(refusal.wait))} if refusal.wait else {})
            return JSONResponse({"error": refusal.worded(language(request))}, refusal.status, headers)
        except ClientDisconnect:
            return Response(status_code=400)

    return answer


def language(request: Request) -> str:
    """The language that a request names; English where it names none that there is."""
    return known(request.query_params.get("language")) or ENGLISH


class Rooms:
    """The endpoints, and what keeps their use within limits in this process."""

    def __init__(
        self, store: Store, questions: Questions, courses: Courses, draw_gains: DrawGains, items: Items
    ) -> None:
        limits = self._limits = store.limits
        self._store, self._questions, self._courses, self._draw_gains = store, questions, courses, draw_gains
        self._items = items
        self._messages = Rate(limits.messages, limits.message_s)
        self._wrong = Rate(limits.wrong_keys, limits.wrong_key_s)
        self._opened = Rate(limits.new_rooms, limits.new_room_s)
        # Addresses are counted, not known: a hash with a salt that no two processes share.
        self._salt = secrets.token_bytes(32)

    @refusing
    async def open(self, request: Request) -> Response:
        """Open a room."""
        _same_origin(request)
        body = await self._body(request)
        command = check.command_id(check.parse(body)) if body else ""
        secret = new_secret(command)
        key = await self._store.find(secret)
        if not key:
            self._opened.check(self._address(request), MANY)
            key = await self._store.open(secret)
        ticket = (await self._store.read(key)).room.ticket
        return JSONResponse({"key": key, "teacher": secret, "ticket": ticket}, 201, HEADERS)

    @refusing
    async def events(self, request: Request) -> Response:
        """Send the room's state: as a stream of events, or once to a request for JSON."""
        given = request.query_params.get("voter", "")
        voter = check.voter(given) if given else ""
        key = await self._find(request, voter)
        if voter:
            self._pace(key, voter)
            await self._store.see(key, [voter], strict=True)
        snapshot = await self._store.read(key)
        if STREAM not in request.headers.get("accept", ""):
            return JSONResponse(snapshot.public(language(request)), headers=HEADERS)
        stream = self._store.feed(key, voter).listen(voter, snapshot, language(request))
        return StreamingResponse(stream, headers=STREAM_HEADERS, media_type=STREAM)

    @refusing
    async def course(self, request: Request) -> Response:
        """Send the room's course: to its teacher as it was laid there, to all others as students are given it."""
        if "authorization" in request.headers:
            _, snapshot = await self._authorized(request)
        else:
            snapshot = await self._seen(request)
        course = snapshot.room.course
        if course is None:
            raise RoomError(409, NO_COURSE)
        text = course.text if "authorization" in request.headers else self._courses(course.text)[0]
        return JSONResponse({"name": course.name, "course": text}, headers=HEADERS)

    @refusing
    async def votes(self, request: Request) -> Response:
        """Send what was voted on the questions whose answer is out."""
        snapshot = await self._seen(request)
        told = answered(snapshot.room, snapshot.counts, language(request))
        return JSONResponse({"votes": told}, headers=HEADERS)

    @refusing
    async def vote(self, request: Request) -> Response:
        """Count a vote, and say as what it counts."""
        _same_origin(request)
        message = check.parse(await self._body(request))
        voter, question = check.voter(message.get("voter")), check.name(message, "question")
        number = check.whole(message, "round")
        key = await self._find(request, voter)
        self._pace(key, voter)
        vote = await self._store.vote(key, voter, question, number, message.get("answer"))
        return JSONResponse({"answer": answer_of(vote)}, headers=HEADERS)

    @refusing
    async def lose(self, request: Request) -> Response:
        """Note whether a student is lost."""
        _same_origin(request)
        message = check.parse(await self._body(request))
        voter, lost = check.voter(message.get("voter")), message.get("lost")
        if not isinstance(lost, bool):
            raise RoomError(422, _("“lost” must be true or false."))
        key = await self._find(request, voter)
        self._pace(key, voter)
        await self._store.lose(key, voter, lost=lost)
        return Response(status_code=204, headers=HEADERS)

    @refusing
    async def hand_in(self, request: Request) -> Response:
        """Keep answers of a test, and say how many of them count as they were sent."""
        _same_origin(request)
        message = check.parse(await self._body(request))
        voter, given = check.voter(message.get("voter")), read_answers(message, self._items())
        key = await self._find(request, voter)
        self._pace(key, voter)
        return JSONResponse({"counted": await self._store.hand_in(key, given)}, headers=HEADERS)

    @refusing
    async def teach(self, request: Request) -> Response:
        """Carry out a command of the teacher."""
        _same_origin(request)
        body = await self._body(request, self._limits.body + self._limits.course)
        message = check.parse(body)
        if message.get("do") != "course":
            _check_length(body, self._limits.body)
        try:
            key, _ = await self._authorized(request)
            self._pace(key, "")
            await self._store.change(key, command(message, self._questions, self._courses, self._limits))
        except RoomError as refusal:
            if refusal.status != 410 or message.get("do") != "end":
                raise  # what has ended can be ended again
        return Response(status_code=204, headers=HEADERS)

    @refusing
    async def words(self, request: Request) -> Response:
        """Send the words that answer the current question, of which the teacher chooses what is shown."""
        _, snapshot = await self._authorized(request)
        return JSONResponse({"words": snapshot.room.words(snapshot.counts)}, headers=HEADERS)

    @refusing
    async def results(self, request: Request) -> Response:
        """Send all votes of all closed rounds."""
        _, snapshot = await self._authorized(request)
        table = csv_text(COLUMNS, rows(snapshot.room, snapshot.counts, language(request)))
        headers = HEADERS | {"Content-Disposition": 'attachment; filename="results.csv"'}
        return Response(table, headers=headers, media_type="text/csv; charset=utf-8")

    @refusing
    async def test_answers(self, request: Request) -> Response:
        """Send all answers of tests."""
        key, _snapshot = await self._authorized(request)
        table = csv_text(TEST_COLUMNS, await self._store.answers(key))
        headers = HEADERS | {"Content-Disposition": 'attachment; filename="test.csv"'}
        return Response(table, headers=headers, media_type="text/csv; charset=utf-8")

    @refusing
    async def gains(self, request: Request) -> Response:
        """Send a picture of what the second votes gained."""
        _, snapshot = await self._authorized(request)
        if not (all_ := gains(snapshot.room, snapshot.counts, language(request))):
            raise RoomError(409, NO_GAIN)
        picture = await asyncio.to_thread(self._draw_gains, all_, language(request))
        return Response(picture, headers=HEADERS, media_type="image/svg+xml")

    async def _seen(self, request: Request) -> Snapshot:
        """The room of a request of anybody who has its key."""
        given = request.query_params.get("voter", "")
        return await self._store.read(await self._find(request, check.voter(given) if given else ""))

    async def _find(self, request: Request, voter: str = "") -> str:
        """The request's key, if there is such a room.

        Who tries many keys has to wait, and with them all who share their address; but for who has the room's ticket,
        so has not guessed, and who is in the room already.
        """
        key, address = request.path_params["key"].upper(), self._address(request)
        if wait := self._wrong.wait(address):
            if not is_key(key) or not (await self._is_invited(request, key) or await self._is_here(key, voter)):
                raise RoomError(429, SLOWED, wait)
            return key
        try:
            await self._read(key)
        except RoomError as refusal:
            raise self._slowed(address, refusal) from None
        return key

    async def _is_invited(self, request: Request, key: str) -> bool:
        """Whether a request has the ticket of the room; no room, no ticket."""
        ticket = request.query_params.get("ticket", "")
        if not TICKET.fullmatch(ticket):
            return False
        try:
            return hmac.compare_digest(ticket, (await self._store.read(key)).room.ticket)
        except RoomError as refusal:
            if refusal.status >= 500:
                raise
            return False

    async def _is_here(self, key: str, voter: str) -> bool:
        return bool(voter) and await self._store.is_here(key, voter)

    async def _authorized(self, request: Request) -> tuple[str, Snapshot]:
        """Key and state of the room, for its teacher alone."""
        key, address = request.path_params["key"].upper(), self._address(request)
        scheme, _space, secret = request.headers.get("authorization", "").partition(" ")
        try:
            snapshot = await self._read(key)
            if scheme.lower() != "bearer" or not hmac.compare_digest(digest(secret), snapshot.room.secret):
                raise RoomError(403, _("Only the teacher of this class may do this, by the teacher's own link."))
        except RoomError as refusal:
            raise self._slowed(address, refusal) from None
        return key, snapshot

    async def _read(self, key: str) -> Snapshot:
        if not is_key(key):
            raise RoomError(404, UNKNOWN)
        return await self._store.read(key)

    def _slowed(self, address: bytes, refusal: RoomError) -> RoomError:
        """The answer to who came with a wrong key or secret: after many of them, that one has to wait."""
        if refusal.status not in (403, 404):
            return refusal
        if wait := self._wrong.wait(address):
            return RoomError(429, SLOWED, wait)
        self._wrong.take(address)
        return refusal

    def _pace(self, key: str, voter: str) -> None:
        self._messages.check((key, voter), _("That was too fast: five messages a second are heard."))

    def _address(self, request: Request) -> bytes:
        address = request.client.host if request.client else ""
        return hmac.digest(self._salt, address.encode(), "sha256")

    async def _body(self, request: Request, most: int = 0) -> bytes:
        """The JSON text of a request that is not too long: `Limits.body`, or ``most`` bytes."""
        body = b""
        async for part in request.stream():
            body += part
            _check_length(body, most or self._limits.body)
        if body and request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise RoomError(415, _("A message must be JSON, and say so."))
        return body


def _check_length(body: bytes, most: int) -> None:
    if len(body) > most:
        raise RoomError(413, _("A message may have {bytes} bytes.", bytes=most))


def _same_origin(request: Request) -> None:
    """Refuse what another site's page asks in a visitor's name. Every browser says where a POST comes from."""
    origin, site = request.headers.get("origin", ""), request.headers.get("sec-fetch-site", "same-origin")
    try:
        host = urlsplit(origin).netloc
    except ValueError:
        host = ""
    if site != "same-origin" or not host or host != request.headers.get("host"):
        raise RoomError(403, _("Only the app's own pages may do this."))
