/** Entry point: start the viewer, or keep the static image and add a message that gives the reason. */

import { parseGraph } from "./data";

const root = document.getElementById("graph-viewer");
const source = document.getElementById("graph-data");
if (root && source) void start(root, source.textContent ?? "");

async function start(root: HTMLElement, text: string): Promise<void> {
  const fallback = [...root.childNodes];
  try {
    if (!hasWebGl())
      return showMessage(root, "The interactive viewer needs WebGL 2, which this browser does not offer.");
    const data = parseGraph(text);
    if (!data.ids.length) return showMessage(root, "The graph has no nodes.");
    // Imported only now, because sigma uses WebGL as soon as it is loaded.
    const { Viewer } = await import("./viewer");
    window.highwayViewer = new Viewer(root, data);
  } catch (error) {
    root.replaceChildren(...fallback);
    showMessage(root, `The interactive viewer failed: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function hasWebGl(): boolean {
  return typeof WebGL2RenderingContext === "function" && document.createElement("canvas").getContext("webgl2") !== null;
}

function showMessage(root: HTMLElement, text: string): void {
  const message = document.createElement("p");
  message.className = "hv-message";
  message.textContent = text;
  root.append(message);
}
