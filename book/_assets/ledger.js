// Filters of the ledger page: by source, by verdict, by words. The address carries them: ledger.html?verdict=refuted
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form.ledger-filters");
  if (!form) return;
  const bodies = [...document.getElementById("ledger").tBodies];
  const fits = (row, { source, verdict, words }) =>
    (!source || row.dataset.source === source) &&
    (!verdict || row.dataset.verdict === verdict) &&
    words.toLowerCase().split(/\s+/).every((word) => row.textContent.toLowerCase().includes(word));

  function show() {
    const wanted = Object.fromEntries(new FormData(form));
    let count = 0;
    for (const body of bodies) {
      const rows = [...body.querySelectorAll("tr[data-verdict]")];
      for (const row of rows) row.hidden = !fits(row, wanted);
      const visible = rows.filter((row) => !row.hidden).length;
      body.hidden = visible === 0;
      count += visible;
    }
    document.getElementById("ledger-count").textContent = count === 1 ? "1 claim" : `${count} claims`;
    const query = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value)).toString();
    history.replaceState(null, "", `${location.pathname}${query ? `?${query}` : ""}${location.hash}`);
  }

  for (const [name, value] of new URLSearchParams(location.search)) {
    const field = form.elements.namedItem(name);
    if (field) field.value = value;
  }
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
});
