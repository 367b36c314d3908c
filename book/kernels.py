"""Kernels that are forked from one process, which has imported the packages that most chapters use.

As a program it is that process: for each environment and arguments that it receives it starts a kernel.
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

# Neither the project's own modules nor pyplot: some of them ask at import for the kernel that they run in.
PACKAGES = "pandas matplotlib.figure numba scipy.stats sklearn.ensemble sklearn.datasets sympy myst_nb jinja2"


class Forks(Popen):
    """The process that forks. It ends with the one that started it, and the kernels end with it."""

    def __init__(self, environment: dict[str, str], packages: str) -> None:
        self._lock, (self._pipe, other) = Lock(), Pipe()
        with other:  # a session of its own: Ctrl-C reaches the build alone
            command = [sys.executable, __file__, *packages.split()]
            super().__init__(command, env=environment, stdin=other, start_new_session=True)

    def __exit__(self, *raised: Any) -> None:
        self._pipe.close()
        super().__exit__(*raised)

    def fork(self, environment: dict[str, str], arguments: list[str]) -> "_Forked":
        """Start a kernel."""
        with self._lock:
            self._pipe.send((environment, arguments))
            return _Forked(self._pipe.recv())


class _Forked(psutil.Process):
    """A process that is not a child of this one, with the methods of a Popen that jupyter_client calls."""

    stdin = stdout = stderr = None

    def poll(self) -> int | None:
        return None if self.is_running() else 0


class Provisioner(LocalProvisioner):
    """Starts a kernel by forking; its manager has the ``forks``."""

    async def launch_kernel(self, cmd: list[str], **options: Any) -> Any:
        self.process = self.parent.forks.fork(options["env"], cmd[cmd.index("-f") :])
        self.pid = self.pgid = self.process.pid
        return self.connection_info


def _forget(*signal: Any) -> None:
    """Let the system forget the kernels that ended; their time counts as that of the build."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _serve(pipe: Connection, packages: list[str]) -> None:
    """Import, then fork whenever asked; a child becomes a kernel."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    # read at import, as in a kernel: the process with which it ends, where pandas prints, where figures go
    os.environ["JPY_PARENT_PID"] = str(os.getpid())
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    sys.stdout.reconfigure(encoding="UTF-8")
    builtins.get_ipython = lambda: SimpleNamespace(kernel=None)
    kernelapp, *_ = [import_module(name) for name in ("ipykernel.kernelapp", *packages)]
    del builtins.get_ipython
    gc.freeze()  # or each kernel would look through the packages for garbage, and so copy them
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
    import_module("numpy").random.seed()  # each kernel draws its own numbers
    # or a kernel that is shut down may complain of a socket that it has closed
    logging.getLogger("tornado").setLevel(logging.CRITICAL)
    kernelapp.IPKernelApp.launch_instance()
    atexit._run_exitfuncs()
    os._exit(0)  # to take the packages down would take longer than the kernel took to start


if __name__ == "__main__":
    del sys.path[0]  # this folder
    with suppress(EOFError):  # nobody can ask any more
        _serve(Connection(os.dup(0)), sys.argv[1:])
