// Goes down a tape and back up. A node is a number or an array, flat, with its shape. What has no `do` is given; of the
// others `of` names the nodes that they are computed from, and there are four ways to compute:
//
// - entry by entry, with broadcasting: a function of functions.js;
// - "move": sums, shapes, indices and whatever else puts entries somewhere: entry `to[i]` is the sum of the entries
//   `from[i]`, times `by[i]`, where those of several arrays are numbered in one row;
// - "product": entry `to[i]` is the sum of the products of `left[i]` and `right[i]`;
// - "max" and "min": entry `to[i]` is the extreme of the entries i for which it is the same.

import { ENTRYWISE } from "./functions.js";

const WAYS = { move: { down: move, up: moveBack }, product: { down: product, up: productBack } };
WAYS.max = extreme(Math.max, -Infinity);
WAYS.min = extreme(Math.min, Infinity);

const zeros = (node) => new Array(sizeOf(node)).fill(0);

function sizeOf(node) {
  return node.shape.reduce((size, length) => size * length, 1);
}

// The values of all nodes, from those that are given: those of the tape, or others for some of its nodes.
export function goDown(nodes, given = {}) {
  const values = [];
  nodes.forEach((node, i) => {
    if (!node.do) values.push((given[i] ?? node.value).map(Number));
    else values.push(wayOf(node).down(node, node.of.map((k) => values[k]), node.of.map((k) => nodes[k])));
  });
  return values;
}

// The cotangents of all nodes. `seeds` are those of some of them; at the nodes `ends` the way back ends.
export function goBack(nodes, values, seeds, ends = new Set()) {
  const found = nodes.map(() => null);
  const add = (k, part) => { found[k] = found[k] ? found[k].map((g, i) => g + part[i]) : part; };
  for (const [k, seed] of Object.entries(seeds)) add(k, seed.map(Number));
  for (let k = nodes.length - 1; k >= 0; k -= 1) {
    const node = nodes[k];
    if (!found[k] || !node.do || ends.has(k)) continue;
    const parts = wayOf(node).up(node, found[k], node.of.map((i) => values[i]), node.of.map((i) => nodes[i]));
    node.of.forEach((of, i) => add(of, parts[i]));
  }
  return nodes.map((node, k) => found[k] ?? zeros(node));
}

function wayOf(node) {
  return WAYS[node.do] ?? entryByEntry(...ENTRYWISE[node.do]);
}

function entryByEntry(f, ...derivatives) {
  const arguments_ = (node, nodes) => nodes.map((of) => spread(node.shape, of.shape));
  return {
    down(node, values, nodes) {
      const places = arguments_(node, nodes);
      return zeros(node).map((_, k) => f(...values.map((value, i) => value[places[i][k]])));
    },
    up(node, cotangent, values, nodes) {
      const places = arguments_(node, nodes);
      return nodes.map((of, i) => {
        const found = zeros(of);
        if (!derivatives[i]) return found;
        cotangent.forEach((g, k) => {  // nothing that comes back stays nothing, even where a derivative is infinite
          if (g !== 0) found[places[i][k]] += g * derivatives[i](...values.map((value, j) => value[places[j][k]]));
        });
        return found;
      });
    },
  };
}

// For each entry of an array of one shape the entry of a smaller one that broadcasting puts there.
export function spread(shape, smaller) {
  let places = [0];
  let size = 1;
  const missing = shape.length - smaller.length;
  const strides = shape.map(() => 0);
  for (let axis = shape.length - 1; axis >= missing; axis -= 1) {
    const length = smaller[axis - missing];
    strides[axis] = length === 1 ? 0 : size;
    size *= length;
  }
  shape.forEach((length, axis) => {
    places = places.flatMap((place) => Array.from({ length }, (_, i) => place + i * strides[axis]));
  });
  return places;
}

function move(node, values) {
  const row = values.flat();
  const found = zeros(node);
  node.to.forEach((to, i) => { found[to] += row[node.from[i]] * (node.by?.[i] ?? 1); });
  return found;
}

function moveBack(node, cotangent, values) {
  const row = values.flat().fill(0);
  node.to.forEach((to, i) => { row[node.from[i]] += cotangent[to] * (node.by?.[i] ?? 1); });
  return values.map((value) => row.splice(0, value.length));
}

function product(node, [left, right]) {
  const found = zeros(node);
  node.to.forEach((to, i) => { found[to] += left[node.left[i]] * right[node.right[i]]; });
  return found;
}

function productBack(node, cotangent, [left, right]) {
  const parts = [left.map(() => 0), right.map(() => 0)];
  node.to.forEach((to, i) => {
    parts[0][node.left[i]] += cotangent[to] * right[node.right[i]];
    parts[1][node.right[i]] += cotangent[to] * left[node.left[i]];
  });
  return parts;
}

// Equal entries share what comes back.
function extreme(better, worst) {
  function down(node, [value]) {
    const found = zeros(node).fill(worst);
    node.to.forEach((to, i) => { found[to] = better(found[to], value[i]); });
    return found;
  }
  function up(node, cotangent, [value]) {
    const best = down(node, [value]);
    const ties = zeros(node);
    node.to.forEach((to, i) => { ties[to] += Number(value[i] === best[to]); });
    return [value.map((x, i) => (x === best[node.to[i]] ? cotangent[node.to[i]] / ties[node.to[i]] : 0))];
  }
  return { down, up };
}
