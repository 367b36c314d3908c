"""Put together the branch that the buttons for Binder and Colab open: python book/publish.py FOLDER

It holds the repository with the executed notebooks of ``_build`` in the place of their sources, what Binder
runs after it has installed environment.yml, and in each notebook a first cell that sets up Colab.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import yaml

ROOT = Path(__file__).resolve().parents[1]
# the pins of environment.yml are there already; the library itself is not one of them
POST_BUILD = "#!/bin/bash\nset -eu\npython -m pip install --no-deps --editable .\n"
COLAB = (ROOT / "book" / "_ext" / "colab.txt").read_text(encoding="utf-8").strip()


def publish(build: Path, target: Path) -> None:
    """Fill an empty or new folder with the published branch."""
    if target.exists() and any(target.iterdir()):
        raise ValueError(f"{target} is not empty")
    repository = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"]
    notebooks = repository["path_to_book"]
    checkout = ["git", "checkout-index", "--all", f"--prefix={target.resolve()}/"]
    subprocess.run(checkout, cwd=ROOT, check=True)
    shutil.rmtree(target / notebooks)
    for path in sorted((build / "executed").rglob("*.ipynb")):
        page = path.relative_to(build / "executed")
        (target / notebooks / page).parent.mkdir(parents=True, exist_ok=True)
        notebook = nbformat.read(path, as_version=4)
        cell = COLAB.format(branch=repository["branch"], url=repository["url"], part=page.parent.as_posix())
        notebook.cells.insert(0, nbformat.v4.new_code_cell(cell, id="cell-colab"))
        nbformat.write(notebook, target / notebooks / page)
    post_build = target / "postBuild"
    post_build.write_text(POST_BUILD, encoding="utf-8")
    post_build.chmod(0o755)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    publish(ROOT / "_build", Path(sys.argv[1]))
