"""Kernels that are forked from one process, which has imported the packages that most
chapters use.

Run as a program, this file is that process: it starts a kernel for each pair of an
environment and arguments that it receives.
"""

import atexit
import builtins
import gc
import logging
import os
import signal
import sys
from contextlib import suppress
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from subprocess import Popen
from threading import Lock
from types import SimpleNamespace
from typing import Any

import psutil
from jupyter_client.provisioning import LocalProvisioner

# The project's own modules and pyplot are left out, because some of them look for their
# kernel at import.
PACKAGES = (
    "pandas matplotlib.figure numba scipy.stats sklearn.ensemble sklearn.datasets sympy"
    " myst_nb jinja2"
)


class Forks(Popen):
    """The process that forks kernels. It ends with the process that started it, and so
    do the kernels.
    """

    def __init__(self, environment: dict[str, str], packages: str) -> None:
        self._lock, (self._pipe, other) = Lock(), Pipe()
        with other:  # In a session of its own, so that Ctrl-C reaches only the build.
            command = [sys.executable, __file__, *packages.split()]
            super().__init__(
                command, env=environment, stdin=other, start_new_session=True
            )

    def __exit__(self, *raised: Any) -> None:
        self._pipe.close()
        super().__exit__(*raised)

    def fork(self, environment: dict[str, str], arguments: list[str]) -> "_Forked":
        """Start a kernel."""
        with self._lock:
            self._pipe.send((environment, arguments))
            return _Forked(self._pipe.recv())


class _Forked(psutil.Process):
    """A process that is not a child of this one, with the methods of a Popen that
    jupyter_client calls.
    """

    stdin = stdout = stderr = None

    def poll(self) -> int | None:
        return None if self.is_running() else 0


class Provisioner(LocalProvisioner):
    """A provisioner that starts a kernel by forking; its manager has the attribute
    ``forks``.
    """

    async def launch_kernel(self, cmd: list[str], **options: Any) -> Any:
        self.process = self.parent.forks.fork(options["env"], cmd[cmd.index("-f") :])
        self.pid = self.pgid = self.process.pid
        return self.connection_info


def _forget(*signal: Any) -> None:
    """Reap the kernels that ended, so that their processor time counts as that of the
    build.
    """
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _serve(pipe: Connection, packages: list[str]) -> None:
    """Import the packages, then fork for each request; the child becomes a kernel."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    # Some packages read these settings at import; they have the same values as in a
    # kernel.
    os.environ["JPY_PARENT_PID"] = str(os.getpid())
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    sys.stdout.reconfigure(encoding="UTF-8")
    builtins.get_ipython = lambda: SimpleNamespace(kernel=None)
    kernelapp, *_ = [import_module(name) for name in ("ipykernel.kernelapp", *packages)]
    del builtins.get_ipython
    # Otherwise collections of garbage would copy the memory of the packages in each
    # kernel.
    gc.freeze()
    signal.signal(signal.SIGCHLD, _forget)
    while True:
        environment, sys.argv[1:] = pipe.recv()
        if (pid := os.fork()) == 0:
            break
        pipe.send(pid)
    pipe.close()
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.environ.update(environment)
    import_module("numpy").random.seed()  # Each kernel draws its own numbers.
    # Without this, a kernel that shuts down may log an error about a closed socket.
    logging.getLogger("tornado").setLevel(logging.CRITICAL)
    kernelapp.IPKernelApp.launch_instance()
    atexit._run_exitfuncs()
    os._exit(0)  # Unloading the packages would take longer than starting the kernel.


if __name__ == "__main__":
    del sys.path[0]  # Remove this folder.
    with suppress(EOFError):  # The build has ended.
        _serve(Connection(os.dup(0)), sys.argv[1:])
