/** Starts the viewer in the page, or leaves the page's still picture with a sentence that says why. */

import { readGraph } from "./data";

const root = document.getElementById("graph-viewer");
const source = document.getElementById("graph-data");
if (root && source) void start(root, source.textContent ?? "");

async function start(root: HTMLElement, text: string): Promise<void> {
  const picture = [...root.childNodes];
  try {
    if (!hasWebGl()) return say(root, "The graph cannot be explored here, because this browser offers no WebGL 2.");
    const data = readGraph(text);
    if (!data.ids.length) return say(root, "The graph has no nodes.");
    // Only now, because sigma needs WebGL as soon as it is loaded.
    const { Viewer } = await import("./viewer");
    window.highwayViewer = new Viewer(root, data);
  } catch (error) {
    root.replaceChildren(...picture);
    say(root, `The graph cannot be explored here: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function hasWebGl(): boolean {
  return typeof WebGL2RenderingContext === "function" && document.createElement("canvas").getContext("webgl2") !== null;
}

function say(root: HTMLElement, sentence: string): void {
  const line = document.createElement("p");
  line.className = "hv-sentence";
  line.textContent = sentence;
  root.append(line);
}
