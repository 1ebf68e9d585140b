// The table of highways (sorted, searched, a page at a time) and the copy buttons; all text goes in as text.
(() => {
  "use strict";
  const PAGE = 25;
  const copy = (button) => {
    const text = document.getElementById(button.dataset.copies).textContent;
    const say = (word) => { button.textContent = word; setTimeout(() => { button.textContent = "Copy"; }, 1500); };
    // A page opened from disk may not use the clipboard everywhere; then the text is selected instead.
    const select = () => { getSelection().selectAllChildren(document.getElementById(button.dataset.copies)); say("Selected"); };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => say("Copied"), select);
    else select();
  };
  for (const button of document.querySelectorAll("[data-copies]")) button.addEventListener("click", () => copy(button));

  const table = document.getElementById("highway-table");
  if (!table) return;
  const { ids, classes, predicted, highways } = JSON.parse(document.getElementById("graph-data").textContent);
  const RIGHT = { 1: "right", 0: "wrong", [-1]: "unknown" };
  const rows = highways.to.map((to, i) => [
    ids[highways.from[i]], ids[to], classes[predicted[to]], highways.round[i], highways.confidence[i], highways.pair_score[i],
    RIGHT[highways.correct[i]],
  ]);
  const search = document.getElementById("highway-search");
  const status = document.getElementById("highway-status");
  const [back, forth] = ["highway-back", "highway-forth"].map((id) => document.getElementById(id));
  const state = { column: null, down: false, first: 0 };

  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true }));
  const wanted = () => {
    const words = search.value.trim().toLowerCase();
    const found = words ? rows.filter((row) => row.some((cell) => String(cell).toLowerCase().includes(words))) : rows.slice();
    if (state.column !== null) found.sort((a, b) => (state.down ? -1 : 1) * compare(a[state.column], b[state.column]));
    return found;
  };
  const line = (row) => {
    const tr = document.createElement("tr");
    for (const cell of row) tr.appendChild(document.createElement("td")).textContent = cell;
    return tr;
  };
  const show = () => {
    const found = wanted();
    state.first = Math.min(state.first, Math.max(0, found.length - 1));
    state.first -= state.first % PAGE;
    const part = found.slice(state.first, state.first + PAGE);
    table.tBodies[0].replaceChildren(...part.map(line));
    const to = (n) => n.toLocaleString("en");
    status.textContent = found.length ? `${to(state.first + 1)} to ${to(state.first + part.length)} of ${to(found.length)}` : "None found";
    back.disabled = state.first === 0;
    forth.disabled = state.first + PAGE >= found.length;
  };
  const sortBy = (column) => {
    state.down = state.column === column && !state.down;
    state.column = column;
    state.first = 0;
    [...table.tHead.rows[0].cells].forEach((th, i) => {
      if (i === column) th.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    });
    show();
  };
  [...table.tHead.rows[0].cells].forEach((th, i) => th.firstElementChild.addEventListener("click", () => sortBy(i)));
  search.addEventListener("input", () => { state.first = 0; show(); });
  back.addEventListener("click", () => { state.first -= PAGE; show(); });
  forth.addEventListener("click", () => { state.first += PAGE; show(); });
  show();
})();
