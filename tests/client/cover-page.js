// Runs inside Chromium: draws an outfit with and without the triangles that a cover mask hides, with three.js alone, and compares.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';

const SIZE = 512;
const VIEWS = 48;
const BEHIND = 0.008; // heights of the body: how far behind a part that pokes through the part outside of it may lie
const renderer = new THREE.WebGLRenderer({ antialias: false });
const target = new THREE.WebGLRenderTarget(SIZE, SIZE, { type: THREE.FloatType, magFilter: THREE.NearestFilter, minFilter: THREE.NearestFilter });

// Left arm, right arm (raise, forward, elbow), left leg, right leg (flex, spread, knee), trunk (bend, turn, lean).
const POSES = [
  [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]],
  [[-68, 0, 10], [-68, 0, 10], [25, 3, 12], [-20, 3, 45], [4, 8, 0]],
  [[58, 10, 20], [30, 0, 85], [-15, 0, 10], [60, 5, 35], [-10, 0, 8]],
  [[-40, 45, 30], [-40, 45, 30], [82, 12, 84], [82, 12, 84], [20, 0, 0]],
  [[-25, 70, 60], [-60, 20, 85], [10, 2, 5], [10, 2, 5], [38, 0, 0]],
  [[-45, -25, 5], [-50, -20, 15], [0, 6, 0], [0, 6, 0], [-38, 0, 0]],
  [[-20, 80, 10], [55, 0, 40], [70, 0, 60], [-22, 0, 70], [12, -32, 0]],
  [[45, 40, 85], [-65, -10, 45], [35, 18, 80], [5, 10, 20], [10, 20, 26]],
];

let gltf;
let nodes;
let bones;
let rest;
let height;
const parts = []; // { node, mesh, primitive, object, index }

/** Loads an avatar. Gives the height of its body. */
async function open(url) {
  gltf = await new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).loadAsync(url);
  const { json } = gltf.parser;
  nodes = await Promise.all(json.nodes.map((_, i) => gltf.parser.getDependency('node', i)));
  const v1 = json.extensions?.VRMC_vrm?.humanoid?.humanBones;
  bones = v1 ? Object.entries(v1).map(([name, { node }]) => [name, node]) : json.extensions.VRM.humanoid.humanBones.map(({ bone, node }) => [bone, node]);
  bones = Object.fromEntries(bones);
  gltf.scene.updateMatrixWorld(true);
  rest = nodes.map((node) => ({ local: node.quaternion.clone(), above: node.parent.getWorldQuaternion(new THREE.Quaternion()) }));
  const owner = new Map(nodes.map((node, i) => [node, i]));
  parts.length = 0;
  gltf.scene.traverse((object) => {
    if (!object.isMesh) return;
    const { meshes: mesh, primitives: primitive } = gltf.parser.associations.get(object);
    let at = object;
    while (!owner.has(at)) at = at.parent;
    if (!object.geometry.index) object.geometry.setIndex([...Array(object.geometry.attributes.position.count).keys()]);
    parts.push({ node: owner.get(at), mesh, primitive, object, index: object.geometry.index, material: object.material });
    object.frustumCulled = false;
    object.geometry = object.geometry.clone();
    object.material = identity(parts.length, object.material);
  });
  const box = new THREE.Box3().setFromObject(gltf.scene, true);
  height = box.max.y - box.min.y;
  return height;
}

/** Writes the number of the part and the distance from the camera. */
function identity(number, original) {
  const map = original.alphaTest > 0 ? original.map : null;
  const material = new THREE.ShaderMaterial({
    uniforms: { number: { value: number }, map: { value: map }, cutoff: { value: map ? original.alphaTest : 0 } },
    side: original.side,
    vertexShader: `#include <common>
      #include <skinning_pars_vertex>
      #include <morphtarget_pars_vertex>
      varying float away; varying vec2 at;
      void main() {
        at = uv;
        #include <begin_vertex>
        #include <morphtarget_vertex>
        #include <skinbase_vertex>
        #include <skinning_vertex>
        #include <project_vertex>
        away = -mvPosition.z;
      }`,
    fragmentShader: `uniform float number; uniform float cutoff; uniform sampler2D map; varying float away; varying vec2 at;
      void main() {
        if (cutoff > 0.0 && texture2D(map, at).a < cutoff) discard;
        gl_FragColor = vec4(number, away, 0.0, 1.0);
      }`,
  });
  // What is see-through hides nothing.
  material.visible = !original.transparent;
  return material;
}

/** The union rule of outfits, on three.js objects; without outfits everything is worn. */
function wear(outfits, worn) {
  const shown = (list, name) => !outfits.some((outfit) => outfit[list]?.includes(name)) || !!worn?.[list]?.includes(name);
  for (const part of parts) {
    part.object.visible = shown('meshes', nodes[part.node].name) && shown('materials', part.material.name);
    part.object.morphTargetInfluences?.fill(0);
  }
  for (const { mesh, shape, weight } of worn?.shapes ?? []) {
    for (const part of parts.filter((p) => nodes[p.node].name === mesh)) {
      const target = part.object.morphTargetDictionary?.[shape];
      if (target !== undefined) part.object.morphTargetInfluences[target] = weight;
    }
  }
}

function pose([left, right, leftLeg, rightLeg, trunk]) {
  const position = (bone) => nodes[bones[bone]].getWorldPosition(new THREE.Vector3());
  nodes.forEach((node, i) => node.quaternion.copy(rest[i].local));
  gltf.scene.updateMatrixWorld(true);
  // VRM 0.x looks the other way.
  const ahead = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 1, 0), position('leftUpperLeg').x < position('rightUpperLeg').x ? Math.PI : 0);
  const turn = (bone, ...angles) => {
    const index = bones[bone];
    if (index === undefined) return;
    const [x, y, z] = angles.map((degrees) => (degrees * Math.PI) / 180);
    const world = ahead.clone().multiply(new THREE.Quaternion().setFromEuler(new THREE.Euler(x, y, z, 'ZYX'))).multiply(ahead.clone().invert());
    const { local, above } = rest[index];
    nodes[index].quaternion.copy(above.clone().invert().multiply(world).multiply(above).multiply(local));
  };
  [['left', left, 1], ['right', right, -1]].forEach(([side, [raise, forward, elbow], mirror]) => {
    turn(`${side}UpperArm`, 0, -mirror * forward, mirror * raise);
    turn(`${side}LowerArm`, 0, -mirror * elbow, 0);
  });
  [['left', leftLeg, 1], ['right', rightLeg, -1]].forEach(([side, [flex, spread, knee], mirror]) => {
    turn(`${side}UpperLeg`, -flex, 0, mirror * spread);
    turn(`${side}LowerLeg`, knee, 0, 0);
  });
  turn('spine', trunk[0], trunk[1], trunk[2]);
  gltf.scene.updateMatrixWorld(true);
}

function camera(view, box) {
  const middle = box.getCenter(new THREE.Vector3());
  const radius = box.getSize(new THREE.Vector3()).length() / 2;
  const yaw = ((view * 7.5 + 3.1) * Math.PI) / 180;
  const pitch = ((-20 + ((view * 29) % 76)) * Math.PI) / 180;
  const way = new THREE.Vector3(Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch));
  const far = radius * (view % 2 ? 3 : 2.4);
  const made = view % 2
    ? new THREE.OrthographicCamera(-radius, radius, radius, -radius, 0.01, far + 2 * radius)
    : new THREE.PerspectiveCamera((2 * Math.asin(radius / far) * 180) / Math.PI, 1, 0.05, far + 2 * radius);
  made.position.copy(middle).addScaledVector(way, far);
  made.lookAt(middle);
  made.updateMatrixWorld(true);
  return made;
}

const pixels = (from) => {
  renderer.setRenderTarget(target);
  renderer.setClearColor(0, 0);
  renderer.clear();
  renderer.render(gltf.scene, from);
  const out = new Float32Array(SIZE * SIZE * 4);
  renderer.readRenderTargetPixels(target, 0, 0, SIZE, SIZE, out);
  return out;
};

/** Pixels that show a hole: not the same part, nor one that a neighbour shows, nor a part right behind. */
function holes(whole, masked) {
  const part = (picture, x, y) => (x < 0 || y < 0 || x >= SIZE || y >= SIZE ? 0 : picture[4 * (y * SIZE + x)]);
  let count = 0;
  let poking = 0;
  for (let y = 0; y < SIZE; y++) {
    for (let x = 0; x < SIZE; x++) {
      const at = 4 * (y * SIZE + x);
      const behind = masked[at + 1] - whole[at + 1];
      if (whole[at] === masked[at] && Math.abs(behind) < BEHIND * height) continue;
      if (masked[at] && whole[at] !== masked[at] && behind <= BEHIND * height) {
        poking++;
        continue;
      }
      let shifted = false;
      for (let dy = -1; dy <= 1; dy++) for (let dx = -1; dx <= 1; dx++) shifted ||= whole[at] !== masked[at] && part(whole, x + dx, y + dy) === masked[at];
      if (!shifted) count++;
    }
  }
  return { count, poking };
}

/** Draws an outfit in every pose from every side. `masks`: [{ node, mesh, primitive, hidden: [index, ..] }]. */
function judge(outfits, key, masks) {
  wear(outfits, outfits.find((outfit) => outfit.key === key));
  const kept = new Map();
  for (const { node, mesh, primitive, hidden } of masks) {
    const part = parts.find((p) => p.node === node && p.mesh === mesh && p.primitive === primitive);
    if (!part) throw new Error(`no part ${node}/${mesh}/${primitive}`);
    const gone = new Set(hidden);
    kept.set(part, new THREE.BufferAttribute(Uint32Array.from(part.index.array).filter((_, corner) => !gone.has(Math.floor(corner / 3))), 1));
  }
  const result = { pixels: 0, poking: 0, worst: [] };
  POSES.forEach((angles, number) => {
    pose(angles);
    const box = new THREE.Box3().setFromObject(gltf.scene, true);
    for (let view = 0; view < VIEWS; view++) {
      const from = camera(view, box);
      const whole = pixels(from);
      kept.forEach((index, part) => part.object.geometry.setIndex(index));
      const masked = pixels(from);
      kept.forEach((_, part) => part.object.geometry.setIndex(part.index));
      const { count, poking } = holes(whole, masked);
      result.pixels += count;
      result.poking += poking;
      if (count) result.worst.push({ pose: number, view, count });
    }
  });
  result.worst.sort((a, b) => b.count - a.count).splice(5);
  return result;
}

window.rc = { open, judge };
