"""The process of a scheduler, which workers and coordinators join.

httpdyno scheduler --listen 10.0.1.1:8786 --certificates certificates/scheduler
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress

from httpdyno.errors import EnvironmentFault
from httpdyno.scale.joining.certificates import Pems
from httpdyno.scale.joining.dask_classes import tell_refusals, without_http_server
from httpdyno.scale.joining.security import security, unusable
from httpdyno.scale.joining.settings import distributed_module

__all__ = ["serve"]

_CLOSE_S = 5.0


async def serve(
    host: str, port: int, pems: Pems | None, ended: asyncio.Event, say: Callable[[str], None]
) -> None:
    """Serves until `ended` is set, or a coordinator ends it.

    Raises EnvironmentFault when the address cannot be used.
    """
    module = distributed_module("serve")
    tell_refusals(say)
    protocol = "tcp" if pems is None else "tls"
    shown = f"[{host}]" if ":" in host else host
    try:
        scheduler = without_http_server(module.Scheduler)(
            host=shown,
            port=port,
            protocol=f"{protocol}://",
            dashboard=False,
            security=security(module, pems, host),
        )
        await scheduler.start()
    except ssl.SSLError as error:
        raise unusable(error) from None
    except (OSError, RuntimeError) as error:
        cause = error.__cause__ or error
        why = getattr(cause, "strerror", None) or cause
        raise EnvironmentFault(
            f"`--listen {shown}:{port}` cannot be used: {why}",
            hint="name an address of this machine and a free port; `ip address` lists them",
        ) from error
    say(f"scheduler on {scheduler.address}")
    stop, done = (asyncio.ensure_future(one) for one in (ended.wait(), scheduler.finished()))
    await asyncio.wait({stop, done}, return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    with suppress(TimeoutError):
        await asyncio.wait_for(scheduler.close(reason="ended"), _CLOSE_S)
    done.cancel()
