// The shapes of the fixture: tubes around bones, and bumps that morph them.

const cross = (p, q) => [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
const unit = (p) => {
  const length = Math.hypot(...p);
  return p.map((x) => x / length);
};
const empty = () => ({ positions: [], normals: [], uvs: [], joints: [], weights: [], indices: [] });

/** A closed tube from one point to another; its weight goes over from the first joint to the second. */
export function tube([from, jointFrom], [to, jointTo], radius, sides, rows) {
  const shape = empty();
  const along = to.map((x, k) => x - from[k]);
  const u = unit(along);
  const v = unit(cross(u, Math.abs(u[1]) > 0.9 ? [1, 0, 0] : [0, 1, 0]));
  const t = cross(v, u);
  for (let y = 0; y <= rows; y++) {
    for (let x = 0; x <= sides; x++) {
      const h = y / rows;
      const [c, s] = [Math.cos((2 * Math.PI * x) / sides), Math.sin((2 * Math.PI * x) / sides)];
      const r = radius * (0.3 + 0.7 * Math.sqrt(Math.sin(Math.PI * Math.min(0.97, Math.max(0.03, h)))));
      const normal = [0, 1, 2].map((k) => t[k] * c + v[k] * s);
      const w = jointFrom === jointTo ? 0 : h * h;
      shape.positions.push(...[0, 1, 2].map((k) => from[k] + along[k] * h + normal[k] * r));
      shape.normals.push(...normal);
      shape.uvs.push(x / sides, h);
      shape.joints.push(w < 1 ? jointFrom : 0, w > 0 ? jointTo : 0, 0, 0);
      shape.weights.push(1 - w, w, 0, 0);
    }
  }
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < sides; x++) {
      const k = y * (sides + 1) + x;
      shape.indices.push(k, k + 1, k + sides + 1, k + 1, k + sides + 2, k + sides + 1);
    }
  }
  return shape;
}

/** One shape of many. */
export function joined(shapes) {
  const all = empty();
  for (const shape of shapes) {
    const base = all.positions.length / 3;
    for (const key of ['positions', 'normals', 'uvs', 'joints', 'weights']) all[key].push(...shape[key]);
    all.indices.push(...shape.indices.map((i) => i + base));
  }
  return all;
}

/** The shape with each coordinate changed by `move(value, axis)`. */
export const moved = (shape, move) => ({ ...shape, positions: shape.positions.map((x, i) => move(x, i % 3)) });

/** A morph: displaces the front (`forward` is +1 or -1 along Z) around (cx, cy) by `by`, less towards the radius. */
export const bump = (cx, cy, radius, by, forward) => (x, y, z) => {
  const k = z * forward > 0.03 ? Math.max(0, 1 - Math.hypot(x - cx, y - cy) / radius) : 0;
  return [by[0] * k, by[1] * k, by[2] * k * forward];
};
