// Tree structures and their bounds: labelings that they realize, VC dimensions, the
// risk. A structure is a leaf or a pair of structures; everything is in natural
// logarithms.
(() => {
  "use strict";
  const T = window.treebounds;
  const DELTA = 0.05,
    MAX_LEAVES = 64;
  const TABLE_WORK = 4e6; // products that a table may add up: a few milliseconds

  // ---- structures -------------------------------------------------------------------

  // Equal structures are the same object, whatever side their subtrees are on.
  const interned = new Map();
  const intern = (key, build) =>
    interned.get(key) ?? interned.set(key, build(interned.size)).get(key);
  const LEAF = intern("leaf", (id) => ({
    id,
    leaves: 1,
    height: 0,
    symmetric: 0,
    later: 0,
    base: false,
  }));
  function node(a, b) {
    const [left, right] =
      a.leaves > b.leaves || (a.leaves === b.leaves && a.id <= b.id) ? [a, b] : [b, a];
    const leaves = left.leaves + right.leaves;
    // On two features the smallest subtrees with four to six nodes keep samples of
    // their own, and one more subtree with three.
    const keeps = leaves > 4 && leaves < 8 && left.leaves < 5;
    return intern(`${left.id},${right.id}`, (id) => ({
      id,
      left,
      right,
      leaves,
      later: keeps ? 1 : left.later + right.later,
      base: !keeps && (leaves === 4 || left.base || right.base),
      height: 1 + Math.max(left.height, right.height),
      symmetric: left.symmetric + right.symmetric + (left === right ? 1 : 0),
    }));
  }
  const chain = (internal) => {
    let t = LEAF;
    while (internal--) t = node(t, LEAF);
    return t;
  };
  const complete = (height) =>
    height ? node(complete(height - 1), complete(height - 1)) : LEAF;
  function subtrees(structure) {
    const found = new Set([structure]);
    for (const t of found) if (t.left) found.add(t.left).add(t.right);
    return [...found].sort((a, b) => a.leaves - b.leaves);
  }

  // A drawn tree keeps its left and right: nested arrays [left, right], a leaf is null.
  // As text: its nodes in preorder, 1 for an internal node and 0 for a leaf.
  const write = (drawn) => (drawn ? `1${write(drawn[0])}${write(drawn[1])}` : "0");
  function parse(text) {
    let at = 0;
    const read = () => {
      const c = text[at++];
      if (c === "0") return null;
      if (c === "1") return [read(), read()];
      throw T.wrong(
        "t",
        c === undefined
          ? "The tree in the address ends too early"
          : `Character ${at} of the tree in the address, "${c}", is neither 0 nor 1`,
      );
    };
    const drawn = read();
    if (at < text.length)
      throw T.wrong("t", `The tree in the address ends at character ${at} and goes on`);
    return drawn;
  }
  const structureOf = (drawn) =>
    drawn ? node(structureOf(drawn[0]), structureOf(drawn[1])) : LEAF;
  const drawnOf = (t) => (t.left ? [drawnOf(t.left), drawnOf(t.right)] : null);
  const nested = (t) => (t.left ? `[${nested(t.left)},${nested(t.right)}]` : "·");

  // ---- growth bounds ----------------------------------------------------------------

  // Coefficients in z = (n - 1) l y: the growth bound of a structure is the sum of c_j
  // ((n-1) l)^j C(m-1, j). Without "late" both sides have any number of examples; with
  // it the smaller subtree has as many as it can.
  const polynomials = new Map();
  function polynomial(t, l, n, late) {
    const key = `${t.id}|${l}|${n}|${late}`;
    if (!t.left) return [n];
    if (polynomials.has(key)) return polynomials.get(key);
    const [a, b] = [t.right, t.left].map((subtree) => polynomial(subtree, l, n, late)),
      twins = t.left === t.right;
    const c = new Array(a.length + b.length).fill(0);
    const factor = (twins ? 1 : 2) / (late || a.length === 1 ? 1 : n - 1);
    const first =
      late || a.length === 1
        ? [0, ...a].map(
            (x, i) => x / n + (i && i < a.length ? ((l * (n - 1)) / n) * a[i] : 0),
          )
        : [0, ...a];
    (late ? a : [n]).forEach((x, i) => {
      c[i] = x;
    });
    first.forEach((x, i) =>
      b.forEach((y, j) => {
        if (i) c[i + j] += factor * x * y;
      }),
    );
    polynomials.set(key, c);
    return c;
  }
  // ln of the sum of exp(logs[j]) C(m-1, j) for j = 0, 1, ..., m - 1
  function logSeries(logs, m) {
    const terms = [];
    let logCombinations = 0;
    for (let j = 0; j < logs.length && j < m; j++) {
      terms.push(logs[j] + logCombinations);
      logCombinations += Math.log((m - 1 - j) / (j + 1));
    }
    return T.logSum(terms);
  }
  const logAll = (m, n) => m * Math.log(n);

  // ln of the number of labelings of m examples by at most so many of n classes: the
  // sum of (n)_c S(m, c). The terms of m + 1 follow from those of m.
  function logLabelings(m, n, parts) {
    const most = Math.min(parts, n);
    if (most >= m || most === n) return logAll(m, n);
    let logs = [Math.log(n)];
    for (let examples = 1; examples < m; examples++) {
      logs = Array.from({ length: Math.min(examples + 1, most) }, (_, i) => {
        const old = i < logs.length ? logs[i] + Math.log(i + 1) : -Infinity;
        const added = i > 0 ? logs[i - 1] + Math.log(n - i) : -Infinity;
        return T.logSum([old, added]);
      });
    }
    return T.logSum(logs);
  }
  // There are at least 2^m labelings, so most bounds need no comparison with their
  // number.
  function capped(bound, m, n, parts) {
    return bound <= m * Math.LN2 ? bound : Math.min(bound, logLabelings(m, n, parts));
  }

  // The smaller of n sum C(N,j) (2(n-1)l)^j C(m-1,j) and n^L (2l)^N C(m-1,N) / 2^s.
  function closed(t, m, l, n) {
    const N = t.leaves - 1,
      step = Math.log(2 * (n - 1) * l);
    const sharp = logSeries(
      Array.from(
        { length: N + 1 },
        (_, j) => Math.log(n) + T.logBinomial(N, j) + j * step,
      ),
      m,
    );
    return capped(Math.min(sharp, closed2020(t, m, l, n)), m, n, t.leaves);
  }
  function closed2020(t, m, l, n) {
    const N = t.leaves - 1;
    if (m < t.leaves) return Infinity;
    return (
      t.leaves * Math.log(n) +
      N * Math.log(2 * l) -
      t.symmetric * Math.LN2 +
      T.logBinomial(m - 1, N)
    );
  }
  // The recursion of one structure as a product of polynomials, without caps.
  function shaped(t, m, l, n) {
    if (!t.left) return Math.log(n);
    const step = Math.log((n - 1) * l);
    const sums = [false, true].map((late) =>
      logSeries(
        polynomial(t, l, n, late).map((c, j) => Math.log(c) + j * step),
        m,
      ),
    );
    return capped(Math.min(...sums, closed2020(t, m, l, n)), m, n, t.leaves);
  }
  // All structures with as many leaves together: n + sum P_j l^j C(m-1, j).
  function series(leaves, m, l, n) {
    const a = n - 1,
      logs = [Math.log(n)];
    let log = Math.log(n * a) + Math.log(l),
      ratio = a;
    for (let j = 1; j < leaves; j++) {
      logs.push(log);
      ratio = (2 * a * (2 * j + 1) + (4 * a * (j - 1)) / ratio) / (j + 2);
      log += Math.log(ratio * l);
    }
    return m < leaves ? logAll(m, n) : logSeries(logs, m);
  }

  // The recursion with the caps min(2l, C(m,k)), as shares of all n^m labelings, for m
  // = 1, 2, ...
  class Table {
    constructor(structure, l, n) {
      const inner = subtrees(structure).filter((t) => t.left),
        index = new Map(inner.map((t, i) => [t, i]));
      Object.assign(this, { l, n, m: 0, used: [1], atMost: [], powers: [1], ends: [] });
      this.most = Math.min(n, structure.leaves);
      this.leaf = { leaves: 1, share: [1] };
      this.rows = inner.map((t) => ({
        leaves: t.leaves,
        twins: t.left === t.right,
        share: [1],
        sum: 0,
      }));
      const row = (t) => (t.left ? this.rows[index.get(t)] : this.leaf);
      inner.forEach((t, i) =>
        Object.assign(this.rows[i], { left: row(t.left), right: row(t.right) }),
      );
    }
    // For m + 1 examples, from the smallest subtree to the structure itself.
    grow() {
      const m = ++this.m,
        { l, n, ends, powers, rows } = this;
      this.leaf.share.push(powers[m - 1]);
      powers.push(powers[m - 1] / n); // n^-m
      ends.length = 0; // C(m, k) for k = 0, 1, ... while it is below 2 l
      for (let k = 0, c = 1; c < 2 * l && 2 * k <= m; k++) {
        ends.push(c);
        c = (c * (m - k)) / (k + 1);
      }
      this.countClasses();
      for (const row of rows) {
        row.share.push(
          Math.min(row.leaves < n ? this.atMost[row.leaves] : 1, this.value(row, m)),
        );
      }
    }
    // The shares of the labelings that use at most 1, 2, ... classes: others no tree
    // with so many leaves realizes.
    countClasses() {
      const { used, atMost, n, most } = this;
      for (let c = most; c >= 0; c--)
        used[c] = ((used[c] ?? 0) * c + (c ? (used[c - 1] ?? 0) * (n - c + 1) : 0)) / n;
      for (let c = 0, sum = 0; c <= most; c++) {
        sum += used[c];
        atMost[c] = sum;
      }
    }
    value(row, m) {
      const beside =
        row.right === this.leaf && !row.twins ? this.besideLeaf(row, m) : null;
      if (m <= row.leaves) return 1;
      if (m > 256) return beside ?? this.withMost(row.right, row.left, m);
      const smallFirst = this.withMost(row.right, row.left, m);
      return row.twins
        ? smallFirst
        : Math.min(smallFirst, this.withMost(row.left, row.right, m));
    }
    // The leaf takes k examples; the next one has another label.
    besideLeaf(row, m) {
      const { l, n, ends, powers } = this,
        E = ends.length,
        inner = row.left.share;
      // Of n^-k share(m - k), k = 1 .. m - 1.
      row.sum = m === 1 ? 0 : (row.sum + inner[m - 1]) / n;
      let all = 2 * l * row.sum;
      for (let k = 1; k < E && k < m; k++) {
        all -= (2 * l - ends[k]) * powers[k] * inner[m - k];
        if (m - k >= E) all -= (2 * l - ends[k]) * powers[m - k] * inner[k];
      }
      return powers[m - 1] + (n - 1) * all;
    }
    // Subtree a has as many examples as it can: all, or all but as many as b has
    // leaves. The next one has another label.
    withMost(a, b, m) {
      const { l, n, ends, powers } = this,
        constant = powers[m - 1],
        twins = a === b,
        A = a.share,
        B = b.share;
      const sides = (k) => ends[Math.min(k, m - k)] ?? 2 * l,
        most = m - b.leaves,
        less = a.leaves === 1 ? 0 : constant;
      let sum = 0,
        toMost = constant + sides(most) * (A[most] * B[b.leaves] - constant);
      for (
        let k = twins ? Math.max(a.leaves, Math.ceil(m / 2)) : a.leaves;
        k < m;
        k++
      ) {
        const others = Math.min(A[k], (n - 1) * A[k + 1]) * B[m - k] - less;
        const term = sides(k) * others * (twins && 2 * k === m ? 0.5 : 1);
        sum += term;
        if (k < most) toMost += term;
      }
      return Math.min(toMost, A[m] + sum);
    }
    share(m) {
      while (this.m < m) this.grow();
      return this.rows[this.rows.length - 1].share[m];
    }
  }
  const tables = new Map(); // the last few
  function table(t, l, n) {
    const key = `${t.id}|${l}|${n}`;
    const found = tables.get(key) ?? new Table(t, l, n);
    tables.delete(key);
    tables.set(key, found);
    if (tables.size > 12) tables.delete(tables.keys().next().value);
    return found;
  }
  // The bound of one structure: with caps while the table is short, then the
  // polynomial.
  function growth(t, m, l, n) {
    if (!t.left) return Math.log(n);
    const uncapped = shaped(t, m, l, n),
      kept = table(t, l, n);
    const affordable =
      kept.m >= m || (m <= 1000 && kept.rows.length * m * m < 2 * TABLE_WORK);
    if (!affordable) return uncapped;
    const share = kept.share(m);
    return share > 1e-280
      ? Math.min(uncapped, logAll(m, n) + Math.log(share))
      : uncapped;
  }

  // ---- VC dimensions ----------------------------------------------------------------

  // The largest d with C(d, floor(d/2)) <= cuts.
  function central(cuts) {
    let d = 1,
      c = 1;
    for (;;) {
      c = d % 2 ? c * 2 : (c * (d + 1)) / (d / 2 + 1); // C(d+1, floor((d+1)/2))
      if (Math.round(c) > cuts) return d;
      d += 1;
    }
  }
  function vcLower(t, l) {
    if (!t.left) return 1;
    const N = t.leaves - 1,
      g = central(l);
    if (l === 2 && N > 2) return 2 * N + 2 + Math.max(0, t.later - (t.base ? 0 : 1));
    return Math.max(1 + N * g, central(2 * l) + (N - 1) * g);
  }
  // The largest m at which the bound allows every labeling with two classes.
  function detachment(t, l, n) {
    if (!t.left) return 1;
    const kept = table(t, l, n);
    for (let m = t.leaves; ; m++) if (kept.share(m + 1) < 1 - 1e-10) return m;
  }

  // ---- the risk bound ---------------------------------------------------------------

  // Shawe-Taylor's bound with the priors of Leboeuf et al.; growth functions are taken
  // at 2 m.
  function riskBound(logGrowth, leaves, m, errors, exponent, logStructurePrior) {
    const logErrorPrior = Math.log1p(-(2 ** -exponent)) - errors * exponent * Math.LN2;
    const logLeavesPrior = Math.log(6 / Math.PI ** 2) - 2 * Math.log(leaves);
    const nats =
      Math.log(4) +
      logGrowth -
      Math.log(DELTA) -
      logErrorPrior -
      logLeavesPrior -
      logStructurePrior;
    return (2 * errors + 4 * nats) / m;
  }
  // ln of the number of structures with so many leaves (Wedderburn and Etherington).
  const structureCounts = [0n, 1n];
  function logStructures(leaves) {
    for (let n = structureCounts.length; n <= leaves; n++) {
      let total = 0n;
      for (let i = 1; 2 * i < n; i++)
        total += structureCounts[i] * structureCounts[n - i];
      if (n % 2 === 0)
        total += (structureCounts[n / 2] * (structureCounts[n / 2] + 1n)) / 2n;
      structureCounts.push(total);
    }
    return Math.log(Number(structureCounts[leaves]));
  }
  function compute(t, { features: l, examples: m, classes: n, errors, exponent }) {
    const risk = (nats, prior) => riskBound(nats, t.leaves, m, errors, exponent, prior);
    const prior = -logStructures(t.leaves);
    return {
      leaves: t.leaves,
      height: t.height,
      symmetric: t.symmetric,
      lower: vcLower(t, l),
      upper: l === 1 ? t.leaves : detachment(t, l, 2),
      forms: {
        shape: [growth(t, m, l, n), risk(growth(t, 2 * m, l, n), prior)],
        closed: [closed(t, m, l, n), risk(closed(t, 2 * m, l, n), prior)],
        series: [series(t.leaves, m, l, n), risk(series(t.leaves, 2 * m, l, n), 0)],
      },
    };
  }

  T.bounds = {
    MAX_LEAVES,
    node,
    chain,
    complete,
    write,
    parse,
    structureOf,
    drawnOf,
    nested,
    logAll,
    closed,
    series,
    table,
    growth,
    detachment,
    compute,
  };
})();
