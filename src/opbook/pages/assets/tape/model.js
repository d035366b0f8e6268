// A tape with its numbers. Its boxes are the inputs and steps of the picture. Where the data has `nodes`, of which one or
// more make a box, everything is computed again when a number changes; otherwise boxes have what the build recorded.

import { goBack, goDown, spread } from "./compute.js";

export function makeModel({ boxes, nodes }) {
  const kept = (what) => Object.fromEntries(boxes.filter((box) => box[what]).map((box) => [box.node, [...box[what]]]));
  let [given, seeds, values, incoming] = [];

  function compute() {
    values = goDown(nodes, given);
    incoming = goBack(nodes, values, seeds);
  }

  function reset() {
    [given, seeds] = [kept("given"), kept("seed")];
    compute();
  }

  function set(box, what, entry, number) {
    (what === "given" ? given : seeds)[box.node][entry] = number;
    compute();
  }

  // What a step passes on: for each parent the sum of local derivative × incoming, and what was multiplied.
  function passedOn(box) {
    const ends = new Set(boxes.filter((other) => other !== box).map((other) => other.node));
    const back = (g) => goBack(nodes, values, { [box.node]: g }, ends);
    const total = back(incoming[box.node]);
    const slopes = values[box.node].map((_, k) => back(values[box.node].map((_, i) => Number(i === k))));
    return box.parents.map((i) => {
      const parent = boxes[i];
      const of = total[parent.node].map((_, j) => slopes.map((one) => one[parent.node][j]));  // by entry of the parent
      const isShared = boxes.filter((other) => other.parents.includes(i)).length > 1;
      return { parent, isShared, total: total[parent.node], ...factors(box, parent, of, incoming[box.node]) };
    });
  }

  if (nodes) reset();
  return {
    isLive: Boolean(nodes),
    reset,
    set,
    seed: (box) => seeds[box.node].map(Number),
    value: (box) => (nodes ? values[box.node] : box.value.map(Number)),
    incoming: (box) => (nodes ? incoming[box.node] : box.incoming.map(Number)),
    passedOn: (box) => (nodes ? passedOn(box) : []),
  };
}

// Where each entry of a parent is used once, its local derivative, and what comes back to where it is used. Where it is
// used several times, the products that are summed for the entry that gets most.
function factors(box, parent, slopes, incoming) {
  const uses = slopes.map((all) => all.flatMap((slope, k) => (slope ? [k] : [])));
  if (uses.every((ks) => ks.length < 2)) {
    const usual = usualPlaces(box.shape, parent.shape);
    const places = uses.map((ks, j) => ks[0] ?? usual?.[j]);
    return { local: slopes.map((all, j) => all[places[j]] ?? 0), incoming: places.map((k) => incoming[k] ?? 0) };
  }
  const sums = slopes.map((all) => Math.abs(all.reduce((sum, slope, k) => sum + slope * incoming[k], 0)));
  const entry = sums.indexOf(Math.max(...sums));
  return { entry, products: uses[Math.max(entry, 0)].map((k) => [slopes[Math.max(entry, 0)][k], incoming[k]]) };
}

// Where entries are used that nothing comes back to: a shape that broadcasts to the parent's tells.
function usualPlaces(shape, parent) {
  const fits = shape.length <= parent.length && shape.every((length, i) => [1, parent.at(i - shape.length)].includes(length));
  return fits ? spread(parent, shape) : null;
}
