// Sortable tables with details, CSV downloads and copy buttons. Data enters the page through textContent only.
(() => {
  "use strict";
  const PAGE_SIZE = 15;
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const make = (tag, text = "", properties = {}) => Object.assign(document.createElement(tag), properties, { textContent: text });
  window.highwayPage = { make };

  const copy = (button) => {
    // Without an id, the text before the button.
    const source = button.dataset.copy ? document.getElementById(button.dataset.copy) : button.previousElementSibling;
    const confirm = (text) => { button.textContent = text; setTimeout(() => { button.textContent = "Copy"; }, 1500); };
    // Some browsers deny clipboard access to pages opened from disk; the text is then selected instead.
    const select = () => { getSelection().selectAllChildren(source); confirm("Selected"); };
    if (navigator.clipboard) navigator.clipboard.writeText(source.textContent).then(() => confirm("Copied"), select);
    else select();
  };
  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.("[data-copy]");
    if (button) copy(button);
  });

  // A blob needs no request, so the download works from disk.
  const download = (id) => {
    const url = URL.createObjectURL(new Blob([read(id)], { type: "text/csv" }));
    make("a", "", { href: url, download: `${id.replace("-csv", "-first")}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  };
  for (const button of document.querySelectorAll("[data-download]")) button.addEventListener("click", () => download(button.dataset.download));

  const showInGraph = (id) => {
    if (!window.highwayViewer?.show(id)) return;
    document.getElementById("graph").scrollIntoView();
  };
  const graphButton = (id) => {
    const button = make("button", "Show in the graph", { type: "button", className: "link" });
    button.addEventListener("click", () => showInGraph(id));
    return button;
  };
  const describe = (id, { part, neighbours, degree, attributes }) => {
    const list = make("dl");
    const add = (term, text) => list.append(make("dt", term), make("dd", text));
    add("Part of the split", part);
    for (const [name, value] of Object.entries(attributes)) add(name, value);
    const listed = neighbours.map(([other, label, given]) => `${other}: ${label}${given ? " (given)" : ""}`);
    const more = degree - listed.length;
    add(`Neighbours (${degree.toLocaleString("en")})`, listed.join("; ") + (more > 0 ? `; and ${more.toLocaleString("en")} more` : "") || "none");
    const box = make("div");
    box.append(list, graphButton(id));
    // Explanations are created on pages of runs only.
    if (window.highwayExplanation) box.append(Object.assign(window.highwayExplanation(id), { open: true }));
    return box;
  };

  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true }));
  const startTable = (root) => {
    const { heads, rows: cells, details } = read(`${root.dataset.table}-data`);
    const rows = cells.map((row, i) => ({ row, details: details?.[i] }));
    const [table, search, status] = ["table", "input", ".status"].map((selector) => root.querySelector(selector));
    const [previous, next] = [".previous", ".next"].map((selector) => root.querySelector(selector));
    const isNumber = heads.map((_, i) => cells.some((row) => typeof row[i] === "number") && i > 0);
    const state = { column: null, descending: false, first: 0 };

    const filterAndSort = () => {
      const query = search.value.trim().toLowerCase();
      const matches = ({ row }) => row.some((cell) => String(cell).toLowerCase().includes(query));
      const found = query ? rows.filter(matches) : rows.slice();
      if (state.column !== null) found.sort((a, b) => (state.descending ? -1 : 1) * compare(a.row[state.column], b.row[state.column]));
      return found;
    };
    const toggle = (button, tr, item) => {
      const open = button.getAttribute("aria-expanded") !== "true";
      button.setAttribute("aria-expanded", String(open));
      if (!open) return tr.nextElementSibling.remove();
      const cell = make("td", "", { colSpan: heads.length });
      cell.append(describe(item.row[0], item.details));
      const below = make("tr", "", { className: "details" });
      below.append(cell);
      tr.after(below);
    };
    const createRow = (item) => {
      const tr = make("tr");
      item.row.forEach((value, i) => {
        const cell = make("td", i ? value : "", { className: isNumber[i] ? "" : "word" });
        if (i === 0) {
          const button = make("button", value, { type: "button", className: "link" });
          if (item.details) button.setAttribute("aria-expanded", "false");
          button.addEventListener("click", () => (item.details ? toggle(button, tr, item) : showInGraph(value)));
          cell.append(button);
        }
        tr.append(cell);
      });
      return tr;
    };
    const render = () => {
      const found = filterAndSort();
      state.first = Math.min(state.first, Math.max(0, found.length - 1));
      state.first -= state.first % PAGE_SIZE;
      const page = found.slice(state.first, state.first + PAGE_SIZE);
      table.tBodies[0].replaceChildren(...page.map(createRow));
      window.highwayFold(table);
      const format = (n) => n.toLocaleString("en");
      const shown = `${format(state.first + 1)}${page.length > 1 ? ` to ${format(state.first + page.length)}` : ""}`;
      status.textContent = found.length ? `${shown} of ${format(found.length)}` : "No matches";
      // A list of one page has nothing to turn.
      previous.hidden = next.hidden = rows.length <= PAGE_SIZE;
      previous.disabled = state.first === 0;
      next.disabled = state.first + PAGE_SIZE >= found.length;
    };
    const sortBy = (column) => {
      state.descending = state.column === column && !state.descending;
      state.column = column;
      state.first = 0;
      [...table.tHead.rows[0].cells].forEach((th, i) => {
        if (i === column) th.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
        else th.setAttribute("aria-sort", "none");
      });
      render();
    };
    const head = make("tr");
    heads.forEach((name, i) => {
      const th = make("th", "", { scope: "col", className: isNumber[i] ? "" : "word" });
      const button = make("button", name, { type: "button" });
      button.addEventListener("click", () => sortBy(i));
      // Known before the first click: the column can be sorted.
      th.setAttribute("aria-sort", "none");
      th.append(button);
      head.append(th);
    });
    table.tHead.append(head);
    search.addEventListener("input", () => { state.first = 0; render(); });
    previous.addEventListener("click", () => { state.first -= PAGE_SIZE; render(); });
    next.addEventListener("click", () => { state.first += PAGE_SIZE; render(); });
    render();
  };
  for (const root of document.querySelectorAll("[data-table]")) startTable(root);
})();
