// What is cut off on the right fades there, be it that its box scrolls or that it is one line of the ledger: a clean cut
// would look like its end. On a phone a wide figure gets such a box, in which its text stays large enough to be read.
document.addEventListener("DOMContentLoaded", () => {
  const boxes = "div.math, mjx-container, .pst-scrollable-table-container, .cell_output, .cell_output .output, pre, .ledger summary";
  const phone = window.matchMedia("(max-width: 40rem)");
  const mark = (box) => {
    const more = box.scrollWidth - box.clientWidth;
    if (box.matches(".figure-scroll")) box.classList.toggle("fits", more <= 0);
    else {
      const cut = getComputedStyle(box).overflowX !== "visible";
      box.classList.toggle("more-to-the-right", cut && more - box.scrollLeft > 2);
    }
  };
  const sizes = new ResizeObserver((changed) => changed.forEach(({ target }) => mark(target))); // also when it unfolds
  const boxFigures = () => {
    if (!phone.matches) return;
    for (const image of document.querySelectorAll("article :is(figure, .cell_output) img")) {
      if (image.closest(".figure-scroll")) continue;
      const box = document.createElement("div");
      Object.assign(box, { className: "figure-scroll", tabIndex: 0, role: "group", ariaLabel: "Figure, scrolls sideways" });
      image.replaceWith(box);
      box.append(image);
      sizes.observe(box);
    }
  };
  boxFigures();
  phone.addEventListener("change", boxFigures);
  document.addEventListener("scroll", (event) => event.target.matches?.(boxes) && mark(event.target), true);
  (window.MathJax?.startup?.promise ?? Promise.resolve()).then(() => {
    for (const box of document.querySelectorAll(`article :is(${boxes})`)) sizes.observe(box);
  });
});
