// The page "How complex is this tree?": the library's bounds, computed in the browser.
// A structure is a leaf (null) or a pair of structures; everything is in natural logarithms.
(() => {
  "use strict";

  const DELTA = 0.05;
  const TIGHT_LIMIT = 2e7; // terms that the recursion may add up: about a second
  const PAUSE = 200; // milliseconds without a keystroke before anything is computed
  const MAX_LEAVES = 64;

  // ---- structures -------------------------------------------------------------------------------------------

  // Equal structures are the same object, whatever side their subtrees are on.
  const interned = new Map();
  const intern = (key, make) => interned.get(key) ?? interned.set(key, make(interned.size)).get(key);
  const LEAF = intern("leaf", (id) => ({ id, leaves: 1, height: 0, symmetric: 0 }));

  function node(a, b) {
    const [left, right] = a.leaves > b.leaves || (a.leaves === b.leaves && a.id <= b.id) ? [a, b] : [b, a];
    return intern(`${left.id},${right.id}`, (id) => ({
      id, left, right,
      leaves: left.leaves + right.leaves,
      height: 1 + Math.max(left.height, right.height),
      symmetric: left.symmetric + right.symmetric + (left === right ? 1 : 0),
    }));
  }

  // An error that the reader can mend, and the field where.
  const wrong = (field, message) => Object.assign(new Error(message), { field });

  // Brackets with two items each; anything that is no bracket and no comma is a leaf: [[·,·],·]
  function parse(text) {
    const tokens = text.match(/[[\](),]|[^[\](),\s]+/g) ?? [];
    let at = 0;
    const expect = (allowed) => {
      if (!allowed.includes(tokens[at])) {
        throw wrong("structure", `Expected ${allowed.join(" or ")} at item ${at + 1} of the structure`);
      }
      at += 1;
    };
    const read = () => {
      if (tokens[at] === undefined) throw wrong("structure", "The structure ends too early");
      if ("[(".includes(tokens[at])) {
        at += 1;
        const left = read();
        expect([","]);
        const right = read();
        expect(["]", ")"]);
        return node(left, right);
      }
      if ("]),".includes(tokens[at])) throw wrong("structure", `A subtree is missing at item ${at + 1} of the structure`);
      at += 1;
      return LEAF;
    };
    if (!tokens.length) throw wrong("structure", "Type a structure: · for a leaf, [·,·] for a stump");
    const structure = read();
    if (at < tokens.length) throw wrong("structure", "The structure goes on after its end");
    return structure;
  }

  const nested = (t) => (t.left ? `[${nested(t.left)},${nested(t.right)}]` : "·");

  const chain = (internal) => (internal ? node(chain(internal - 1), LEAF) : LEAF);
  const complete = (height) => (height ? node(complete(height - 1), complete(height - 1)) : LEAF);

  function subtrees(structure) {
    const found = new Set([structure]);
    for (const t of found) if (t.left) found.add(t.left).add(t.right);
    return [...found].sort((a, b) => a.leaves - b.leaves);
  }

  // Wedderburn-Etherington numbers: how many structures have this many leaves.
  function structuresWith(leaves) {
    const W = [0n, 1n];
    for (let n = 2; n <= leaves; n++) {
      let total = 0n;
      for (let i = 1; 2 * i < n; i++) total += W[i] * W[n - i];
      if (n % 2 === 0) total += (W[n / 2] * (W[n / 2] + 1n)) / 2n;
      W.push(total);
    }
    return W[leaves];
  }

  // ---- logarithms -------------------------------------------------------------------------------------------

  const logFactorials = [0];
  function logFactorial(n) {
    for (let i = logFactorials.length; i <= n; i++) logFactorials.push(logFactorials[i - 1] + Math.log(i));
    return logFactorials[n];
  }
  const logBinomial = (n, k) => (k < 0 || k > n ? -Infinity : logFactorial(n) - logFactorial(k) - logFactorial(n - k));

  function logSum(terms) {
    const top = Math.max(...terms);
    if (top === -Infinity) return top;
    let sum = 0;
    for (const term of terms) sum += Math.exp(term - top);
    return top + Math.log(sum);
  }
  const logDifference = (a, b) => a + Math.log1p(-Math.exp(b - a));

  function logInteger(x) {
    const digits = x.toString();
    return Math.log(Number(digits.slice(0, 15))) + Math.max(0, digits.length - 15) * Math.LN10;
  }

  // Logarithms of Stirling numbers of the second kind by rows, for up to MAX_LEAVES parts.
  const stirlingRows = [[0]];
  function logStirling(m) {
    for (let i = stirlingRows.length; i <= m; i++) {
      const row = stirlingRows[i - 1], next = [-Infinity];
      for (let c = 1; c <= Math.min(i, MAX_LEAVES); c++) {
        next.push(logSum([Math.log(c) + (row[c] ?? -Infinity), row[c - 1]]));
      }
      stirlingRows.push(next);
    }
    return stirlingRows[m];
  }

  // The logarithm of the labelings of m examples with n classes that use at most `parts` of them.
  function logLabelings(m, n, parts) {
    if (parts >= n || parts >= m) return m * Math.log(n);
    // with so many examples nearly all use exactly `parts`; the rest is a share of at most parts exp(-60)
    if (m > 60 * parts) return m * Math.log(parts) + logBinomial(n, parts);
    const row = logStirling(m).slice(0, parts + 1);
    return logSum(row.map((value, c) => value + logFactorial(n) - logFactorial(n - c)));
  }

  // ---- bounds -----------------------------------------------------------------------------------------------

  // Constant labelings are counted once in all, the others once for each cut; a symmetric root halves.
  function join(labelingsOfCuts, cuts, symmetric, logClasses) {
    const rest = logDifference(labelingsOfCuts, cuts + logClasses) - (symmetric ? Math.LN2 : 0);
    return logSum([logClasses, rest]);
  }

  // How many terms the recursion adds up: for each subtree but the root, every size and every cut.
  const tightWork = (structure, m) =>
    ((subtrees(structure).filter((t) => t.left).length - 1) * (m - structure.leaves) ** 2) / 2;

  function tight(structure, m, l, n) {
    const excess = m - structure.leaves;
    const logClasses = Math.log(n);
    const tables = new Map();
    for (const t of subtrees(structure)) {
      const table = new Float64Array(excess + 1);
      for (let e = 0; e <= excess; e++) {
        if (!t.left) { table[e] = logClasses; continue; }
        const size = t.leaves + e;
        const a = tables.get(t.left), b = tables.get(t.right);
        if (e === 0) { table[0] = size * logClasses; continue; }
        if (t === structure && e < excess) continue; // only the last entry of the root is wanted
        const weights = [], terms = [];
        for (let k = 0; k <= e; k++) {
          const weight = Math.min(Math.log(2 * l), logBinomial(size, t.left.leaves + k));
          weights.push(weight);
          terms.push(weight + a[k] + b[e - k]);
        }
        table[e] = Math.min(
          join(logSum(terms), logSum(weights), t.left === t.right, logClasses),
          n <= t.leaves ? size * logClasses : logLabelings(size, n, t.leaves),
        );
      }
      tables.set(t, table);
    }
    return tables.get(structure)[excess];
  }

  function loose(structure, m, l, n, extra) {
    const excess = m - structure.leaves;
    const logClasses = Math.log(n);
    const logCuts = Math.log(2 * l) + Math.log(excess + extra);
    const values = new Map();
    for (const t of subtrees(structure)) {
      if (!t.left) { values.set(t, logClasses); continue; }
      const value = join(logCuts + values.get(t.left) + values.get(t.right), logCuts, t.left === t.right, logClasses);
      values.set(t, Math.min(value, logLabelings(t.leaves + excess, n, t.leaves)));
    }
    return values.get(structure);
  }

  // Stirling numbers of the second kind S(m, c) for c = 1, ..., parts.
  function stirlings(m, parts) {
    let row = [1n];
    for (let i = 1; i <= m; i++) {
      row = Array.from({ length: parts + 1 }, (_, c) => BigInt(c) * (row[c] ?? 0n) + (c ? row[c - 1] ?? 0n : 0n));
    }
    return row.slice(1);
  }

  // Each number of parts capped by itself, in exact integers: felt with few examples and more than two classes.
  function byParts(form, structure, m, l, n) {
    const excess = m - structure.leaves, most = Math.min(n, structure.leaves);
    // growth bounds with 1, ..., most classes from numbers of partitions, and back by differences
    const falling = (x, c) => (c ? BigInt(x - c + 1) * falling(x, c - 1) : 1n);
    const growthOf = (partitions, x) => partitions.reduce((sum, count, i) => sum + falling(x, i + 1) * count, 0n);
    const classes = Array.from({ length: most }, (_, i) => i + 1);
    const capped = (values, size) => {
      const caps = stirlings(size, values.length), partitions = [];
      let differences = [0n, ...values];
      for (let c = 1; c <= values.length; c++) {
        differences = differences.slice(1).map((value, i) => value - differences[i]);
        const count = differences[0] / falling(c, c);
        partitions.push(count < caps[c - 1] ? count : caps[c - 1]);
      }
      return partitions;
    };
    const tables = new Map();
    let partitions;
    for (const t of subtrees(structure)) {
      const table = [];
      for (let e = 0; e <= excess; e++) {
        const size = t.leaves + e, parts = Math.min(most, t.leaves);
        if (!t.left) partitions = [1n];
        else if (form === "tight" && e === 0) partitions = stirlings(size, parts);
        else if (form !== "tight" && e < excess) continue; // the loose forms need one size only
        else {
          const a = tables.get(t.left), b = tables.get(t.right), half = cappedBinomials(size, BigInt(2 * l));
          const cuts = [];
          for (let k = 0; k <= e; k++) cuts.push(half[Math.min(t.left.leaves + k, t.right.leaves + e - k)]);
          const looseCuts = BigInt(2 * l) * BigInt(excess + (form === "loose-corrected" ? 1 : 0));
          partitions = capped(classes.slice(0, parts).map((x, i) => {
            const constant = BigInt(x);
            const sum = form === "tight"
              ? cuts.reduce((total, cut, k) => total + cut * (a[k][i] * b[e - k][i] - constant), 0n)
              : looseCuts * (a[e][i] * b[e][i] - constant);
            return constant + (t.left === t.right ? sum / 2n : sum);
          }), size);
        }
        table[e] = classes.map((x) => growthOf(partitions, x));
      }
      tables.set(t, table);
    }
    return logInteger(growthOf(partitions, n));
  }

  function closed(structure, m, l, n) {
    const N = structure.leaves - 1;
    const value = structure.leaves * Math.log(n) + N * Math.log(2 * l) + logBinomial(m - 1, N)
      - structure.symmetric * Math.LN2;
    return Math.min(value, logLabelings(m, n, structure.leaves));
  }

  function allStructures(leaves, m, l, n) {
    if (m < leaves) return m * Math.log(n);
    const N = leaves - 1;
    const logCatalan = logBinomial(2 * N, N) - Math.log(leaves);
    return leaves * Math.log(n) + N * Math.log(l) + logCatalan + logBinomial(m - 1, N);
  }

  const FORMS = {
    "tight": (t, m, l, n) => (tightWork(t, m) > TIGHT_LIMIT ? NaN : tight(t, m, l, n)),
    "closed": closed,
    "loose-corrected": (t, m, l, n) => loose(t, m, l, n, 1),
    "loose": (t, m, l, n) => loose(t, m, l, n, 0),
  };

  function growth(form, structure, m, l, n) {
    if (m <= structure.leaves || n === 1) return m * Math.log(n);
    if (!structure.left) return Math.log(n);
    if (form !== "closed" && n > 2 && structure.leaves <= 10 && m <= 56) return byParts(form, structure, m, l, n);
    return FORMS[form](structure, m, l, n);
  }

  // Shawe-Taylor's bound with the priors of Leboeuf et al.; growth functions are taken at 2 m.
  function riskBound(logGrowth, structure, m, errors, exponent, logStructurePrior) {
    const logErrorPrior = Math.log1p(-(2 ** -exponent)) - errors * exponent * Math.LN2;
    const logLeavesPrior = Math.log(6 / Math.PI ** 2) - 2 * Math.log(structure.leaves);
    const nats = Math.log(4) + logGrowth - Math.log(DELTA) - logErrorPrior - logLeavesPrior - logStructurePrior;
    return (2 * errors + 4 * nats) / m;
  }

  // ---- VC dimensions ----------------------------------------------------------------------------------------

  function stumpVcDimension(l) {
    let d = 1;
    while (Math.round(Math.exp(logBinomial(d + 1, Math.floor((d + 1) / 2)))) <= 2 * l) d += 1;
    return d;
  }

  function vcLower(t, l) {
    if (!t.left) return 1;
    return t.leaves === 2 ? stumpVcDimension(l) : vcLower(t.left, l) + vcLower(t.right, l);
  }

  // min(C(n, k), cap) for k = 0, ..., floor(n/2), where binomials stop growing.
  function cappedBinomials(n, cap) {
    const values = [];
    for (let k = 0, value = 1n; 2 * k <= n; k++) {
      values.push(value < cap ? value : cap);
      if (value < cap) value = (value * BigInt(n - k)) / BigInt(k + 1);
    }
    return values;
  }

  // The largest m before the tight bound on two-part partitions falls below 2^(m-1) - 1, in exact integers.
  function vcUpper(structure, l) {
    if (!structure.left) return 1;
    const rows = new Map(subtrees(structure).map((t) => [t, []])); // labelings with two classes, by examples - leaves
    const weights = new Map();
    const weightsOf = (n) => weights.get(n) ?? weights.set(n, cappedBinomials(n, BigInt(2 * l))).get(n);
    for (let e = 0; ; e++) {
      for (const [t, row] of rows) {
        const size = t.leaves + e, all = 1n << BigInt(size);
        if (!t.left) { row.push(2n); continue; }
        if (e === 0) { row.push(all); continue; }
        const a = rows.get(t.left), b = rows.get(t.right), cuts = weightsOf(size);
        let twice = 0n;
        for (let k = 0; k <= e; k++) {
          const inside = t.left.leaves + k;
          twice += cuts[Math.min(inside, size - inside)] * (a[k] * b[e - k] - 2n);
        }
        const value = 2n + (t.left === t.right ? twice / 2n : twice);
        row.push(value < all ? value : all);
      }
      const m = structure.leaves + e;
      if (rows.get(structure)[e] < 1n << BigInt(m)) return m - 1;
    }
  }

  // Large chains take seconds, and a change of the sample does not change the answer.
  const vcUppers = new Map();
  function vcUpperOnce(structure, l) {
    const key = `${structure.id}|${l}`;
    if (!vcUppers.has(key)) vcUppers.set(key, vcUpper(structure, l));
    return vcUppers.get(key);
  }

  // ---- the page ---------------------------------------------------------------------------------------------

  function drawing(structure) {
    let next = 0;
    const lines = [], marks = [];
    const place = (t, depth) => {
      const y = 12 + 26 * depth;
      if (!t.left) {
        const x = 12 + 22 * next++;
        marks.push(`<rect x="${x - 5}" y="${y - 5}" width="10" height="10" class="leaf"/>`);
        return [x, y];
      }
      const ends = [place(t.left, depth + 1), place(t.right, depth + 1)];
      const x = (ends[0][0] + ends[1][0]) / 2;
      for (const [ex, ey] of ends) lines.push(`<line x1="${x}" y1="${y}" x2="${ex}" y2="${ey}"/>`);
      marks.push(`<circle cx="${x}" cy="${y}" r="5.5" class="internal"/>`);
      return [x, y];
    };
    place(structure, 0);
    const width = 24 + 22 * (structure.leaves - 1), height = 24 + 26 * structure.height;
    return `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" `
      + `aria-label="The tree structure ${nested(structure)}">${lines.join("")}${marks.join("")}</svg>`;
  }

  const number = (value, digits) => (Number.isNaN(value) ? "not evaluated" : value.toFixed(digits));

  function setUp(page) {
    const field = (name) => page.querySelector(`[name=${name}]`);
    const known = JSON.parse(document.getElementById("exact-vc-dimensions").textContent);

    function numberIn(name, low, high, whole) {
      const { value, dataset } = field(name);
      // an empty field, or one that holds no number, is "" here and would count as 0
      if (value === "" || (whole && !Number.isInteger(Number(value))) || value < low || value > high) {
        throw wrong(name, `${dataset.label} must be a ${whole ? "whole " : ""}number from ${low} to ${high}`);
      }
      return Number(value);
    }

    function read() {
      const structure = parse(field("structure").value);
      if (structure.leaves > MAX_LEAVES) throw wrong("structure", `The structure may have up to ${MAX_LEAVES} leaves here`);
      const m = numberIn("examples", 1, 1000000, true);
      return {
        structure, m,
        l: numberIn("features", 1, 100000, true),
        n: numberIn("classes", 2, 100, true),
        errors: numberIn("errors", 0, m, true),
        exponent: numberIn("exponent", 0.1, 60, false),
      };
    }

    function showBounds({ structure, l, n, m, errors, exponent }) {
      const prior = -logInteger(structuresWith(structure.leaves));
      const rows = Object.keys(FORMS).map((form) => {
        const epsilon = riskBound(growth(form, structure, 2 * m, l, n), structure, m, errors, exponent, prior);
        return [form, growth(form, structure, m, l, n), epsilon];
      });
      rows.push(["all-structures", allStructures(structure.leaves, m, l, n),
        riskBound(allStructures(structure.leaves, 2 * m, l, n), structure, m, errors, exponent, 0)]);
      page.querySelector("tbody").innerHTML = rows.map(([form, nats, epsilon]) =>
        `<tr data-form="${form}" data-nats="${nats}" data-epsilon="${epsilon}"><th scope="row">${form}</th>`
        + `<td>${number(nats, 3)}</td><td>${number(epsilon, 3)}</td></tr>`).join("");
    }

    function showFacts({ structure, l }) {
      const lower = vcLower(structure, l), upper = vcUpper(structure, l);
      const isExact = l === 1 || lower === upper; // on one feature the lower bound, the number of leaves, is exact
      const facts = {
        leaves: structure.leaves,
        height: structure.height,
        symmetric: structure.symmetric,
        lower,
        exact: isExact ? lower : known[`${nested(structure)}|${l}`] ?? "not known here",
        upper,
      };
      for (const [name, value] of Object.entries(facts)) page.querySelector(`[data-fact=${name}]`).textContent = value;
      page.querySelector(".drawing").innerHTML = drawing(structure);
    }

    function show() {
      let problem = null;
      try {
        const input = read();
        showFacts(input);
        showBounds(input);
      } catch (error) {
        if (!error.field) throw error; // not the reader's
        problem = error;
      }
      // results of an earlier input must not stand beside a message
      page.classList.toggle("invalid", problem !== null);
      page.querySelectorAll("input").forEach((input) => {
        input.setAttribute("aria-invalid", String(input.name === problem?.field));
      });
      page.querySelector(".message").textContent = problem ? `${problem.message}.` : "";
      page.setAttribute("aria-busy", "false");
    }

    let timer;
    function showSoon() {
      page.setAttribute("aria-busy", "true");
      clearTimeout(timer);
      timer = setTimeout(show, PAUSE);
    }

    const presets = { stump: () => chain(1), chain: () => chain(4), complete: () => complete(3) };
    page.querySelectorAll("[data-preset]").forEach((button) => button.addEventListener("click", () => {
      field("structure").value = nested(presets[button.dataset.preset]());
      show();
    }));
    page.addEventListener("input", showSoon);
    page.addEventListener("submit", (event) => event.preventDefault());
    show();
  }

  document.addEventListener("DOMContentLoaded", () => {
    const page = document.getElementById("how-complex");
    if (page) setUp(page);
  });
})();
