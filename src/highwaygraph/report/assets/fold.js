// Tables that are wider than the page: each row becomes a block of labelled values, so that no column is out of view.
(() => {
  "use strict";
  const narrow = matchMedia("(max-width: 600px)");

  // The text above every column; the rows of a head are joined, as in "Precision, typical".
  const columnNames = (head) => {
    const grid = [...head.rows].map(() => []);
    [...head.rows].forEach((row, r) => {
      let c = 0;
      for (const cell of row.cells) {
        while (grid[r][c] !== undefined) c++;
        for (let i = 0; i < cell.rowSpan; i++)
          for (let j = 0; j < cell.colSpan; j++) grid[r + i][c + j] = i ? "" : cell.textContent.trim();
        c += cell.colSpan;
      }
    });
    const joined = (c) => grid.map((row, r) => (r ? row[c].toLowerCase() : row[c])).filter(Boolean).join(", ");
    return grid[0].map((_, c) => joined(c));
  };

  const fold = (table) => {
    // Tables of nodes are empty until the script of the page fills them.
    if (!table.tHead?.rows.length) return;
    const names = columnNames(table.tHead);
    for (const row of table.tBodies[0].rows) {
      if (row.className === "details") continue;
      [...row.cells].forEach((cell, i) => { cell.dataset.label = names[i]; });
    }
    const box = table.parentElement;
    // Measured as a table; rows of a page of nodes differ in width, so that these follow the screen as well.
    table.classList.remove("lines");
    const follows = narrow.matches && table.closest("[data-table]") !== null;
    table.classList.toggle("lines", follows || box.scrollWidth > box.clientWidth);
  };

  const widths = new WeakMap();
  // Folding changes heights only, so that an equal width ends the loop of measuring.
  const observer = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      if (widths.get(target) === contentRect.width) continue;
      widths.set(target, contentRect.width);
      fold(target.querySelector(":scope > table"));
    }
  });
  for (const table of document.querySelectorAll(".scroll > table")) {
    // At once, so that the first picture of the page has all columns; the observer reports later.
    fold(table);
    observer.observe(table.parentElement);
  }
  window.highwayFold = fold;
})();
