/** The page's colours, read from its style sheet for use on the canvas, and updated when they change. */

export type Rgb = readonly [number, number, number];

export interface Theme {
  text: Rgb;
  background: Rgb;
  muted: Rgb;
  highway: Rgb;
  font: string;
}

export function readTheme(root: HTMLElement): Theme {
  const probe = document.createElement("span");
  probe.hidden = true;
  root.append(probe);
  const read = (name: string) => {
    probe.style.color = `var(${name})`;
    return rgb(getComputedStyle(probe).color);
  };
  const theme = {
    text: read("--hv-text"),
    background: read("--hv-background"),
    muted: read("--hv-muted"),
    highway: read("--hv-highway"),
  };
  const font = getComputedStyle(root).fontFamily;
  probe.remove();
  return { ...theme, font };
}

/** Convert any CSS colour, including oklch(), to RGB by drawing one pixel. */
function rgb(colour: string): Rgb {
  const pixel = document.createElement("canvas").getContext("2d");
  if (!pixel) return [128, 128, 128];
  pixel.fillStyle = colour;
  pixel.fillRect(0, 0, 1, 1);
  const [red, green, blue] = pixel.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}

export function fromHex(colour: string): Rgb {
  const part = (at: number) => parseInt(colour.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
}

export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const blend = (i: 0 | 1 | 2) => Math.round(from[i] + (to[i] - from[i]) * share);
  return [blend(0), blend(1), blend(2)];
}

export const hex = (colour: Rgb): string => `#${colour.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

/** Call back when the system's colour scheme or an attribute of the root element changes. */
export function watchTheme(onChange: () => void): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", onChange);
  new MutationObserver(onChange).observe(document.documentElement, { attributes: true });
}

export const prefersReducedMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
