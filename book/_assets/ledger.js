// A link to a claim opens it, in a chapter and in the ledger. The filters of the ledger
// and of the graph stand in the address: ledger.html?verdict=refuted
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
  const output = document.getElementById("ledger-count");
  const noun = output.textContent.replace(/\d+ /, ""); // claims, or nodes of the graph
  const sections = [...document.querySelectorAll("#ledger section")];
  const fits = (row, { words, ...exact }) =>
    Object.entries(exact).every(
      ([name, value]) =>
        !value ||
        row.dataset[name] === value ||
        (value === "documents" && row.dataset[name] !== "new"),
    ) &&
    words
      .toLowerCase()
      .split(/\s+/)
      .every((word) => row.textContent.toLowerCase().includes(word));

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
    output.textContent = count
      ? `${count} ${count === 1 ? noun.slice(0, -1) : noun}`
      : "Nothing matches these filters.";
    const query = new URLSearchParams(
      Object.entries(wanted).filter(([, value]) => value),
    ).toString();
    history.replaceState(
      null,
      "",
      `${location.pathname}${query ? `?${query}` : ""}${location.hash}`,
    );
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
