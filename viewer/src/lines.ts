/** Draws many straight lines in one call: they lie in textures on the graphics card, so none costs per frame. */

import type { Rgb } from "./theme";

/** Lines per row of a texture; any WebGL 2 has room for 2048 rows. */
const ROW = 2048;

/** Two triangles per line. Instances would be shorter to write, but cost software renderers ten times as much. */
const VERTEX = `#version 300 es
precision highp float;
precision highp sampler2D;
uniform sampler2D u_ends;
uniform sampler2D u_strength;
uniform mat3 u_matrix;
uniform vec2 u_half;
uniform float u_width;
out float v_offset;
out float v_strength;
void main() {
  int line = gl_VertexID / 6;
  int corner = gl_VertexID - 6 * line;
  ivec2 place = ivec2(line % ${ROW}, line / ${ROW});
  vec4 ends = texelFetch(u_ends, place, 0);
  vec2 from = (u_matrix * vec3(ends.xy, 1.0)).xy * u_half;
  vec2 to = (u_matrix * vec3(ends.zw, 1.0)).xy * u_half;
  vec2 along = to - from;
  vec2 across = vec2(-along.y, along.x) / max(length(along), 1e-6);
  bool atEnd = corner == 1 || corner == 3 || corner == 4;
  bool onLeft = corner == 2 || corner == 4 || corner == 5;
  v_offset = (onLeft ? 1.0 : -1.0) * (u_width * 0.5 + 0.5);
  v_strength = texelFetch(u_strength, place, 0).r;
  gl_Position = vec4(((atEnd ? to : from) + across * v_offset) / u_half, 0.0, 1.0);
}`;

/** What is fainter than a step of eight bits is left out: rounded, many such lines would add up to a wrong colour. */
const FRAGMENT = `#version 300 es
precision highp float;
uniform vec4 u_colour;
uniform float u_width;
in float v_offset;
in float v_strength;
out vec4 colour;
void main() {
  float cover = clamp(u_width * 0.5 + 0.5 - abs(v_offset), 0.0, 1.0);
  float alpha = u_colour.a * v_strength * cover;
  if (alpha < 0.006) discard;
  colour = vec4(u_colour.rgb * alpha, alpha);
}`;

export interface LineStyle {
  colour: Rgb;
  alpha: number;
  /** In CSS pixels. */
  width: number;
}

export interface Frame {
  matrix: Float32Array;
  width: number;
  height: number;
  pixelRatio: number;
}

/** Lines that are shown and styled together. */
export interface LineSet {
  count: number;
  ends: WebGLTexture;
  strength: WebGLTexture;
}

export class LineLayer {
  private readonly program: WebGLProgram;
  private readonly at: (name: string) => WebGLUniformLocation | null;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = link(gl);
    const known = new Map<string, WebGLUniformLocation | null>();
    for (const name of ["ends", "strength", "matrix", "half", "width", "colour"]) {
      known.set(name, gl.getUniformLocation(this.program, `u_${name}`));
    }
    this.at = (name) => known.get(name) ?? null;
  }

  /** Takes from x, from y, to x, to y for every line, in the coordinates that the matrix of a frame maps. */
  add(ends: Float32Array): LineSet {
    const { gl } = this;
    const set = { count: ends.length / 4, ends: texture(gl), strength: texture(gl) };
    const rows = rowsOf(set.count);
    const padded = new Float32Array(4 * ROW * rows);
    padded.set(ends);
    gl.bindTexture(gl.TEXTURE_2D, set.ends);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, ROW, rows, 0, gl.RGBA, gl.FLOAT, padded);
    this.strengthen(set, new Uint8Array(set.count).fill(255));
    return set;
  }

  /** Sets how clear each line is, from 0 to 255. */
  strengthen(set: LineSet, strength: Uint8Array): void {
    const { gl } = this;
    const rows = rowsOf(set.count);
    const padded = new Uint8Array(ROW * rows);
    padded.set(strength);
    gl.bindTexture(gl.TEXTURE_2D, set.strength);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8, ROW, rows, 0, gl.RED, gl.UNSIGNED_BYTE, padded);
  }

  begin({ matrix, width, height, pixelRatio }: Frame): void {
    const { gl, at } = this;
    gl.useProgram(this.program);
    gl.enable(gl.BLEND);
    gl.uniformMatrix3fv(at("matrix"), false, matrix);
    gl.uniform2f(at("half"), (width * pixelRatio) / 2, (height * pixelRatio) / 2);
    gl.uniform1i(at("ends"), 0);
    gl.uniform1i(at("strength"), 1);
  }

  draw(set: LineSet, { colour, alpha, width }: LineStyle, pixelRatio: number): void {
    const { gl, at } = this;
    gl.uniform1f(at("width"), width * pixelRatio);
    gl.uniform4f(at("colour"), colour[0] / 255, colour[1] / 255, colour[2] / 255, alpha);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, set.strength);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, set.ends);
    gl.drawArrays(gl.TRIANGLES, 0, 6 * set.count);
  }
}

const rowsOf = (lines: number): number => Math.max(1, Math.ceil(lines / ROW));

/** Without filters, because floats cannot be filtered everywhere. */
function texture(gl: WebGL2RenderingContext): WebGLTexture {
  const made = gl.createTexture()!;
  gl.bindTexture(gl.TEXTURE_2D, made);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  return made;
}

function link(gl: WebGL2RenderingContext): WebGLProgram {
  const program = gl.createProgram()!;
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(type)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS))
    throw new Error(gl.getProgramInfoLog(program) ?? "WebGL failed");
  return program;
}
