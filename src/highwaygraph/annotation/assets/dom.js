// Elements of the labelling page. Text from data enters the page through textContent and attributes only.
const labelDom = (() => {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";
  const fill = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "function") element.addEventListener(name, value);
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };
  const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
  const dot = (colour) => {
    const element = make("span", { class: "class-dot", "aria-hidden": "true" });
    element.style.backgroundColor = colour ?? "var(--line)";
    return element;
  };
  const byId = (id) => document.getElementById(id);
  const number = (value) => value.toLocaleString("en");
  const counted = (value, one, several) => `${number(value)} ${value === 1 ? one : several}`;
  return { make, svg, dot, byId, number, counted };
})();
