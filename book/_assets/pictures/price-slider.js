// A price per leaf moves over one tree: what it cuts, and the line that rolls over the hull of all prunings.
(() => {
  "use strict";
  const T = window.treebounds;
  const COLORS = ["blue", "orange", "green", "purple", "amber"];
  const SAME = 1e-9; // costs closer than this are equal: ties go to the smaller tree

  // The cheapest pruning at a price: errors + price * leaves; among equals the one with the fewest leaves.
  function prune({ left, right, errors }, price) {
    const n = left.length, cost = new Array(n), leaves = new Array(n), wrong = new Array(n), cut = new Array(n).fill(false);
    for (let node = n - 1; node >= 0; node--) { // children come after their parents
      const l = left[node], r = right[node];
      cost[node] = errors[node] + price; leaves[node] = 1; wrong[node] = errors[node];
      if (l < 0) continue;
      if (cost[node] <= cost[l] + cost[r] + SAME) cut[node] = true;
      else { cost[node] = cost[l] + cost[r]; leaves[node] = leaves[l] + leaves[r]; wrong[node] = wrong[l] + wrong[r]; }
    }
    return { cost: cost[0], leaves: leaves[0], errors: wrong[0], cut };
  }

  // Corners of the lower hull of (leaves, fewest errors), and from which price on each is the smallest best one.
  function hull(fewest) {
    const corners = [];
    fewest.forEach((errors, i) => {
      const point = { leaves: i + 1, errors };
      while (corners.length > 1) {
        const [a, b] = corners.slice(-2);
        if ((b.errors - a.errors) * (point.leaves - a.leaves) < (point.errors - a.errors) * (b.leaves - a.leaves)) break;
        corners.pop();
      }
      if (!corners.length || errors < corners[corners.length - 1].errors) corners.push(point);
    });
    corners.forEach((corner, i) => {
      const next = corners[i + 1];
      corner.from = next ? (corner.errors - next.errors) / (next.leaves - corner.leaves) : 0;
      corner.to = i ? corners[i - 1].from : Infinity;
    });
    return corners;
  }

  const place = ({ left, right }) => T.layout(0, (node) => (left[node] < 0 ? [] : [left[node], right[node]]));

  T.picture("price-slider", (live, data, width) => {
    const names = Object.keys(data), LOW = 0.1, HIGH = 100, address = T.address("price-slider");
    for (const set of Object.values(data)) Object.assign(set, { corners: hull(set.fewest), places: place(set) });
    let name = names[0];
    const choice = T.choice("Data set", Object.fromEntries(names.map((key) => [key, key])), name, (key) => { name = key; changed(); });
    const controls = T.controls([
      { name: "price", label: "Price of a leaf, in errors", min: LOW, max: HIGH, value: Number(data[name].known.toPrecision(3)), log: true },
    ], () => changed());
    const ticks = T.html("div", { class: "ticks" }), said = T.html("p", { class: "results", "data-said": "" });
    const tree = T.html("div", {}), plot = T.html("div", {}), panels = T.html("div", { class: "panels results" }, tree, plot);
    const known = T.button("the known price", () => { controls.set({ price: Number(data[name].known.toPrecision(6)) }); changed(); });
    live.append(T.html("div", { class: "p-row" }, choice.element, known), controls.element, ticks, controls.message, said, panels);

    function drawTicks(set, price) {
      const w = width(), h = 46, x = (p) => 8 + (Math.log(T.clamp(p, LOW, HIGH) / LOW) / Math.log(HIGH / LOW)) * (w - 16);
      const marks = [0.1, 0.3, 1, 3, 10, 30, 100];
      ticks.replaceChildren(T.canvas(w, h, "Prices: a tick for each cross-validated choice, a diamond for the known price",
        T.line(8, 16, w - 8, 16, { class: "axis" }),
        marks.map((p) => T.text(x(p), 40, p, { "text-anchor": p === LOW ? "start" : p === HIGH ? "end" : "middle", class: "mute" })),
        set.validated.map((p) => T.line(x(p), 8, x(p), 24, { class: "mute-line", opacity: 0.55 })),
        T.svg("path", { d: `M${x(set.known)} 7l7 9l-7 9l-7 -9z`, class: "orange" }),
        T.svg("path", { d: `M${x(price)} 14l6 -12h-12z`, class: "blue" })));
    }

    function drawTree(set, best) {
      const { nodes, leaves, height } = set.places, at = new Map(nodes.map((n) => [n.item, n])), w = Math.min(width(), tree.clientWidth || width()), h = 300;
      const dx = (w - 24) / Math.max(1, leaves - 1), dy = (h - 40) / Math.max(1, height);
      const x = (n) => (leaves > 1 ? 12 + at.get(n).x * dx : w / 2), y = (n) => 16 + at.get(n).depth * dy;
      const edges = [], marks = [];
      const walk = (node, kept) => {
        const inner = set.left[node] >= 0, leaf = kept && (!inner || best.cut[node]);
        for (const child of inner ? [set.left[node], set.right[node]] : []) {
          const stays = kept && !leaf;
          edges.push(T.line(x(node), y(node), x(child), y(child), { class: stays ? "mute-line" : "pale-line" }));
          walk(child, stays);
        }
        if (leaf) {
          const r = 5 + 13 * Math.sqrt(set.examples[node] / set.examples[0]), wrong = set.errors[node];
          marks.push(T.svg("rect", { x: x(node) - r, y: y(node) - r, width: 2 * r, height: 2 * r, class: COLORS[set.labels[node] % 5] }));
          if (wrong) marks.push(T.text(x(node), y(node) + 4, wrong, { "text-anchor": "middle", class: r > 7 ? "on-color" : "strong", dx: r > 7 ? 0 : r + 6 }));
        } else marks.unshift(T.svg("circle", { cx: x(node), cy: y(node), r: kept ? 3.5 : 2, class: kept ? "mute-fill" : "pale" }));
      };
      walk(0, true);
      tree.replaceChildren(T.canvas(w, h, `The tree at this price: ${best.leaves} leaves, ${best.errors} training errors`, edges, marks));
    }

    function drawPlot(set, price, best) {
      const w = Math.min(width(), plot.clientWidth || width()), h = 300, { fewest, corners } = set;
      const maxX = fewest.length + 0.5, maxY = fewest[0] * 1.06 || 1;
      const { x, y, parts } = T.axes(w, h, maxX, maxY, "leaves", "training errors");
      const intercept = best.cost; // errors = cost - price * leaves
      // the line inside the box
      const from = Math.max(0, (intercept - maxY) / price), to = Math.min(maxX, intercept / price);
      const points = fewest.map((errors, i) => ({ leaves: i + 1, errors }));
      T.refill(plot, T.canvas(w, h, "Fewest errors of the prunings with each number of leaves, their lower hull, and the line of this price",
        parts,
        T.path(corners.map((c) => [x(c.leaves), y(c.errors)]), { class: "mute-line" }),
        points.map((p) => T.svg("circle", { cx: x(p.leaves), cy: y(p.errors), r: 2.6, class: "mute-fill" })),
        T.path([[x(from), y(intercept - price * from)], [x(to), y(intercept - price * to)]], { class: "blue-line" }),
        corners.map((c) => {
          const here = c.leaves === best.leaves;
          return T.pressable({
            "data-key": `corner-${c.leaves}`, "data-leaves": c.leaves,
            "aria-label": `The pruning with ${c.leaves} leaves and ${c.errors} errors: take a price at which it is best`,
          }, () => {
            const top = Math.min(c.to, HIGH), bottom = Math.max(c.from, LOW);
            controls.set({ price: Number(T.clamp(Math.sqrt(top * bottom), LOW, HIGH).toPrecision(6)) });
            changed();
          }, T.svg("circle", { cx: x(c.leaves), cy: y(c.errors), r: 11, fill: "transparent" }),
          T.svg("circle", { cx: x(c.leaves), cy: y(c.errors), r: here ? 7 : 4.5, class: here ? "orange" : "open mute-line" }));
        })));
    }

    let shown = null;
    function draw() {
      const set = data[name];
      shown = null;
      ticks.hidden = !T.guarded(controls, live, () => {
        const { price } = controls.read(), best = prune(set, price);
        shown = { leaves: best.leaves, errors: best.errors, cost: best.cost, cut: best.cut };
        drawTicks(set, price);
        drawTree(set, best);
        drawPlot(set, price, best);
        said.replaceChildren("Best of all prunings at this price: ", T.html("span", { class: "number" }, `${best.leaves} ${best.leaves === 1 ? "leaf" : "leaves"}, ${best.errors} ${best.errors === 1 ? "error" : "errors"}`),
          `, cost ${best.errors} + ${T.fixed(price, 2)} · ${best.leaves} = ${T.fixed(best.cost, 2)}. The known price is ${T.fixed(set.known, 2)}; of ${set.validated.length} cross-validated choices, ${set.validated.filter((p) => p > set.known).length} are higher.`);
      });
      known.disabled = false;
    }
    function changed() {
      draw();
      choice.set(name);
      if (shown) address.write({ set: name, price: live.querySelector("[name=price]").value });
    }
    function fromAddress(state) {
      let problem = "";
      if (state.set in data) name = state.set;
      else if (state.set) problem = `There is no data set "${state.set}" here; this is ${name}`;
      if (state.price !== undefined) controls.set({ price: state.price });
      choice.set(name);
      draw();
      if (problem && shown) controls.message.textContent = `${problem}.`;
    }
    draw();
    address.follow(fromAddress);
    return {
      draw,
      set: ({ set, price }) => { if (set !== undefined) name = set; if (price !== undefined) controls.set({ price }); changed(); return shown; },
      shown: () => shown,
    };
  });
})();
