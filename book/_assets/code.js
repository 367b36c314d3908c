// Code that makes a figure, a table or a number is hidden, or shown by a switch in the
// page's header that the next page remembers; "how it was made" opens the code of one
// figure or table in its place.
(() => {
  const root = document.documentElement;
  const shown = () => root.dataset.code === "shown";
  const storage = (act) => {
    try {
      return act(localStorage);
    } catch {
      return null; // a browser that keeps nothing
    }
  };
  root.dataset.code = storage((kept) => kept.getItem("code")) ?? "hidden";
  document.addEventListener("DOMContentLoaded", () => {
    const folded = document.querySelectorAll("article details.above-input");
    const header = document.querySelector(".article-header-buttons");
    if (!folded.length || !header) return;
    const open = (details, is) => details && (details.open = is);
    const button = document.createElement("button");
    button.className = "btn btn-sm code-switch";
    const label = () => {
      button.innerHTML = `Code<span>: ${shown() ? "shown" : "hidden"}</span>`;
      button.setAttribute("aria-pressed", shown());
    };
    button.addEventListener("click", () => {
      root.dataset.code = shown() ? "hidden" : "shown";
      storage((kept) => kept.setItem("code", root.dataset.code));
      folded.forEach((details) => open(details, shown()));
      label();
    });
    label();
    header.prepend(button);
    folded.forEach((details) => open(details, shown()));
    document.querySelector("article").addEventListener("change", ({ target }) => {
      if (target.matches(".provenance input"))
        open(
          target.closest(".cell")?.querySelector("details.above-input"),
          target.checked,
        );
    });
    for (const link of document.querySelectorAll("a.made-by")) {
      link.addEventListener("click", () =>
        open(document.querySelector(`${link.hash} details.above-input`), true),
      );
    }
  });
})();
