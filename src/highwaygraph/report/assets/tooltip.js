// The values of a mark of a chart in one tooltip: where the pointer is, after a tap, and by arrow keys on a focused chart.
// Without this script the browser shows the title of a mark, late and for a mouse only.
(() => {
  "use strict";
  const MARGIN = 8;
  const tip = Object.assign(document.createElement("div"), { className: "chart-tip", hidden: true });
  // Read aloud when arrow keys change it.
  tip.setAttribute("role", "status");
  document.body.append(tip);

  const hide = () => { tip.hidden = true; };
  const show = (mark, x, y) => {
    if (tip.textContent !== mark.dataset.values) tip.textContent = mark.dataset.values;
    tip.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = tip;
    const left = Math.min(Math.max(MARGIN, x - width / 2), document.documentElement.clientWidth - width - MARGIN);
    // Above the mark, where no finger hides it, unless that is out of view.
    tip.style.left = `${scrollX + left}px`;
    tip.style.top = `${scrollY + (y - height - 12 < MARGIN ? y + 18 : y - height - 12)}px`;
  };
  const markOf = ({ target }) => target.closest?.(".chart .mark") ?? null;

  const marks = [...document.querySelectorAll(".chart .mark")];
  for (const mark of marks) {
    const title = mark.querySelector("title");
    mark.dataset.values = title.textContent;
    // Otherwise the browser would show the same text a second time.
    title.remove();
  }
  const showAtPointer = (event) => {
    const mark = markOf(event);
    if (mark) show(mark, event.clientX, event.clientY);
    else hide();
  };
  document.addEventListener("pointerover", showAtPointer);
  document.addEventListener("pointermove", (event) => { if (!tip.hidden) showAtPointer(event); });
  // A finger leaves the mark when it is lifted; the click that follows shows the values again.
  document.addEventListener("click", showAtPointer);

  // One stop of the tab key for each chart: a matrix has a hundred marks.
  const startKeys = (chart) => {
    const own = [...chart.querySelectorAll(".mark")];
    let place = -1;
    const select = (next) => {
      own[place]?.classList.remove("current");
      place = next;
      if (place < 0) return hide();
      own[place].classList.add("current");
      const { left, top, width } = own[place].getBoundingClientRect();
      show(own[place], left + width / 2, top);
    };
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    chart.setAttribute("tabindex", "0");
    chart.addEventListener("focus", () => { if (chart.matches(":focus-visible")) select(0); });
    chart.addEventListener("blur", () => select(-1));
    chart.addEventListener("keydown", (event) => {
      if (event.key === "Escape") select(-1);
      if (!(event.key in steps)) return;
      event.preventDefault();
      select((place + steps[event.key] + own.length) % own.length);
    });
  };
  for (const chart of new Set(marks.map((mark) => mark.closest(".chart")))) startKeys(chart);
})();
