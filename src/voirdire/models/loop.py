"""A thread with an event loop of its own: many calls at once, asked for from plain code.

The loop is not the caller's, so all of this works inside a running one (a notebook), and a
client made in it is never met by another loop ("Event loop is closed").
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

__all__ = ["LoopThread"]

T = TypeVar("T")
R = TypeVar("R")

# Twice as many items as may run at once are handed over, so that the loop has the next one at
# hand while the caller is busy with an answer.
_AHEAD = 2


class LoopThread:
    """An event loop in a daemon thread, begun when first used."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._lock = Lock()

    def run(self, coroutine: Coroutine[Any, Any, R]) -> R:
        """Run one coroutine in the loop and wait for what it returns or raises."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._running()).result()

    def map(
        self, items: Iterable[T], work: Callable[[T], Awaitable[R]], *, limit: int
    ) -> Iterator[tuple[T, R]]:
        """Work off a stream of items, several at once; results come as they are ready.

        Items are taken from the stream in the caller's thread, a few ahead and never all: memory
        does not grow with their number.

        Parameters
        ----------
        items : iterable
        work : callable
            Gives an awaitable for an item; how many run at once is its own affair.
        limit : int
            At most ``2 * limit`` items are in hand.

        Yields
        ------
        tuple of item and result
            In the order they are ready.

        Raises
        ------
        Exception
            The first that ``work`` raised. No new item is begun after it, and what is under way
            is waited for and given out before: it may have been paid for.
        """
        loop = self._running()
        done: SimpleQueue[tuple[T, Future[R]]] = SimpleQueue()
        running: set[Future[R]] = set()
        source = iter(items)
        first_error: Exception | None = None
        more = True
        try:
            while True:
                while more and first_error is None and len(running) < _AHEAD * limit:
                    try:
                        item = next(source)
                    except StopIteration:
                        more = False
                        break
                    running.add(_begin(work, item, loop, done))
                if not running:
                    break
                item, future = done.get()
                running.discard(future)
                try:
                    result = future.result()
                except Exception as error:
                    first_error = first_error or error
                    continue
                yield item, result
        finally:
            for future in running:
                future.cancel()
        if first_error is not None:
            raise first_error

    def close(self) -> None:
        """End the loop and its thread; a second call does nothing."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(timeout=10)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = Thread(
                    target=_serve, args=(self._loop,), name="voirdire-calls", daemon=True
                )
                self._thread.start()
            return self._loop


def _begin(
    work: Callable[[T], Awaitable[R]],
    item: T,
    loop: asyncio.AbstractEventLoop,
    done: SimpleQueue[tuple[T, Future[R]]],
) -> Future[R]:
    async def worked() -> R:
        return await work(item)

    future = asyncio.run_coroutine_threadsafe(worked(), loop)
    future.add_done_callback(lambda finished: done.put((item, finished)))
    return future


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
