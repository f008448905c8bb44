// Builds a glTF document and its binary chunk piece by piece: nodes at world positions, accessors, textures, meshes.
import { PNG } from 'pngjs';

const FLOAT = 5126;
const UNSIGNED_SHORT = 5123;
const VERTICES = 34962;
const INDICES = 34963;
const SIZE = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

export class Builder {
  json = {
    asset: { version: '2.0', generator: 'fixture' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [],
    meshes: [],
    skins: [],
    accessors: [],
    bufferViews: [],
    buffers: [],
    materials: [],
    images: [],
    textures: [],
    samplers: [{ magFilter: 9729, minFilter: 9987, wrapS: 10497, wrapT: 10497 }],
  };
  parts = [];
  size = 0;
  /** World position of each node by name. */
  at = {};
  /** Index of each node by name. */
  index = {};

  /** Adds a buffer view; gives its index. */
  view(data, extra = {}) {
    const bytes = Buffer.from(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength ?? data.length);
    const padding = Buffer.alloc((4 - (bytes.length % 4)) % 4);
    this.json.bufferViews.push({ buffer: 0, byteOffset: this.size, byteLength: bytes.length, ...extra });
    this.parts.push(bytes, padding);
    this.size += bytes.length + padding.length;
    return this.json.bufferViews.length - 1;
  }

  accessor(data, type, componentType, target) {
    const n = SIZE[type];
    const columns = Array.from({ length: n }, (_, c) => data.filter((_, i) => i % n === c));
    const extreme = (pick) => columns.map((column) => column.reduce((a, b) => pick(a, b)));
    const bufferView = this.view(data, target ? { target } : {});
    const range = n === 3 ? { min: extreme(Math.min), max: extreme(Math.max) } : {};
    this.json.accessors.push({ bufferView, componentType, count: data.length / n, type, ...range });
    return this.json.accessors.length - 1;
  }

  /** Adds a node at a world position under the node named `parent`. */
  node(name, parent, position, extra = {}) {
    const origin = this.at[parent] ?? [0, 0, 0];
    this.at[name] = position;
    this.index[name] = this.json.nodes.length;
    this.json.nodes.push({ name, translation: position.map((x, i) => x - origin[i]), ...extra });
    if (parent) (this.json.nodes[this.index[parent]].children ??= []).push(this.index[name]);
  }

  /** Binds every node but the root as a joint, at its place. */
  skin(skeleton) {
    this.joints = Object.values(this.index).filter((i) => i > 0);
    const inverse = (i) => {
      const [x, y, z] = this.at[this.json.nodes[i].name];
      return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, -y, -z, 1];
    };
    const inverseBindMatrices = this.accessor(new Float32Array(this.joints.flatMap(inverse)), 'MAT4', FLOAT);
    this.json.skins.push({ joints: this.joints, inverseBindMatrices, skeleton: this.index[skeleton] });
  }

  /** Which joint of the skin the node of this name is. */
  joint(name) {
    return this.joints.indexOf(this.index[name]);
  }

  /** Adds a PNG texture of 128x128 pixels; `pixel(x, y)` gives RGBA. */
  texture(pixel) {
    const png = new PNG({ width: 128, height: 128 });
    for (let y = 0; y < 128; y++) for (let x = 0; x < 128; x++) png.data.set(pixel(x, y), 4 * (y * 128 + x));
    const bufferView = this.view(PNG.sync.write(png));
    this.json.images.push({ name: `T${this.json.images.length}`, mimeType: 'image/png', bufferView });
    this.json.textures.push({ sampler: 0, source: this.json.images.length - 1 });
    return this.json.textures.length - 1;
  }

  /** A primitive of a shape (shapes.mjs); `morphs` gives a displacement for each place, by name. */
  primitive(shape, material, { morphs = {}, skinned = true } = {}) {
    const indices = this.accessor(new Uint16Array(shape.indices), 'SCALAR', UNSIGNED_SHORT, INDICES);
    const floats = (data, type) => this.accessor(new Float32Array(data), type, FLOAT, VERTICES);
    const attributes = {
      POSITION: floats(shape.positions, 'VEC3'),
      NORMAL: floats(shape.normals, 'VEC3'),
      TEXCOORD_0: floats(shape.uvs, 'VEC2'),
    };
    if (skinned) {
      attributes.JOINTS_0 = this.accessor(new Uint16Array(shape.joints), 'VEC4', UNSIGNED_SHORT, VERTICES);
      attributes.WEIGHTS_0 = floats(shape.weights, 'VEC4');
    }
    const targetNames = Object.keys(morphs);
    if (!targetNames.length) return { material, indices, attributes };
    const { positions: p } = shape;
    const displaced = (move) => p.flatMap((_, i) => (i % 3 ? [] : move(p[i], p[i + 1], p[i + 2])));
    const targets = Object.values(morphs).map((move) => ({ POSITION: this.accessor(new Float32Array(displaced(move)), 'VEC3', FLOAT) }));
    return { material, indices, attributes, targets, extras: { targetNames } };
  }

  /** Adds a mesh and a node of its name that carries it. */
  mesh(name, primitives, { skinned = true, parent = 'Root' } = {}) {
    const extras = primitives[0].extras ? { extras: primitives[0].extras } : {};
    this.json.meshes.push({ name, primitives, ...extras });
    this.node(name, parent, this.at[parent], { mesh: this.json.meshes.length - 1, ...(skinned ? { skin: 0 } : {}) });
  }

  /** The finished GLB, as glb.mjs writes it. */
  finish() {
    const bin = Buffer.concat(this.parts);
    this.json.buffers = [{ byteLength: bin.length }];
    return { json: this.json, bin };
  }
}
