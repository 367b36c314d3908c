// What is cut off on the right fades there, be it that its box scrolls or that it is
// one line of the ledger: a clean cut would look like its end. The keyboard reaches a
// figure or an output that scrolls (on a phone), as it reaches the theme's own boxes.
document.addEventListener("DOMContentLoaded", () => {
  const boxes =
    "div.math, mjx-container, .pst-scrollable-table-container, .cell_output, .cell_output .output, pre, figure, .ledger summary";
  const mark = (box) => {
    const more = box.scrollWidth - box.clientWidth,
      cut = getComputedStyle(box).overflowX !== "visible" && more > 2;
    box.classList.toggle("more-to-the-right", cut && more - box.scrollLeft > 2);
    if (box.matches("figure, .cell_output")) box.tabIndex = cut ? 0 : -1;
  };
  for (const image of document.querySelectorAll("article figure img")) {
    const tell = () => image.style.setProperty("--natural", `${image.naturalWidth}px`);
    if (image.complete) tell();
    else image.addEventListener("load", tell);
  }
  const sizes = new ResizeObserver((changed) =>
    changed.forEach(({ target }) => mark(target)),
  ); // also when it unfolds
  document.addEventListener(
    "scroll",
    (event) => event.target.matches?.(boxes) && mark(event.target),
    true,
  );
  (window.MathJax?.startup?.promise ?? Promise.resolve()).then(() => {
    // lines that begin with blanks or bars are a tree in print: they scroll, and do not
    // break
    for (const lines of document.querySelectorAll(".cell_output .output pre"))
      lines.classList.toggle("as-printed", /^(\||  )/m.test(lines.textContent));
    // a cell of several words needs some width, or they stand one below the other
    for (const cell of document.querySelectorAll("article td"))
      cell.classList.toggle("words", cell.textContent.trim().length > 20);
    for (const box of document.querySelectorAll(`article :is(${boxes})`))
      sizes.observe(box);
  });
});
