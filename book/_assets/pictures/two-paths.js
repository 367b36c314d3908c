// Two paths in one random tree: drawn, counted, and set beside the printed and the
// repaired formula.
(() => {
  "use strict";
  const T = window.treebounds;
  const D = 3; // attributes

  // ---- the formulas -----------------------------------------------------------------

  const falling = (n, k) => {
    let product = 1;
    for (let i = 0; i < k; i++) product *= n - i;
    return product;
  };
  const factorial = (n) => falling(n, n);
  const choose = (n, k) => falling(n, k) / factorial(k);

  // Two paths of lengths l1 <= l2 that part, with r common attributes, on v of which
  // they agree: the appendix.
  function coexistence(d, l1, l2, r, v) {
    let total = 0;
    for (let i = 0; i <= Math.min(v, l1 - 1); i++) {
      const ways =
        falling(v, i) * factorial(l1 - i - 1) * factorial(l2 - i - 1) * (r - v);
      const together = falling(d, i + 1),
        apart = falling(d - i - 1, l1 - i - 1) ** 2 * falling(d - l1, l2 - l1);
      total += ways / (together * apart);
    }
    return total;
  }
  // Weights of two sets of h attributes, given on which attributes the inputs agree:
  // printed and repaired.
  function weights(d, one, other, agree) {
    const common = one.filter((a) => other.includes(a)),
      v = common.filter((a) => agree[a]).length,
      h = one.length;
    const printed = coexistence(d, h, h, common.length, v);
    const same = common.length === h && v === h;
    return {
      r: common.length,
      v,
      printed,
      repaired: same ? 1 / choose(d, h) : printed,
    };
  }
  function subsets(d, h) {
    const found = [];
    for (let mask = 0; mask < 1 << d; mask++) {
      const set = Array.from({ length: d }, (_, a) => a).filter((a) => (mask >> a) & 1);
      if (set.length === h) found.push(set);
    }
    return found.sort((a, b) => a.join().localeCompare(b.join()));
  }

  // ---- random trees -----------------------------------------------------------------

  function grow(random, h, free = Array.from({ length: D }, (_, a) => a)) {
    if (!h) return null;
    const attribute = free[Math.floor(random() * free.length)],
      rest = free.filter((a) => a !== attribute);
    return {
      attribute,
      children: [grow(random, h - 1, rest), grow(random, h - 1, rest)],
    };
  }
  function follow(tree, input) {
    const steps = [];
    for (let node = tree; node; node = node.children[input[node.attribute]])
      steps.push([node.attribute, input[node.attribute]]);
    return steps;
  }
  const key = (steps) =>
    steps
      .map(([a]) => a)
      .sort()
      .join("");
  const bits = (input) => input.join("");
  const braces = (set) => `{${set.map((a) => a + 1).join(", ")}}`;

  T.picture("two-paths", (live, data, width) => {
    let state = { h: 2, x: [0, 1, 0], y: [0, 1, 1] },
      counts = new Map(),
      drawn = 0,
      tree = null,
      progress = 1,
      frame = 0;
    const random = T.random(7),
      address = T.address("two-paths");
    const message = T.html("p", { class: "message", role: "alert" }),
      status = T.html("p", { role: "status" });
    const height = T.choice(
      "Height",
      { 1: "height 1", 2: "height 2", 3: "height 3" },
      2,
      (h) => change({ h: Number(h) }),
    );
    const bitRow = (name, label, color) =>
      T.html(
        "div",
        { class: "p-row bits", role: "group", "aria-label": `Values of ${label}` },
        T.html("strong", { class: `ink-${color}` }, label),
        Array.from({ length: D }, (_, a) =>
          T.html("button", {
            type: "button",
            "data-bit": `${name}${a}`,
            onclick: () =>
              change({ [name]: state[name].map((v, b) => (a === b ? 1 - v : v)) }),
          }),
        ),
      );
    const rows = { x: bitRow("x", "x", "blue"), y: bitRow("y", "x′", "orange") };
    const one = T.button("Draw a tree", () => draws(1)),
      many = T.button("Draw 1,000", () => draws(1000)),
      clear = T.button("Clear", () => {
        reset();
        draw();
      });
    const same = T.button("x′ = x", () => change({ y: [...state.x] }));
    const sketch = T.html("div", {}),
      bars = T.html("div", {}),
      results = T.html("div", { class: "results" });
    results.append(T.html("div", { class: "panels" }, sketch, bars), status);
    live.append(
      height.element,
      T.html("div", { class: "p-row" }, rows.x, rows.y, same),
      T.html("div", { class: "p-row" }, one, many, clear),
      message,
      results,
    );

    function reset() {
      counts = new Map();
      drawn = 0;
      tree = null;
      cancelAnimationFrame(frame);
      progress = 1;
    }
    function sample(n) {
      for (let i = 0; i < n; i++) {
        tree = grow(random, state.h);
        const pair = `${key(follow(tree, state.x))}|${key(follow(tree, state.y))}`;
        counts.set(pair, (counts.get(pair) ?? 0) + 1);
      }
      drawn += n;
    }
    function draws(n) {
      sample(n);
      cancelAnimationFrame(frame);
      progress = 1;
      if (n === 1 && T.motion()) {
        const start = performance.now(),
          duration = 600 * state.h;
        progress = 0;
        const tick = (now) => {
          progress = T.clamp((now - start) / duration, 0, 1);
          drawTree();
          if (progress < 1) frame = requestAnimationFrame(tick);
        };
        frame = requestAnimationFrame(tick);
      }
      draw();
    }

    function drawTree() {
      const w = Math.min(width(), sketch.clientWidth || width(), 420),
        h = 60 + 62 * state.h,
        across = 2 ** state.h;
      const x = (depth, i) => ((i + 0.5) / 2 ** depth) * w,
        y = (depth) => 22 + 62 * depth;
      const lines = [],
        marks = [];
      const walk = (node, depth, i) => {
        if (!node) {
          marks.push(
            T.svg("rect", {
              x: x(depth, i) - 7,
              y: y(depth) - 7,
              width: 14,
              height: 14,
              class: "open mute-line",
            }),
          );
          return;
        }
        node.children.forEach((child, value) => {
          const to = 2 * i + value;
          lines.push(
            T.line(x(depth, i), y(depth), x(depth + 1, to), y(depth + 1), {
              class: "pale-line",
            }),
          );
          lines.push(
            T.text(
              x(depth, i) + (x(depth + 1, to) - x(depth, i)) * 0.55 + (value ? 8 : -8),
              (y(depth) + y(depth + 1)) / 2,
              value,
              { "text-anchor": "middle", class: "mute" },
            ),
          );
          walk(child, depth + 1, to);
        });
        marks.push(
          T.svg("circle", {
            cx: x(depth, i),
            cy: y(depth),
            r: 12,
            class: "open mute-line",
          }),
          T.text(x(depth, i), y(depth) + 4, node.attribute + 1, {
            "text-anchor": "middle",
            class: "strong",
          }),
        );
      };
      const routes = [],
        tokens = [];
      if (tree) {
        walk(tree, 0, 0);
        for (const [input, color, shift] of [
          [state.x, "blue", -3],
          [state.y, "orange", 3],
        ]) {
          const points = [[x(0, 0), y(0)]];
          let i = 0;
          follow(tree, input).forEach(([, value], depth) => {
            i = 2 * i + value;
            points.push([x(depth + 1, i), y(depth + 1)]);
          });
          const at = progress * state.h,
            full = Math.floor(at),
            part = at - full;
          const shown = points.slice(0, full + 1).map(([a, b]) => [a + shift, b]);
          if (full < state.h) {
            const [a, b] = points[full],
              [c, e] = points[full + 1];
            shown.push([a + (c - a) * part + shift, b + (e - b) * part]);
          }
          const [cx, cy] = shown[shown.length - 1];
          routes.push(T.path(shown, { class: `${color}-line thick` }));
          tokens.push(T.svg("circle", { cx: cx + shift, cy, r: 6, class: color }));
        }
      } else
        lines.push(
          T.text(w / 2, h / 2, "no tree yet", {
            "text-anchor": "middle",
            class: "mute",
          }),
        );
      sketch.replaceChildren(
        T.canvas(
          w,
          h,
          tree
            ? `The last tree: the path of x tests ${braces(follow(tree, state.x).map(([a]) => a))}, that of x′ ${braces(follow(tree, state.y).map(([a]) => a))}`
            : "No tree yet",
          lines,
          routes,
          marks,
          tokens,
        ),
      );
    }

    function drawBars() {
      const sets = subsets(D, state.h),
        agree = state.x.map((v, a) => v === state.y[a]),
        rows = [];
      for (const s of sets)
        for (const t of sets)
          rows.push({
            s,
            t,
            ...weights(D, s, t, agree),
            count: counts.get(`${s.join("")}|${t.join("")}`) ?? 0,
          });
      const w = Math.min(width(), bars.clientWidth || width()),
        line = rows.length > 3 ? 22 : 34,
        top = 34,
        h = top + line * (rows.length + 1) + 44;
      const left = 96,
        right = w - 8,
        most = Math.max(
          ...rows.map((r) => Math.max(r.repaired, drawn ? r.count / drawn : 0)),
          1e-9,
        ),
        scale = 1 / most / 1.08;
      const x = (p) => left + p * scale * (right - left),
        printedTotal = rows.reduce((sum, r) => sum + r.printed, 0),
        repairedTotal = rows.reduce((sum, r) => sum + r.repaired, 0);
      const diamond = (cx, cy) =>
        T.svg("path", { d: `M${cx} ${cy - 6}l5 6l-5 6l-5 -6z`, class: "orange" });
      bars.replaceChildren(
        T.canvas(
          w,
          h,
          "Probabilities of the pairs of attribute sets: frequency, printed and repaired formula",
          T.svg("rect", { x: 2, y: 5, width: 14, height: 10, class: "pale" }),
          T.text(20, 14, "frequency", { class: "mute" }),
          diamond(98, 10),
          T.text(108, 14, "printed", { class: "mute" }),
          T.line(168, 3, 168, 17, { class: "green-line" }),
          T.text(174, 14, "repaired", { class: "mute" }),
          T.text(0, top - 4, "x", { class: "strong blue" }),
          T.text(44, top - 4, "x′", { class: "strong orange" }),
          rows
            .map((r, i) => {
              const y = top + line * i + 4,
                mid = y + line / 2 - 2;
              return [
                T.text(0, mid + 4, braces(r.s)),
                T.text(44, mid + 4, braces(r.t)),
                T.svg("rect", {
                  x: left,
                  y: y + 1,
                  width: Math.max(0, x(drawn ? r.count / drawn : 0) - left),
                  height: line - 7,
                  class: "pale",
                }),
                T.line(x(r.repaired), y - 1, x(r.repaired), y + line - 4, {
                  class: "green-line",
                  "stroke-width": 3,
                }),
                diamond(x(r.printed), mid),
              ];
            })
            .flat(),
          T.line(left, top, left, top + line * rows.length, { class: "axis" }),
          T.text(left, h - 42, 0, { class: "mute" }),
          T.text(x(most), h - 42, `probability ${T.fixed(most, 2)}`, {
            "text-anchor": "end",
            class: "mute",
          }),
          T.text(
            0,
            h - 24,
            `All pairs: printed ${T.fixed(printedTotal, 3)}, repaired ${T.fixed(repairedTotal, 3)}.`,
            { class: "strong" },
          ),
          T.text(
            0,
            h - 6,
            drawn
              ? `${T.whole(drawn)} ${drawn === 1 ? "tree" : "trees"} drawn.`
              : "Draw trees to see frequencies.",
            { class: "mute" },
          ),
        ),
      );
      Object.assign(bars.dataset, { printed: printedTotal, repaired: repairedTotal });
      const lost = 1 - printedTotal;
      status.textContent =
        lost > 1e-9
          ? `The printed formula loses ${T.percent(lost)}${lost > 1 - 1e-9 ? ": for it no tree has the path of x, though every tree has exactly one" : ": the trees in which both inputs take one path to one leaf"}.`
          : "These two inputs part in every tree, and the printed formula is right.";
    }

    function draw() {
      height.set(state.h);
      for (const name of ["x", "y"]) {
        rows[name].querySelectorAll("button").forEach((button, a) => {
          button.textContent = state[name][a];
          button.setAttribute(
            "aria-label",
            `Attribute ${a + 1}: ${state[name][a]}, switch`,
          );
        });
      }
      drawTree();
      drawBars();
    }
    function checked({ h, x, y }) {
      if (!(Number.isInteger(h) && h >= 1 && h <= D))
        throw T.wrong(
          "h",
          `The height must be a whole number from 1 to ${D}, not ${h}`,
        );
      for (const [name, input] of [
        ["x", x],
        ["x′", y],
      ]) {
        if (!(input.length === D && input.every((v) => v === 0 || v === 1)))
          throw T.wrong(name, `${name} must be ${D} bits, not "${bits(input)}"`);
      }
    }
    function apply(next) {
      const fine = T.guarded({ message }, live, () => {
        checked(next);
        state = next;
        reset();
        sample(1);
        draw();
      });
      for (const button of [one, many, clear]) button.disabled = !fine;
    }
    function change(part) {
      apply({ ...state, ...part });
      address.write({ h: state.h, x: bits(state.x), y: bits(state.y) });
    }
    function fromAddress(given) {
      const read = (text, old) =>
        text === undefined
          ? old
          : [...text].map((c) => (c === "0" || c === "1" ? Number(c) : c));
      apply({
        h: given.h === undefined ? state.h : Number(given.h),
        x: read(given.x, state.x),
        y: read(given.y, state.y),
      });
    }
    sample(1);
    draw();
    address.follow(fromAddress);
    return {
      draw: () => draw(),
      set: (part) => apply({ ...state, ...part }),
      draws,
      weights: ({ d, one: s, other, agree }) => weights(d, s, other, agree),
      coexistence: (arguments_) => coexistence(...arguments_),
      frequencies: () => ({ drawn, counts: Object.fromEntries(counts) }),
    };
  });
})();
