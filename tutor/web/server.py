"""textual-serve with access control: this machine only, a random token, no other page's requests.

textual-serve starts the application for everybody who opens its WebSocket (1.1.3:
`Server.handle_websocket` checks neither Origin nor a secret), and this application runs typed Python. So
every request must name this server as its host (a name that was made to resolve to 127.0.0.1 does not
pass), carry the token, and a WebSocket must come from this server's own page.
"""

import asyncio
import hmac
import shlex
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from aiohttp import web
from textual_serve.server import Server

HOST = "127.0.0.1"
COOKIE = "tutor-token"
_HERE = Path(__file__).parent

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class LocalServer(Server):
    """A server of `tutor` on 127.0.0.1:`port` for holders of `token`; calls `say` when it is up."""

    def __init__(self, port: int, token: str, say: Callable[[str], None]) -> None:
        super().__init__(
            f"{shlex.quote(sys.executable)} -m tutor",
            host=HOST,
            port=port,
            title="tutor",
            public_url=f"http://{HOST}:{port}",
            templates_path=_HERE,
        )
        self._token, self._say = token, say

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
            entered.set_cookie(COOKIE, self._token, httponly=True, samesite="Strict")
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
        shown = request.cookies.get(COOKIE, request.query.get("token", ""))
        if not hmac.compare_digest(shown.encode(), self._token.encode()):
            return "open the address that `tutor serve` printed: it holds the token"
        return ""
