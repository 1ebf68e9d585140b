// Table of highways (sorting, search, pagination) and copy buttons. Data enters the page through textContent only.
(() => {
  "use strict";
  const PAGE_SIZE = 25;
  const copy = (button) => {
    const source = document.getElementById(button.dataset.copy);
    const confirm = (text) => { button.textContent = text; setTimeout(() => { button.textContent = "Copy"; }, 1500); };
    // Some browsers deny clipboard access to pages opened from disk; the text is then selected instead.
    const select = () => { getSelection().selectAllChildren(source); confirm("Selected"); };
    if (navigator.clipboard) navigator.clipboard.writeText(source.textContent).then(() => confirm("Copied"), select);
    else select();
  };
  for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", () => copy(button));

  const table = document.getElementById("highway-table");
  if (!table) return;
  const { ids, classes, predicted, highways } = JSON.parse(document.getElementById("graph-data").textContent);
  const CORRECT = { 1: "correct", 0: "wrong", [-1]: "unknown" };
  const rows = highways.to.map((to, i) => [
    ids[highways.from[i]], ids[to], classes[predicted[to]], highways.round[i], highways.confidence[i], highways.pair_score[i],
    CORRECT[highways.correct[i]],
  ]);
  const search = document.getElementById("highway-search");
  const status = document.getElementById("highway-status");
  const [previous, next] = ["highway-previous", "highway-next"].map((id) => document.getElementById(id));
  const state = { column: null, descending: false, first: 0 };

  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true }));
  const filterAndSort = () => {
    const query = search.value.trim().toLowerCase();
    const found = query ? rows.filter((row) => row.some((cell) => String(cell).toLowerCase().includes(query))) : rows.slice();
    if (state.column !== null) found.sort((a, b) => (state.descending ? -1 : 1) * compare(a[state.column], b[state.column]));
    return found;
  };
  const createRow = (cells) => {
    const tr = document.createElement("tr");
    for (const cell of cells) tr.appendChild(document.createElement("td")).textContent = cell;
    return tr;
  };
  const render = () => {
    const found = filterAndSort();
    state.first = Math.min(state.first, Math.max(0, found.length - 1));
    state.first -= state.first % PAGE_SIZE;
    const page = found.slice(state.first, state.first + PAGE_SIZE);
    table.tBodies[0].replaceChildren(...page.map(createRow));
    const format = (n) => n.toLocaleString("en");
    status.textContent = found.length ? `${format(state.first + 1)} to ${format(state.first + page.length)} of ${format(found.length)}` : "No matches";
    previous.disabled = state.first === 0;
    next.disabled = state.first + PAGE_SIZE >= found.length;
  };
  const sortBy = (column) => {
    state.descending = state.column === column && !state.descending;
    state.column = column;
    state.first = 0;
    [...table.tHead.rows[0].cells].forEach((th, i) => {
      if (i === column) th.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    });
    render();
  };
  [...table.tHead.rows[0].cells].forEach((th, i) => th.firstElementChild.addEventListener("click", () => sortBy(i)));
  search.addEventListener("input", () => { state.first = 0; render(); });
  previous.addEventListener("click", () => { state.first -= PAGE_SIZE; render(); });
  next.addEventListener("click", () => { state.first += PAGE_SIZE; render(); });
  render();
})();
