/** DOM helpers. Strings are inserted as text, never parsed as markup. */

type Properties = Record<string, string | number | boolean | ((event: any) => void)>;

/** Create an element; functions (on...) become listeners, `role` and names with a dash attributes, the rest properties. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "role" || name.includes("-")) element.setAttribute(name, String(value));
    else Object.assign(element, { [name]: value });
  }
  element.append(...children);
  return element;
}

export function icon(path: string): SVGSVGElement {
  const namespace = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(namespace, "svg");
  const line = document.createElementNS(namespace, "path");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

/** Create a dot in the colour of a class. */
export function dot(colour: string, ringed = false): HTMLElement {
  const element = make("span", { className: ringed ? "hv-dot hv-ringed" : "hv-dot", "aria-hidden": "true" });
  element.style.backgroundColor = colour;
  return element;
}
