"""The HTTP API of live classes, as Starlette routes; ``docs/class-api.md`` describes it."""

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
from pages._shared.class_rooms.commands import Questions, command
from pages._shared.class_rooms.limits import Rate
from pages._shared.class_rooms.room import TICKET, UNKNOWN, RoomError, is_key
from pages._shared.class_rooms.snapshot import Snapshot
from pages._shared.class_rooms.store import Store, digest, new_secret
from attention_core.figures.text import csv_text
from attention_core.language import ENGLISH, known
from attention_core.language import gettext_lazy as _

STREAM = "text/event-stream"
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
# "no-transform" and the last one ask proxies to pass each event on as it comes.
STREAM_HEADERS = {**HEADERS, "Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
SLOWED = _("Many wrong keys came from your network. Come in by the class's code or link, or wait and try again.")
MANY = _("Many classes were opened from your network. Wait a minute.")
COLUMNS = ("question", "text", "round", "answer", "votes")

Handler = Callable[["Rooms", Request], Awaitable[Response]]


def routes(store: Store, questions: Questions) -> list[Route]:
    """The routes of live classes, for an application whose lifespan holds ``async with store:``."""
    rooms = Rooms(store, questions)
    return [
        Route("/class/rooms", rooms.open, methods=["POST"]),
        Route("/class/rooms/{key}/events", rooms.events, methods=["GET"]),
        Route("/class/rooms/{key}/votes", rooms.vote, methods=["POST"]),
        Route("/class/rooms/{key}/teacher", rooms.teach, methods=["POST"]),
        Route("/class/rooms/{key}/results.csv", rooms.results, methods=["GET"]),
    ]


def answered(handler: Handler) -> Handler:
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

    def __init__(self, store: Store, questions: Questions) -> None:
        limits = self._limits = store.limits
        self._store, self._questions = store, questions
        self._messages = Rate(limits.messages, limits.message_s)
        self._wrong = Rate(limits.wrong_keys, limits.wrong_key_s)
        self._opened = Rate(limits.new_rooms, limits.new_room_s)
        # Addresses are counted, not known: a hash with a salt that no two processes share.
        self._salt = secrets.token_bytes(32)

    @answered
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

    @answered
    async def events(self, request: Request) -> Response:
        """The room's state: as a stream of events, or once for who asks for JSON."""
        given = request.query_params.get("voter", "")
        voter = check.voter(given) if given else ""
        key = await self._find(request, voter)
        if voter:
            self._pace(key, voter)
            await self._store.see(key, [voter], strict=True)
        now = await self._store.read(key)
        if STREAM not in request.headers.get("accept", ""):
            return JSONResponse(now.public(language(request)), headers=HEADERS)
        stream = self._store.feed(key, voter).listen(voter, now, language(request))
        return StreamingResponse(stream, headers=STREAM_HEADERS, media_type=STREAM)

    @answered
    async def vote(self, request: Request) -> Response:
        """Count a vote."""
        _same_origin(request)
        message = check.parse(await self._body(request))
        voter, question = check.voter(message.get("voter")), check.name(message, "question")
        number, answer = check.whole(message, "round"), check.whole(message, "answer")
        key = await self._find(request, voter)
        self._pace(key, voter)
        await self._store.vote(key, voter, question, number, answer)
        return Response(status_code=204, headers=HEADERS)

    @answered
    async def teach(self, request: Request) -> Response:
        """Take a step of the teacher's."""
        _same_origin(request)
        message = check.parse(await self._body(request))
        try:
            key, _ = await self._authorized(request)
            self._pace(key, "")
            await self._store.change(key, command(message, self._questions, self._limits))
        except RoomError as refusal:
            if refusal.status != 410 or message.get("do") != "end":
                raise  # what has ended can be ended again
        return Response(status_code=204, headers=HEADERS)

    @answered
    async def results(self, request: Request) -> Response:
        """Counts of all rounds that are closed."""
        _, now = await self._authorized(request)
        table = csv_text(COLUMNS, now.room.results(now.counts, language(request)))
        headers = HEADERS | {"Content-Disposition": 'attachment; filename="results.csv"'}
        return Response(table, headers=headers, media_type="text/csv; charset=utf-8")

    async def _find(self, request: Request, voter: str = "") -> str:
        """The key of a room that there is.

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
        """Key and state of the room whose teacher asks."""
        key, address = request.path_params["key"].upper(), self._address(request)
        scheme, _space, secret = request.headers.get("authorization", "").partition(" ")
        try:
            now = await self._read(key)
            if scheme.lower() != "bearer" or not hmac.compare_digest(digest(secret), now.room.secret):
                raise RoomError(403, _("Only the teacher of this class may do this, by the teacher's own link."))
        except RoomError as refusal:
            raise self._slowed(address, refusal) from None
        return key, now

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

    async def _body(self, request: Request) -> bytes:
        """The JSON text of a request that is not too long."""
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > self._limits.body:
                raise RoomError(413, _("A message may have {bytes} bytes.", bytes=self._limits.body))
        if body and request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise RoomError(415, _("A message must be JSON, and say so."))
        return body


def _same_origin(request: Request) -> None:
    """Refuse what another site's page asks in a visitor's name. Every browser says where a POST comes from."""
    origin, site = request.headers.get("origin", ""), request.headers.get("sec-fetch-site", "same-origin")
    try:
        host = urlsplit(origin).netloc
    except ValueError:
        host = ""
    if site != "same-origin" or not host or host != request.headers.get("host"):
        raise RoomError(403, _("Only the app's own pages may do this."))
