// A formula, a table or an output that goes on to the right of its box fades there: a clean cut would look like its end.
document.addEventListener("DOMContentLoaded", () => {
  const boxes = "div.math, mjx-container, .pst-scrollable-table-container, .cell_output, .cell_output pre";
  const mark = (box) => {
    const scrolls = ["auto", "scroll"].includes(getComputedStyle(box).overflowX);
    const more = scrolls && box.scrollWidth - box.clientWidth - box.scrollLeft > 2;
    box.classList.toggle("more-to-the-right", more);
  };
  const markAll = () => document.querySelectorAll(`article :is(${boxes})`).forEach(mark);
  window.addEventListener("resize", markAll);
  document.addEventListener("toggle", markAll, true); // what was folded has no size
  document.addEventListener("scroll", (event) => event.target.matches?.(boxes) && mark(event.target), true);
  (window.MathJax?.startup?.promise ?? Promise.resolve()).then(markAll);
});
