"""Kernels that are forked from one process, which has imported what most chapters import.

Run as a program it is that process.
"""

import atexit
import builtins
import gc
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from subprocess import Popen
from threading import Lock
from types import SimpleNamespace
from typing import Any

import psutil
from jupyter_client import AsyncKernelManager

# nothing of the project's own; not pyplot, which looks for a kernel at import
PRELOADED = (
    "jinja2",
    "matplotlib.figure",
    "myst_nb.ext.glue",
    "numba",
    "sklearn.datasets",
    "sklearn.ensemble",
    "sympy",
)


class Forks(Popen):
    """The process that forks; it ends with the one that started it, and the kernels end with it."""

    def __init__(self, environment: dict[str, str], modules: Iterable[str]) -> None:
        self._lock, (self._pipe, other) = Lock(), Pipe()
        command = [sys.executable, __file__, *modules]
        with other:  # in a session of its own, lest Ctrl-C reaches more than the build
            super().__init__(command, env=environment, stdin=other, start_new_session=True)

    def __exit__(self, *raised: Any) -> None:
        self._pipe.close()
        super().__exit__(*raised)

    def fork(self, environment: dict[str, str], arguments: list[str]) -> int:
        """Start a kernel, with something added to the environment; the number of its process."""
        with self._lock:
            self._pipe.send((environment, arguments))
            return self._pipe.recv()


class Kernels(AsyncKernelManager):
    """Starts the kernel of one chapter by forking; a subclass says where, and what is added."""

    forks: Forks
    environment: dict[str, str]

    async def _async_launch_kernel(self, kernel_cmd: list[str], **options: Any) -> None:
        pid = self.forks.fork(self.environment, kernel_cmd[kernel_cmd.index("-f") :])
        own = self.provisioner
        own.process = own.pid = own.pgid = _Grandchild(pid)


class _Grandchild(int):
    """The number of a process that is no child of this one; it answers in place of a Popen."""

    stdin = stdout = stderr = None

    def poll(self) -> int | None:
        return None if psutil.pid_exists(self) else 0

    wait = poll  # it is asked when the process has ended

    def send_signal(self, number: int) -> None:
        """Nothing is left to do: it is asked when the process's group is gone."""


def _serve(pipe: Connection, modules: Iterable[str]) -> None:
    """Import, then fork whenever asked; a child becomes a kernel."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    # as in a kernel, what is read at import: with whom it ends, where figures go; by pandas, where it prints
    os.environ["JPY_PARENT_PID"] = str(os.getpid())
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    sys.stdout.reconfigure(encoding="UTF-8")
    builtins.get_ipython = lambda: SimpleNamespace(kernel=None)
    kernelapp, *_ = [import_module(name) for name in ("ipykernel.kernelapp", *modules)]
    del builtins.get_ipython
    gc.freeze()  # no kernel looks through what all have, which would also copy it
    while True:
        while not pipe.poll(0.05):
            with suppress(ChildProcessError):
                os.waitpid(-1, os.WNOHANG)
        environment, sys.argv[1:] = pipe.recv()
        if os.fork() == 0:
            break
    os.setsid()
    os.environ.update(environment)
    pipe.send(os.getpid())
    pipe.close()
    kernelapp.IPKernelApp.launch_instance()
    atexit._run_exitfuncs()
    os._exit(0)  # to take down what was imported lasts longer than the kernel took to start


if __name__ == "__main__":
    del sys.path[0]  # this folder
    with suppress(EOFError):  # nobody can ask any more
        _serve(Connection(os.dup(0)), sys.argv[1:])
