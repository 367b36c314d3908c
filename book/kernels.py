"""Kernels that are forked from one process, which has imported what chapters use.

A kernel that starts from nothing takes two to three seconds to import it, and the book
has fifty. Only packages of others are imported before: each kernel imports the
project's own modules itself, so a kernel is as fresh as one that was started alone.

Run as a program, this file is the process from which kernels are forked.
"""

import gc
import importlib
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, Pipe
from threading import Lock
from typing import Any

import psutil
from jupyter_client import AsyncKernelManager

# What most chapters import. None of these modules starts a thread, or looks for the
# kernel in which it is.
IMPORTED = (
    "ipykernel.kernelapp",
    "jinja2",
    "joblib",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "matplotlib.pyplot",
    "myst_nb.ext.glue",
    "nbformat.validator",
    "networkx",
    "numpy",
    "pandas",
    "scipy.optimize",
    "scipy.stats",
    "sklearn.datasets",
    "sklearn.ensemble",
    "sklearn.model_selection",
    "sklearn.tree",
    "sympy",
    "yaml",
)
# On macOS the frameworks below numpy do not survive a fork.
CAN_FORK = sys.platform == "linux"


class Forked:
    """A kernel's process, as jupyter_client uses those that it starts itself."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._process: psutil.Process | None = None
        with suppress(psutil.NoSuchProcess):  # It may have ended already.
            self._process = psutil.Process(pid)

    def poll(self) -> int | None:
        """None while it runs; its exit code is not known, and 0 stands for it."""
        running = self._process is not None and self._process.is_running()
        return None if running else 0

    def wait(self) -> int:
        """Wait until it has ended."""
        if self._process is not None:
            self._process.wait()
        return 0

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)


class Origin:
    """The process from which kernels are forked."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = Lock()

    def fork(self, command: Sequence[str], environment: Mapping[str, str]) -> Forked:
        """A new process that runs a command ``python -m module argument...``."""
        with self._lock:
            self._connection.send((command[2:], dict(environment)))
            return Forked(self._connection.recv())


@contextmanager
def origin(environment: Mapping[str, str]) -> Iterator[Origin]:
    """Start the process; it ends with this one, at the latest."""
    own = {**environment, "MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    here, there = Pipe()
    process = subprocess.Popen(
        [sys.executable, __file__, str(there.fileno())],
        env=own,
        stdin=subprocess.DEVNULL,
        pass_fds=[there.fileno()],
        start_new_session=True,  # Ctrl-C reaches only this process.
    )
    there.close()
    try:
        yield Origin(here)
    finally:
        here.close()
        process.wait()


def manager(environment: Mapping[str, str], source: Origin | None) -> type:
    """The class of the manager of a kernel with an environment of its own.

    Its kernel is forked if there is a process to fork it from.
    """

    class Kernel(AsyncKernelManager):
        def start_kernel(self, **options: Any) -> Any:
            return super().start_kernel(env=environment, **options)

        async def _async_launch_kernel(
            self, kernel_cmd: list[str], **options: Any
        ) -> None:
            if source is None:
                await super()._async_launch_kernel(kernel_cmd, **options)
                return
            provisioner: Any = self.provisioner
            provisioner.process = source.fork(kernel_cmd, options["env"])
            provisioner.pid = provisioner.process.pid
            provisioner.pgid = provisioner.pid

    return Kernel


def _serve(connection: Connection) -> None:
    """Fork a process for each request until there is nobody who could send one."""
    signal.signal(signal.SIGCHLD, _bury)
    # A kernel looks whether its parent is still there.
    os.environ["JPY_PARENT_PID"] = str(os.getpid())
    for name in IMPORTED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()

    while True:
        try:
            arguments, environment = connection.recv()
        except EOFError:
            return
        pid = os.fork()
        if pid == 0:
            connection.close()
            _become(arguments, environment)
            return
        connection.send(pid)


def _bury(*_: Any) -> None:
    """Take note of kernels that have ended, which would be zombies otherwise."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _become(arguments: list[str], environment: dict[str, str]) -> None:
    """Run the module that the arguments name, in a session of its own."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    parent = os.environ["JPY_PARENT_PID"]
    os.environ.clear()
    os.environ.update(environment, JPY_PARENT_PID=parent)
    # By the clock, as in a process that was started alone.
    sys.modules["numpy"].random.seed()

    module, *sys.argv[1:] = arguments
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    del sys.path[0]  # This folder: a chapter does not import from it.
    _serve(Connection(int(sys.argv[1])))
