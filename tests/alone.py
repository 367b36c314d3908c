"""Run a program with an installed wheel, and with nothing that it does not require.

    python tests/alone.py SITE REFUSED PROGRAM

SITE is the folder in which the wheel is installed, REFUSED the modules that cannot be
imported, separated by commas, and PROGRAM is code; without it all examples of the
library run.
"""

import doctest
import importlib
import pkgutil
import sys

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
EXTRAS = ("[pandas]", "[plot]", "[spark]")
NOT_REQUIRED = ("lightgbm", "pandas", "pyspark", "xgboost")
ABSENT = (*EXTRAS, *(f"No module named '{name}'" for name in NOT_REQUIRED))


class Refuse:
    """A finder in front of all others that finds none of some modules."""

    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in self.names:
            raise ModuleNotFoundError(f"No module named {top!r}", name=top)


def failures(library):
    """What the examples of a library print if they fail, but for those that name what
    they need and do not find.
    """
    modules = pkgutil.walk_packages(library.__path__, f"{library.__name__}.")
    names = [library.__name__, *(module.name for module in modules)]
    finder = doctest.DocTestFinder(exclude_empty=True)

    printed = []
    for name in names:
        for test in finder.find(importlib.import_module(name), name):
            output = failure(test)
            if not any(absent in output for absent in ABSENT):
                printed.append(output)
    return "".join(printed)


def failure(test):
    """What an example prints if it fails, as if it were pasted alone."""
    output = []
    test.globs = {"__name__": "__main__"}
    doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(test, out=output.append)
    return "".join(output)


def main():
    site, refused, *program = sys.argv[1:]
    sys.path[0] = site  # in the place of this folder
    sys.meta_path.insert(0, Refuse(refused.split(",")))

    library = importlib.import_module("treebounds")
    assert library.__file__.startswith(site), library.__file__
    if program:
        exec(program[0], {"__name__": "__main__"})
    else:
        printed = failures(library)
        print(printed, end="")
        sys.exit(bool(printed))


if __name__ == "__main__":
    main()
