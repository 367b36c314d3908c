"""The example of the landing page: run by the build, printed with what it says, its two trees drawn."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import matplotlib.pyplot as plt

from reproduction.plotting import draw_structure, use_book_style
from treebounds import TreeStructure

EXAMPLE = """\
import treebounds as tb
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
tree = DecisionTreeClassifier(random_state=0).fit(X_train, y_train)
small = tb.prune(tree, X_train, y_train)
print(tb.certify(small, X_test, y_test, method="test-set"))
"""


def fragments() -> dict[str, str]:
    """The example with what it prints as MyST text, a sentence about its trees, and their picture."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(EXAMPLE, names)
    trees = {"before": names["tree"], "after": names["small"]}
    sentences = (
        f"{name.capitalize()}: {tree.get_n_leaves()} leaves, "
        f"{100 * (1 - tree.score(names['X_test'], names['y_test'])):.1f} percent errors on the test set."
        for name, tree in trees.items()
    )
    return {
        "example.md": f"```python\n{EXAMPLE}```\n\nIt prints:\n\n> {said.getvalue()}",
        "example-trees.md": " ".join(sentences) + "\n",
        "example.svg": _draw(trees),
    }


def _draw(trees: dict[str, Any]) -> str:
    """The structures of the trees side by side, as SVG."""
    use_book_style()
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 2.4), width_ratios=[2, 1])
    for ax, (name, tree) in zip(axes, trees.items(), strict=True):
        draw_structure(TreeStructure.from_sklearn(tree), ax, scale=0.8)
        ax.set_title(f"{name}: {tree.get_n_leaves()} leaves")
        ax.set_axis_off()
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None}, facecolor="white")
    plt.close(figure)
    return out.getvalue()
