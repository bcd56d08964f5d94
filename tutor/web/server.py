"""textual-serve with access control: this machine only, a random token, no other page's requests.

textual-serve starts the application for everybody who opens its WebSocket (1.1.3:
`Server.handle_websocket` checks neither Origin nor a secret), and this application runs typed Python. So
every request must name this server as its host (a name that was made to resolve to 127.0.0.1 does not
pass), carry the token, and a WebSocket must come from this server's own page.
"""

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

from aiohttp import WSMsgType, web
from textual_serve.server import Server

from tutor.web.application import Application, obey, read_size

HOST = "127.0.0.1"
_HERE = Path(__file__).parent

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class LocalServer(Server):
    """A server of `tutor` on 127.0.0.1:`port` for holders of `token`; calls `say` when it is up."""

    def __init__(self, port: int, token: str, say: Callable[[str], None]) -> None:
        super().__init__(
            "tutor",  # `Application` says how it is started
            host=HOST,
            port=port,
            title="tutor",
            public_url=f"http://{HOST}:{port}",
            templates_path=_HERE,
        )
        self._token, self._say = token, say
        self._cookie = f"tutor-token-{port}"  # a browser gives a host's cookies to all of its ports
        self._open: dict[web.WebSocketResponse, Application] = {}

    @property
    def address(self) -> str:
        """The address to open. The page trades the token in it for a cookie."""
        return f"{self.public_url}/?token={self._token}"

    def initialize_logging(self) -> None:
        """Log nothing: a log of requests would contain the token."""

    async def on_startup(self, app: web.Application) -> None:
        # The port opens only after this, and a client may come at once.
        self._announcing = asyncio.create_task(self._announce())

    async def _announce(self) -> None:
        while True:
            try:
                _, writer = await asyncio.open_connection(HOST, self.port)
            except OSError:
                await asyncio.sleep(0.01)
            else:
                writer.close()
                self._say(self.address)
                return

    async def _make_app(self) -> web.Application:
        app: web.Application = await super()._make_app()
        app.middlewares.append(self._door)
        app.router.add_get("/focus.js", self._focus_script)
        return app

    async def handle_index(self, request: web.Request) -> web.StreamResponse:
        if "token" in request.query:
            entered = web.HTTPFound("/")
            # Lax: the page that leads here is a file (`--open`), which is another site.
            entered.set_cookie(self._cookie, self._token, httponly=True, samesite="Lax")
            raise entered
        page: web.StreamResponse = await super().handle_index(request)
        # Nothing is loaded from elsewhere, even if a later textual-serve asks for it.
        page.headers["Content-Security-Policy"] = (
            "default-src 'self'; style-src 'self' 'unsafe-inline'; "
            f"connect-src 'self' ws://{HOST}:{self.port}; img-src 'self' data:; font-src 'self' data:; "
            "frame-ancestors 'none'"
        )
        page.headers["Referrer-Policy"] = "no-referrer"
        return page

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Run the application for a tab until the tab is closed."""
        socket = web.WebSocketResponse(heartbeat=15)
        await socket.prepare(request)

        async def close() -> None:
            await socket.close()

        application = self._open[socket] = Application(
            self.command,
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=close,
            download_manager=self.download_manager,
        )
        try:
            size = (request.query.get("width"), request.query.get("height"))
            await application.start(read_size(size[0]) or 80, read_size(size[1]) or 24)
            async for message in socket:
                if message.type == WSMsgType.TEXT:
                    answer = await obey(application, _read_json(message.data))
                    if answer is not None:
                        await socket.send_json(answer)
        except (asyncio.CancelledError, ConnectionError):
            pass  # the server ends, or the tab has gone
        finally:
            await application.stop()
            del self._open[socket]
        return socket

    async def on_shutdown(self, app: web.Application) -> None:
        """End every application; aiohttp would wait a minute for their tabs."""
        await asyncio.gather(*(each.stop() for each in self._open.values()))
        await asyncio.gather(*(socket.close() for socket in [*self._open]))

    async def _focus_script(self, _: web.Request) -> web.StreamResponse:
        return web.FileResponse(_HERE / "focus.js")

    @web.middleware
    async def _door(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        refused = self._refusal(request)
        if refused:
            return web.Response(status=403, text=f"{refused}\n")
        return await handler(request)

    def _refusal(self, request: web.Request) -> str:
        """Return why this request is refused, or ""."""
        own = f"{HOST}:{self.port}"
        if request.host != own:
            return f"tutor serves http://{own} only"
        origin = request.headers.get("Origin")
        needed = request.path == "/ws"
        if origin != f"http://{own}" and (needed or origin is not None):
            return "another page's request is refused"
        shown = (request.query.get("token", ""), request.cookies.get(self._cookie, ""))
        if any(hmac.compare_digest(_bytes(each), self._token.encode()) for each in shown):
            return ""
        return "open the address that `tutor serve` printed: it holds the token"


def _read_json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
