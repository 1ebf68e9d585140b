// Bundle the viewer into one script and one style sheet (`node build.mjs [folder]`), or the unit tests (`--tests`).
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const resolve = (path) => fileURLToPath(new URL(path, import.meta.url));
const shared = { bundle: true, target: "es2020", charset: "utf8", logLevel: "warning" };

async function buildViewer(folder) {
  const minified = { ...shared, minify: true, legalComments: "none", platform: "browser", format: "iife" };
  const banner = { js: `/*!\n${readFileSync(resolve("NOTICE.txt"), "utf8")}*/` };
  await build({ ...minified, banner, entryPoints: [resolve("src/main.ts")], outfile: `${folder}/viewer.js` });
  await build({ ...minified, entryPoints: [resolve("src/viewer.css")], outfile: `${folder}/viewer.css` });
}

async function buildTests() {
  const tests = readdirSync(resolve("test")).filter((name) => name.endsWith(".test.ts"));
  const entryPoints = tests.map((name) => resolve(`test/${name}`));
  // Without this, tests that were renamed or removed would still run.
  rmSync(resolve("build"), { recursive: true, force: true });
  const outExtension = { ".js": ".mjs" };
  await build({ ...shared, entryPoints, outdir: resolve("build"), outExtension, format: "esm", platform: "node" });
}

const argument = process.argv[2];
await (argument === "--tests" ? buildTests() : buildViewer(argument ?? resolve("dist")));
