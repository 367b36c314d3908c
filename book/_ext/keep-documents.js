// Of the single page only the documents named stay, or only the landing page and the others; before them a title page.
([names, keep, title]) => {
  const parts = document.querySelectorAll(".toctree-wrapper");
  if (keep) {
    for (const piece of [...parts[0].parentElement.children]) if (!piece.matches(".toctree-wrapper")) piece.remove();
  }
  for (const mark of document.querySelectorAll(".toctree-wrapper > span[id^=document-]")) {
    if (names.includes(mark.id.slice("document-".length)) === keep) continue;
    mark.nextElementSibling?.remove();
    mark.remove();
  }
  document.querySelector(".bd-article-container")?.insertAdjacentHTML("afterbegin", title);
  for (const part of parts) if (!part.querySelector("section")) part.remove();
}
