// Tables of the page that are sorted by the column whose head is clicked; without scripts they keep their order.
(() => {
  "use strict";
  const compare = (a, b) => a.localeCompare(b, "en", { numeric: true });
  const start = (table) => {
    const [head] = table.tHead.rows;
    const sortBy = (column) => {
      const descending = head.cells[column].getAttribute("aria-sort") === "ascending";
      for (const cell of head.cells) cell.setAttribute("aria-sort", "none");
      head.cells[column].setAttribute("aria-sort", descending ? "descending" : "ascending");
      const text = (row) => row.cells[column].textContent;
      const rows = [...table.tBodies[0].rows].sort((a, b) => (descending ? -1 : 1) * compare(text(a), text(b)));
      table.tBodies[0].replaceChildren(...rows);
    };
    [...head.cells].forEach((cell, column) => {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: cell.textContent });
      button.addEventListener("click", () => sortBy(column));
      cell.replaceChildren(button);
      cell.setAttribute("aria-sort", "none");
    });
  };
  for (const table of document.querySelectorAll("table[data-sorted]")) {
    start(table);
    // The buttons of the heads are wider than their texts.
    window.highwayFold(table);
  }
})();
