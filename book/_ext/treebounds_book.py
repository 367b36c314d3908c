"""Sphinx glue: mathematics without a network, tidy scripts, previews that typeset, one page for print."""

from __future__ import annotations

import hashlib
import re
import shutil
from importlib.metadata import distribution
from pathlib import Path

MATHJAX = "tex-svg-full.js"  # one file with its glyphs inside: works from file://
MATHJAX_SHA256 = "a4354ff94fd868aea0cc6eaaa79a57fda0588646fc46ee3700a349ee0a11cbe6"


def copy_mathjax(app):
    """Take MathJax from the package that carries it, checked, into the built book."""
    if app.builder.format != "html":
        return
    package = distribution("sphinx-mathjax-offline")
    source = Path(package.locate_file(f"sphinx-mathjax-offline/static/mathjax/{MATHJAX}"))
    if hashlib.sha256(source.read_bytes()).hexdigest() != MATHJAX_SHA256:
        raise RuntimeError(f"unexpected content in {source}")
    folder = Path(app.doctreedir) / "offline-static"
    (folder / "mathjax").mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, folder / "mathjax" / MATHJAX)
    app.config.html_static_path.append(str(folder))


def tidy_scripts(app, pagename, templatename, context, doctree):
    """Drop sphinx-thebe's script, the only one that another host would serve, and scripts named twice."""
    seen, kept = set(), []
    for script in context.get("script_files", []):
        body = getattr(script, "attributes", {}).get("body") or ""
        name = str(getattr(script, "filename", script) or "")
        if "THEBE_JS_URL" in body or name.endswith("sphinx-thebe.js") or (name, body) in seen:
            continue
        seen.add((name, body))
        kept.append(script)
    context["script_files"] = kept


def merge_singlehtml_handlers(app, config):
    """sphinx-exercise registers handlers for "singlehtml" alone; all others would be lost there."""
    handlers = app.registry.translation_handlers
    if "singlehtml" in handlers:
        handlers["singlehtml"] = {**handlers.get("html", {}), **handlers["singlehtml"]}


def typeset_previews_after_mount(app, error):
    """sphinx-tippy typesets before its box has a size, which breaks SVG glyphs."""
    for script in Path(app.outdir, "_static", "tippy").rglob("*.js"):
        text = script.read_text(encoding="utf-8")
        if "onShow(instance) {MathJax" in text:
            text = text.replace("onShow(instance) {MathJax", "onMount(instance) {MathJax")
            script.write_text(text, encoding="utf-8")


def skip_metadata_requests(app, what, name, member, skip, options):
    """Leave out the methods that scikit-learn adds to every estimator, whose text refers to its own pages."""
    return True if re.fullmatch(r"set_\w+_request", name) else None


def setup(app):
    """Register the hooks."""
    app.connect("config-inited", merge_singlehtml_handlers)
    app.connect("builder-inited", copy_mathjax)
    app.connect("autodoc-skip-member", skip_metadata_requests)
    app.connect("html-page-context", tidy_scripts, priority=900)
    app.connect("build-finished", typeset_previews_after_mount)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
