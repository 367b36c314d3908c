// A link to a claim opens it, in a chapter and in the ledger. The ledger's filters, by source, by verdict and by
// words, stand in the address: ledger.html?verdict=refuted
document.addEventListener("DOMContentLoaded", () => {
  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target?.matches("details.claim")) {
      target.open = true;
      target.scrollIntoView();
    }
  };
  window.addEventListener("hashchange", open);
  open();

  const form = document.querySelector("form.ledger-filters");
  if (!form) return;
  const sections = [...document.querySelectorAll("#ledger section")];
  const fits = (row, { source, verdict, words }) =>
    (!source || row.dataset.source === source || (source === "documents" && row.dataset.source !== "new")) &&
    (!verdict || row.dataset.verdict === verdict) &&
    words.toLowerCase().split(/\s+/).every((word) => row.textContent.toLowerCase().includes(word));

  function show() {
    const wanted = Object.fromEntries(new FormData(form));
    let count = 0;
    for (const section of sections) {
      const rows = [...section.querySelectorAll("details.claim")];
      for (const row of rows) row.hidden = !fits(row, wanted);
      const visible = rows.filter((row) => !row.hidden).length;
      section.hidden = visible === 0;
      count += visible;
    }
    document.getElementById("ledger-count").textContent =
      count === 0 ? "No claim matches these filters." : count === 1 ? "1 claim" : `${count} claims`;
    const query = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value)).toString();
    history.replaceState(null, "", `${location.pathname}${query ? `?${query}` : ""}${location.hash}`);
  }

  for (const [name, value] of new URLSearchParams(location.search)) {
    const field = form.elements.namedItem(name);
    if (field) field.value = value;
  }
  form.addEventListener("input", show);
  form.addEventListener("reset", () => setTimeout(show));
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
});
