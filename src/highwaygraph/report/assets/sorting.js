// Tables of the page that are sorted by the column whose head is clicked, in pages; without scripts they have all rows.
(() => {
  "use strict";
  const PAGE_SIZE = 15;
  const compare = (a, b) => a.localeCompare(b, "en", { numeric: true });
  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  // Buttons below a table that has more rows than a page; `show` shows the page that begins with a row.
  const pages = (table, rows) => {
    let first = 0;
    const turn = (name, step) => {
      const button = make("button", { type: "button" }, name);
      button.addEventListener("click", () => show(first + step));
      return button;
    };
    const [previous, next] = [turn("Previous", -PAGE_SIZE), turn("Next", PAGE_SIZE)];
    const status = make("span", { className: "note status" });
    status.setAttribute("role", "status");
    const show = (from) => {
      first = from;
      const page = rows().slice(first, first + PAGE_SIZE);
      table.tBodies[0].replaceChildren(...page);
      status.textContent = `${first + 1} to ${first + page.length} of ${rows().length}`;
      previous.disabled = first === 0;
      next.disabled = first + PAGE_SIZE >= rows().length;
      window.highwayFold(table);
    };
    if (rows().length > PAGE_SIZE) table.parentElement.after(make("div", { className: "toolbar" }, previous, next, status));
    return { show };
  };
  const start = (table) => {
    const [head] = table.tHead.rows;
    let rows = [...table.tBodies[0].rows];
    const pager = pages(table, () => rows);
    const sortBy = (column) => {
      const descending = head.cells[column].getAttribute("aria-sort") === "ascending";
      for (const cell of head.cells) cell.setAttribute("aria-sort", "none");
      head.cells[column].setAttribute("aria-sort", descending ? "descending" : "ascending");
      const text = (row) => row.cells[column].textContent;
      rows = rows.sort((a, b) => (descending ? -1 : 1) * compare(text(a), text(b)));
      pager.show(0);
    };
    [...head.cells].forEach((cell, column) => {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: cell.textContent });
      button.addEventListener("click", () => sortBy(column));
      cell.replaceChildren(button);
      cell.setAttribute("aria-sort", "none");
    });
    // Once all heads are buttons: the values of every row are named by them.
    window.highwayFold(table);
    pager.show(0);
  };
  for (const table of document.querySelectorAll("table[data-sorted]")) start(table);
})();
