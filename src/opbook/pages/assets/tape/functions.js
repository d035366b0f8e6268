// The functions that work entry by entry. Each stands with its derivatives, one for every argument it has a gradient in.

const number = (f) => [(...args) => Number(f(...args))];

export const ENTRYWISE = {
  add: [(x, y) => x + y, () => 1, () => 1],
  subtract: [(x, y) => x - y, () => 1, () => -1],
  multiply: [(x, y) => x * y, (x, y) => y, (x) => x],
  divide: [(x, y) => x / y, (x, y) => 1 / y, (x, y) => -x / y / y],
  power: [(x, y) => x ** y, (x, y) => (y ? y * x ** (y - 1) : 0), (x, y) => (x > 0 ? x ** y * Math.log(x) : 0)],
  negative: [(x) => -x, () => -1],
  absolute: [Math.abs, Math.sign],
  square: [(x) => x * x, (x) => 2 * x],
  sqrt: [Math.sqrt, (x) => 0.5 / Math.sqrt(x)],
  root: [Math.sqrt, (x) => (x ? 0.5 / Math.sqrt(x) : 0)],  // of a sum of squares
  exp: [Math.exp, Math.exp],
  expm1: [Math.expm1, Math.exp],
  log: [Math.log, (x) => 1 / x],
  log1p: [Math.log1p, (x) => 1 / (1 + x)],
  sin: [Math.sin, Math.cos],
  cos: [Math.cos, (x) => -Math.sin(x)],
  tanh: [Math.tanh, (x) => 1 - Math.tanh(x) ** 2],
  logaddexp: [logaddexp, (x, y) => Math.exp(x - logaddexp(x, y)), (x, y) => Math.exp(y - logaddexp(x, y))],
  maximum: [Math.max, (x, y) => share(x - y), (x, y) => share(y - x)],
  minimum: [Math.min, (x, y) => share(y - x), (x, y) => share(x - y)],
  clip: [
    (x, low, high) => Math.min(Math.max(x, low), high),
    (x, low, high) => Number(x >= low && x <= high),
    (x, low, high) => Number(x < low && low <= high),
    (x, low, high) => Number(Math.max(x, low) > high),
  ],
  where: [(is, x, y) => (is ? x : y), () => 0, (is) => Number(is), (is) => 1 - is],
  // Questions: 1 is yes, 0 is no, and a small change of a number changes neither.
  equal: number((x, y) => x === y),
  not_equal: number((x, y) => x !== y),
  less: number((x, y) => x < y),
  less_equal: number((x, y) => x <= y),
  greater: number((x, y) => x > y),
  greater_equal: number((x, y) => x >= y),
  logical_and: number((x, y) => x && y),
  logical_or: number((x, y) => x || y),
  logical_not: number((x) => !x),
  isfinite: number(Number.isFinite),
  isnan: number(Number.isNaN),
  isinf: number((x) => Math.abs(x) === Infinity),
  sign: [Math.sign],
};

// What the greater of two gets, by how much it is greater: equal ones get half each.
function share(more) {
  return more > 0 ? 1 : more === 0 ? 0.5 : 0;
}

function logaddexp(x, y) {
  return x === y ? x + Math.LN2 : Math.max(x, y) + Math.log1p(Math.exp(-Math.abs(x - y)));
}
