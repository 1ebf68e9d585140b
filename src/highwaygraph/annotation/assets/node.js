// The node to label: its attributes, its prediction and its neighbours, and a button per class.
const labelNode = (() => {
  "use strict";
  const { make, dot, byId, counted } = labelDom;
  const colourOf = (state, name) => state.classes.find((one) => one.name === name)?.colour;

  // A long name may be broken after an underscore or a slash.
  const breakable = (name) => name.split(/(?<=[_/])/).flatMap((part, i) => (i ? [make("wbr"), part] : [part]));

  const details = (state, node) => {
    const rows = node.attributes.map(([name, value]) => [name, value === "" ? "–" : value]);
    if (!rows.length) rows.push(["features", node.features]);
    if (node.predicted.length) rows.push(["predicted", node.predicted.map(([name, share]) => `${name} ${share} %`).join(", ")]);
    if (node.known) rows.push(["label in the data", node.known]);
    if (node.answer) rows.push(["present answer", node.answer.class || node.answer.answer]);
    return make("dl", {}, ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", { tabindex: value.length > 400 ? "0" : null }, value)]));
  };

  const neighbour = (state, one, choose) => {
    const known = one.label ?? one.predicted?.[0] ?? null;
    const text = one.label ? one.label : one.predicted ? `${one.predicted[0]} predicted` : "not labelled";
    return make("li", {},
      make("button", { type: "button", click: () => choose(one.node) }, one.id),
      one.title ? make("span", { class: "title", title: one.title }, one.title) : null,
      make("span", {}, dot(colourOf(state, known)), text));
  };

  const neighbours = (state, node, choose) => {
    if (!node.degree) return make("p", { class: "note" }, "This node has no neighbours.");
    const more = node.degree > node.neighbours.length ? ` (${node.neighbours.length} of ${node.degree} shown)` : "";
    const list = node.neighbours.map((one) => neighbour(state, one, choose));
    return make("div", {}, make("h3", {}, counted(node.degree, "neighbour", "neighbours") + more),
      make("ul", { class: "neighbours", tabindex: "0", "aria-label": "Neighbours" }, ...list));
  };

  const classButton = (state, one, node, label) => {
    const likely = node?.predicted[0]?.[0] === one.name;
    const present = node?.answer?.class === one.name;
    return make("button", {
      type: "button", class: likely ? "likely" : null, "aria-pressed": String(present), "data-class": one.name, disabled: !node,
      "aria-keyshortcuts": one.key, click: () => label(one.name),
    }, one.key ? make("kbd", {}, one.key) : null, dot(one.colour), make("span", { class: "name" }, ...breakable(one.name)),
    make("span", { class: "count" }, String(one.count)));
  };

  const reasonText = (node) => {
    if (!node.reason) return "Chosen by you.";
    return `Suggested${node.is_earlier ? " before the last training" : ""}: ${node.reason}.`;
  };

  let shown = "";
  const show = (state, events) => {
    const node = state.current;
    const key = JSON.stringify([node, state.classes]);
    if (key === shown) return;
    shown = key;
    const focused = document.activeElement?.dataset?.class;
    byId("node-title").textContent = node ? `Node ${node.id}` : state.left ? "Finding nodes to label …" : "No node is left to label";
    byId("reason").textContent = node ? reasonText(node) : "";
    byId("node-body").replaceChildren(...(node ? [details(state, node), neighbours(state, node, events.choose)] : []));
    byId("answers").replaceChildren(...state.classes.map((one) => classButton(state, one, node, events.label)));
    byId("class-names").replaceChildren(...state.classes.map((one) => make("option", { value: one.name })));
    // The buttons are new, so that keyboard focus has to be restored.
    if (focused) [...byId("answers").children].find((button) => button.dataset.class === focused)?.focus();
  };
  return { show };
})();
