"""Run a program whose kernels are forked from one process that has imported.

    python forked_kernels.py FOLDER PROGRAM ...

A kernel imports numpy, matplotlib, pandas and scikit-learn, which takes longer than the
cells of many chapters with small parameters. Here one process imports them, and each
kernel is a copy of it. A kernel still imports the project itself, since a test looks at
the files that a chapter opens (see ``opened.py``).

The program finds in FOLDER how to start a kernel: by `ask`, in a process that has a
kernel forked and lives as long as it. So the program can wait for it and kill it.
"""

import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

IMPORTED = (
    "ipykernel.ipkernel",
    "matplotlib.pyplot",
    "myst_nb",
    "nbformat",
    "networkx",
    "numba",
    "pandas",
    "scipy.optimize",
    "scipy.stats",
    "sklearn.datasets",
    "sklearn.ensemble",
    "sklearn.model_selection",
    "sklearn.neighbors",
    "sklearn.pipeline",
    "sklearn.tree",
    "sympy",
)


def command(folder, program):
    """The command that runs a program with forked kernels; its kernels must see the
    folder by the same name, which is short since a socket's name is.
    """
    # -P keeps the folder of this file from the path on which kernels import.
    return [sys.executable, "-P", __file__, str(folder), *program]


def main(folder, *program):
    """Run the program until it ends; return its exit code."""
    address = f"{folder}/socket"
    environment = _announce(Path(folder), address)
    kernels = []
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        server.settimeout(0.1)
        running = subprocess.Popen([sys.executable, *program], env=environment)
        _import()

        while running.poll() is None:
            try:
                asked, _ = server.accept()
            except TimeoutError:
                continue
            with asked:
                kernel = os.fork()
                if kernel == 0:
                    server.close()
                    return _kernel(asked)
                kernels.append(kernel)

    for kernel in kernels:
        os.waitpid(kernel, 0)
    return running.returncode


def _announce(folder, address):
    """Write how to start a kernel; the environment of a program that reads it."""
    specification = folder / "kernels" / "python3" / "kernel.json"
    specification.parent.mkdir(parents=True, exist_ok=True)
    asking = [sys.executable, "-I", "-S", __file__, "--ask", address]
    content = {
        "argv": [*asking, "-f", "{connection_file}"],
        "display_name": "Python 3",
        "language": "python",
    }
    specification.write_text(json.dumps(content), encoding="utf-8")
    Path(address).unlink(missing_ok=True)

    known = [str(folder.resolve())]
    if os.environ.get("JUPYTER_PATH"):
        known.append(os.environ["JUPYTER_PATH"])
    return {**os.environ, "JUPYTER_PATH": os.pathsep.join(known)}


def _import():
    """Import what chapters do."""
    # A kernel sets this before it runs a cell, and matplotlib reads it when imported.
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    for name in IMPORTED:
        importlib.import_module(name)
    # What numba loads when it compiles for the first time is loaded here, too. Where it
    # is imported, the library uses it for shorter loops, with the same results.
    sys.modules["numba"].njit("int64(int64)")(lambda number: number)


def _kernel(asked):
    """Be the kernel that was asked for, until it is shut down."""
    from ipykernel.kernelapp import IPKernelApp

    arguments, environment = json.loads(asked.makefile().readline())
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["ipykernel_launcher", *arguments]
    threading.Thread(target=_end_with, args=(asked,), daemon=True).start()
    IPKernelApp.launch_instance(arguments)
    return 0


def _end_with(asking):
    """End when the process that asked for this one does, as one that is killed."""
    asking.recv(1)
    os._exit(1)


def ask(address, *arguments):
    """Have a kernel forked with the environment of this process; wait for its end."""
    # Who shuts down a kernel interrupts it first, and this process has to outlive it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        asked = json.dumps([arguments, dict(os.environ)])
        server.sendall(f"{asked}\n".encode())
        server.recv(1)
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "--ask":
        raise SystemExit(ask(*sys.argv[2:]))
    raise SystemExit(main(*sys.argv[1:]))
