// The excerpts below the hits of a search show a formula as an ellipsis in place of TeX.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined" || !Search.htmlToText) return;
  const plain = Search.htmlToText;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    for (const formula of page.querySelectorAll(".math")) formula.textContent = "…";
    return plain(page.documentElement.outerHTML, anchor);
  };
});
