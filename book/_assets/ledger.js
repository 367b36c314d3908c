// Filters of the ledger page: by source and by verdict.
document.addEventListener("DOMContentLoaded", () => {
  const table = document.getElementById("ledger");
  if (!table) return;
  const filters = [...document.querySelectorAll("[data-ledger-filter]")];
  const rows = [...table.tBodies[0].rows];
  const show = () => {
    const wanted = filters.filter((f) => f.value);
    const visible = rows.filter((row) => {
      row.hidden = !wanted.every((f) => row.dataset[f.dataset.ledgerFilter] === f.value);
      return !row.hidden;
    });
    document.getElementById("ledger-count").textContent = `${visible.length} claims`;
  };
  filters.forEach((f) => f.addEventListener("change", show));
});
