// Bundles the viewer into one script and one style sheet: `node build.mjs [folder]`, or the tests by `--tests`.
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const shared = { bundle: true, target: "es2020", charset: "utf8", logLevel: "warning" };

async function buildViewer(folder) {
  const minified = { ...shared, minify: true, legalComments: "none", platform: "browser", format: "iife" };
  const banner = { js: `/*!\n${readFileSync(here("NOTICE.txt"), "utf8")}*/` };
  await build({ ...minified, banner, entryPoints: [here("src/main.ts")], outfile: `${folder}/viewer.js` });
  await build({ ...minified, entryPoints: [here("src/viewer.css")], outfile: `${folder}/viewer.css` });
}

async function buildTests() {
  const tests = readdirSync(here("test")).filter((name) => name.endsWith(".test.ts"));
  const entryPoints = tests.map((name) => here(`test/${name}`));
  const outExtension = { ".js": ".mjs" };
  await build({ ...shared, entryPoints, outdir: here("build"), outExtension, format: "esm", platform: "node" });
}

const argument = process.argv[2];
await (argument === "--tests" ? buildTests() : buildViewer(argument ?? here("dist")));
