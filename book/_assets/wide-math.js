// A formula in a line of its own becomes smaller where it is wider than the page, down
// to seven tenths; then it scrolls. An inline formula that is wider than its line
// becomes a line of its own, which scrolls: phones would clip it. What touches an
// inline formula (a comma, a bracket, "-set") stays on its line: browsers break on
// either side of it. Some browsers give what is folded no size, so it is looked at
// again when it unfolds.
document.addEventListener("DOMContentLoaded", () => {
  const typeset = window.MathJax?.startup?.promise;
  if (!typeset) return;
  const formulas = (within) =>
    within.querySelectorAll("article mjx-container:not([display=true])");
  const touching = (node, pattern) =>
    (node?.nodeType === Node.TEXT_NODE && node.data.match(pattern)?.[0].length) || 0;
  const bind = () => {
    for (const drawn of formulas(document)) {
      const formula = drawn.closest("span.math") ?? drawn;
      const { previousSibling: before, nextSibling: after } = formula;
      const [opening, closing] = [
        touching(before, /[([{“‘]+$/),
        touching(after, /^\S{1,12}(?!\S)/),
      ];
      if (!opening && !closing) continue;
      const whole = document.createElement("span");
      whole.className = "with-formula";
      formula.replaceWith(whole);
      whole.append(opening ? before.splitText(before.length - opening) : "", formula);
      if (closing) {
        after.splitText(closing);
        whole.append(after);
      }
    }
  };
  const settle = (within) => {
    for (const formula of within.querySelectorAll(
      "article mjx-container[display=true]",
    )) {
      formula.style.fontSize = "";
      const width = () => formula.querySelector("svg")?.getBoundingClientRect().width,
        room = formula.clientWidth;
      // The unit of its width, ex, is a whole number of pixels with some fonts, so a
      // size must be tried.
      for (let size = (0.98 * room) / width(); room && width() > room; size -= 0.02) {
        formula.style.fontSize = `${Math.max(0.7, size)}em`;
        if (size <= 0.7) break;
      }
    }
    for (const formula of formulas(within)) {
      formula.classList.remove("wide-math");
      const room = formula.parentElement.closest(
        "p, li, td, th, dd, figcaption",
      )?.clientWidth;
      if (room && formula.getBoundingClientRect().width > room)
        formula.classList.add("wide-math");
    }
  };
  typeset.then(bind).then(() => settle(document));
  window.addEventListener("resize", () => settle(document));
  document.addEventListener(
    "toggle",
    ({ target }) => target.open && settle(target),
    true,
  );
});
