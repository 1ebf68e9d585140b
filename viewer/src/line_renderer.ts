/** Renderer of many straight lines in one draw call. Their ends are kept in textures, so a frame uploads nothing. */

import type { Rgb } from "./theme";

/** Lines per row of a texture; WebGL 2 guarantees 2048 rows. */
const ROW = 2048;

/** Two triangles per line. Instancing would need less code, but is ten times slower in software renderers. */
const VERTEX = `#version 300 es
precision highp float;
precision highp sampler2D;
uniform sampler2D u_ends;
uniform sampler2D u_opacity;
uniform mat3 u_matrix;
uniform vec2 u_half;
uniform float u_width;
out float v_offset;
out float v_opacity;
void main() {
  int line = gl_VertexID / 6;
  int corner = gl_VertexID - 6 * line;
  ivec2 texel = ivec2(line % ${ROW}, line / ${ROW});
  vec4 ends = texelFetch(u_ends, texel, 0);
  vec2 from = (u_matrix * vec3(ends.xy, 1.0)).xy * u_half;
  vec2 to = (u_matrix * vec3(ends.zw, 1.0)).xy * u_half;
  vec2 along = to - from;
  vec2 across = vec2(-along.y, along.x) / max(length(along), 1e-6);
  bool atEnd = corner == 1 || corner == 3 || corner == 4;
  bool onLeft = corner == 2 || corner == 4 || corner == 5;
  v_offset = (onLeft ? 1.0 : -1.0) * (u_width * 0.5 + 0.5);
  v_opacity = texelFetch(u_opacity, texel, 0).r;
  gl_Position = vec4(((atEnd ? to : from) + across * v_offset) / u_half, 0.0, 1.0);
}`;

/** Fragments below one step of 8 bits are discarded: their rounding errors would add up to a wrong colour. */
const FRAGMENT = `#version 300 es
precision highp float;
uniform vec4 u_colour;
uniform float u_width;
in float v_offset;
in float v_opacity;
out vec4 colour;
void main() {
  float coverage = clamp(u_width * 0.5 + 0.5 - abs(v_offset), 0.0, 1.0);
  float alpha = u_colour.a * v_opacity * coverage;
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

/** Lines that share visibility and style, drawn in one call. */
export interface LineBatch {
  count: number;
  ends: WebGLTexture;
  opacity: WebGLTexture;
}

export class LineRenderer {
  private readonly program: WebGLProgram;
  private readonly uniform: (name: string) => WebGLUniformLocation | null;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = link(gl);
    const locations = new Map<string, WebGLUniformLocation | null>();
    for (const name of ["ends", "opacity", "matrix", "half", "width", "colour"]) {
      locations.set(name, gl.getUniformLocation(this.program, `u_${name}`));
    }
    this.uniform = (name) => locations.get(name) ?? null;
  }

  /** Create a batch from the x and y of both ends of every line, in the coordinates that a frame's matrix maps. */
  createBatch(ends: Float32Array): LineBatch {
    const { gl } = this;
    const batch = { count: ends.length / 4, ends: texture(gl), opacity: texture(gl) };
    const rows = rowsOf(batch.count);
    const padded = new Float32Array(4 * ROW * rows);
    padded.set(ends);
    gl.bindTexture(gl.TEXTURE_2D, batch.ends);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, ROW, rows, 0, gl.RGBA, gl.FLOAT, padded);
    this.setOpacity(batch, new Uint8Array(batch.count).fill(255));
    return batch;
  }

  /** Set the opacity of each line, from 0 to 255. */
  setOpacity(batch: LineBatch, opacity: Uint8Array): void {
    const { gl } = this;
    const rows = rowsOf(batch.count);
    const padded = new Uint8Array(ROW * rows);
    padded.set(opacity);
    gl.bindTexture(gl.TEXTURE_2D, batch.opacity);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8, ROW, rows, 0, gl.RED, gl.UNSIGNED_BYTE, padded);
  }

  begin({ matrix, width, height, pixelRatio }: Frame): void {
    const { gl, uniform } = this;
    gl.useProgram(this.program);
    gl.enable(gl.BLEND);
    gl.uniformMatrix3fv(uniform("matrix"), false, matrix);
    gl.uniform2f(uniform("half"), (width * pixelRatio) / 2, (height * pixelRatio) / 2);
    gl.uniform1i(uniform("ends"), 0);
    gl.uniform1i(uniform("opacity"), 1);
  }

  draw(batch: LineBatch, { colour, alpha, width }: LineStyle, pixelRatio: number): void {
    const { gl, uniform } = this;
    gl.uniform1f(uniform("width"), width * pixelRatio);
    gl.uniform4f(uniform("colour"), colour[0] / 255, colour[1] / 255, colour[2] / 255, alpha);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, batch.opacity);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, batch.ends);
    gl.drawArrays(gl.TRIANGLES, 0, 6 * batch.count);
  }
}

const rowsOf = (lines: number): number => Math.max(1, Math.ceil(lines / ROW));

/** Create a texture without filtering, because not every device can filter float textures. */
function texture(gl: WebGL2RenderingContext): WebGLTexture {
  const created = gl.createTexture()!;
  gl.bindTexture(gl.TEXTURE_2D, created);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  return created;
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
