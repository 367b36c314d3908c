// An inline formula that is wider than its line becomes a line of its own, which scrolls: phones would clip it.
document.addEventListener("DOMContentLoaded", () => {
  const typeset = window.MathJax?.startup?.promise;
  if (!typeset) return;
  const settle = () => {
    for (const formula of document.querySelectorAll("article mjx-container:not([display=true])")) {
      formula.classList.remove("wide-math");
      const room = formula.parentElement.closest("p, li, td, th, dd, figcaption")?.clientWidth;
      if (room && formula.getBoundingClientRect().width > room) formula.classList.add("wide-math");
    }
  };
  typeset.then(settle);
  window.addEventListener("resize", settle);
});
